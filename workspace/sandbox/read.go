package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// systemPlaces are the folders of the system itself, and what is not a daemon's in /run.
var systemPlaces = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/etc",
	"/run/current-system", "/run/opengl-driver", "/run/wrappers",
}

// toolchains are where a person's home has compilers, interpreters, package managers and
// what those have fetched: programs and sources of others. What is not in this list is not
// in the home that a command sees. Places that also have credentials are named by the
// parts that have none.
var toolchains = strings.Fields(`
	.local/bin .local/lib .local/pipx .local/share/pipx .local/share/pnpm .local/share/fnm .local/share/virtualenvs
	.local/share/uv/python .local/share/uv/tools .local/share/mise/installs .local/share/mise/shims .local/share/mise/plugins
	.local/share/rtx .local/share/swiftly .local/share/coursier bin
	go/bin go/pkg go/sdk sdk .cargo/bin .cargo/env .cargo/registry .cargo/git .cargo/config .cargo/config.toml .rustup .zig .nimble .elan .swiftly
	.nvm .fnm .volta .bun/bin .bun/install .deno .node_modules .npm-global .npm-packages .npm/_cacache .yarn/bin .yarn/berry/cache
	.yarn/global .config/yarn/global .pnpm-store .n .nodenv .nodebrew
	.pyenv .virtualenvs .rye .pixi miniconda3 anaconda3 miniforge3 mambaforge micromamba .poetry/bin .poetry/lib .cache/pypoetry/virtualenvs
	.rbenv .rvm .gem/ruby .gem/bin .gem/specs .phpenv .composer/vendor .config/composer/vendor .plenv .perl5 perl5 .luarocks .luaenv
	.sdkman .jenv .jabba .jdks .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/native .gradle/jdks .gradle/daemon .ivy2/cache .ivy2/local
	.sbt/boot .sbt/launchers .coursier .konan Android/Sdk .flutter flutter .pub-cache .dart
	.dotnet/tools .dotnet/sdk .dotnet/shared .dotnet/host .dotnet/packs .dotnet/dotnet .nuget/packages
	.ghcup .cabal/packages .cabal/store .cabal/bin .cabal/lib .stack/programs .stack/snapshots .stack/pantry .opam .juliaup
	.julia/registries .julia/packages .julia/artifacts .julia/compiled .julia/juliaup .mix/archives .mix/elixir .hex/packages .kerl
	.asdf .tfenv .tgenv .goenv .jenv .mise .proto .emsdk .espressif .arduino15 .platformio/packages .linuxbrew .nix-profile .guix-profile
	.cache/ms-playwright .cache/Cypress .cache/puppeteer .cache/pre-commit .cache/bazelisk .cache/node/corepack
`)

// namedByEnvironment are the variables with the place of a toolchain, and, behind a
// colon, the parts of it that have no credentials.
var namedByEnvironment = strings.Fields(`
	GOROOT GOMODCACHE GOPATH:bin,pkg CARGO_HOME:bin,env,registry,git,config,config.toml RUSTUP_HOME JAVA_HOME JDK_HOME JRE_HOME
	M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME:caches,wrapper,native,jdks ANT_HOME KOTLIN_HOME SCALA_HOME SBT_HOME GROOVY_HOME
	SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME ANDROID_NDK_ROOT NVM_DIR FNM_DIR VOLTA_HOME N_PREFIX PNPM_HOME DENO_DIR
	NODE_PATH PLAYWRIGHT_BROWSERS_PATH PUPPETEER_CACHE_DIR CYPRESS_CACHE_FOLDER PYENV_ROOT VIRTUAL_ENV WORKON_HOME CONDA_PREFIX PYTHONHOME
	PYTHONUSERBASE PIP_FIND_LINKS UV_PYTHON_INSTALL_DIR UV_TOOL_DIR PIPX_HOME GEM_HOME GEM_PATH RBENV_ROOT RUBY_ROOT PERL_LOCAL_LIB_ROOT
	PLENV_ROOT DOTNET_ROOT NUGET_PACKAGES HOMEBREW_PREFIX ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR:installs,shims,plugins OPAMROOT FLUTTER_ROOT DART_SDK
	PUB_CACHE EMSDK CUDA_HOME CUDA_PATH VCPKG_ROOT CHROME_BIN PUPPETEER_EXECUTABLE_PATH
	SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH PIP_CERT
	CARGO_HTTP_CAINFO NIX_SSL_CERT_FILE AWS_CA_BUNDLE PATH
`)

// readPlaces are what every command can read: the system, the toolchains of the home, and
// those that the variables of its environment name. Each exists and is resolved; none is
// the whole disk, a home, or what is around it.
func readPlaces(userHome string, environ []string) []string {
	places := Existing(systemPlaces...)
	if to, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		places = append(places, to)
	}
	if to, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		places = append(places, to)
	}
	var homes []string
	if userHome != "" {
		homes = Existing(userHome)
		for _, name := range toolchains {
			places = append(places, Existing(filepath.Join(userHome, name))...)
		}
	}
	for _, entry := range namedByEnvironment {
		name, parts, _ := strings.Cut(entry, ":")
		for dir := range strings.SplitSeq(variable(environ, name), string(os.PathListSeparator)) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if parts == "" {
				places = append(places, Existing(dir)...)
			}
			for part := range strings.SplitSeq(parts, ",") {
				if part != "" {
					places = append(places, Existing(filepath.Join(dir, part))...)
				}
			}
		}
	}
	return once(slices.DeleteFunc(places, func(p string) bool {
		return p == "/" || slices.ContainsFunc(homes, func(home string) bool { return home == p || strings.HasPrefix(home, p+"/") && !isSystem(p) })
	}))
}

// isSystem says that a path is a folder of the system, which a home may be in (/opt).
func isSystem(path string) bool { return slices.Contains(systemPlaces, path) }

// variable is the value of a variable, the last where it is there twice.
func variable(environ []string, name string) (value string) {
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// closedSettings are what in /etc only some users can read, looked for once: for user 0,
// and for members of a group, a command could.
var closedSettings = sync.OnceValue(func() (closed []string) {
	_ = filepath.WalkDir("/etc", func(path string, e fs.DirEntry, err error) error { // what cannot be read needs no cover
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		info, err := e.Info()
		switch {
		case err != nil:
		case e.IsDir() && info.Mode()&0o005 != 0o005:
			closed = append(closed, path)
			return fs.SkipDir
		case !e.IsDir() && info.Mode()&0o004 == 0:
			closed = append(closed, path)
		}
		return nil
	})
	return closed
})
