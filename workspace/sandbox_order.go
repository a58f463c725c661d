package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/proc"
)

// secretPlaces are where a person's home keeps keys, tokens, passwords, cookies
// and what was typed (ruling 78). Commands see them empty.
var secretPlaces = strings.Fields(`
	.ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .pypirc .git-credentials .config/git/credentials .pgpass .my.cnf
	.config/gh .config/hub .config/glab-cli .config/gcloud .config/doctl .config/op .config/sops .config/age .config/containers/auth.json
	.config/rclone .config/github-copilot .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird
	.local/share/keyrings .local/share/kwalletd .password-store .vault-token .terraform.d .terraformrc
	.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
	.bitcoin .ethereum .electrum .env .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history
	.claude .claude.json .codex .gemini .Xauthority .ICEauthority
	Library/Keychains Library/Cookies Library/Application*Support/Google/Chrome Library/Application*Support/Firefox
`)

// runningPlaces hold the sockets of the machine's daemons and of the person's
// own session.
var runningPlaces = []string{"/run", "/var/run"}

// sharedDevices are what a /dev that is not the command's own shares with the
// person's programs: what they type, and their memory.
var sharedDevices = []string{"/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/input"}

// neededPlaces lie in those and are programs and names, not daemons.
var neededPlaces = []string{"/run/current-system", "/run/opengl-driver", "/etc/resolv.conf"}

// confine is what one command may touch (ruling 79); shields are the protected
// paths that exist.
func (v *Vault) confine(l level, s SandboxSettings, w wants, shields []shield) (proc.Confinement, error) {
	if l.Name == proc.None || w.needs == "unconfined" {
		return proc.Confinement{Level: proc.None}, nil
	}
	temp, err := v.temp.dir()
	if err != nil {
		return proc.Confinement{}, err
	}
	c := proc.Confinement{
		Level: l.Name, Bubblewrap: l.Bubblewrap, Temp: temp,
		Network: s.Network || w.needs == "network",
	}
	// A folder that is the whole disk is not given away.
	c.Write = slices.DeleteFunc(v.Roots(), func(r string) bool { return r == "/" })
	for _, w := range s.Writable {
		c.Write = append(c.Write, existing(v.expand(w))...)
	}
	if cache := v.commandCache(); cache != "" {
		if err := os.MkdirAll(cache, 0o700); err != nil {
			return proc.Confinement{}, err
		}
		c.Write = append(c.Write, existing(cache)...)
	}
	for _, p := range secretPlaces {
		if v.userHome != "" {
			c.Hidden = append(c.Hidden, existing(filepath.Join(v.userHome, strings.ReplaceAll(p, "*", " ")))...)
		}
	}
	c.Hidden = append(c.Hidden, existing(v.home)...)
	if runtime.GOOS == "linux" {
		c.Hidden = append(c.Hidden, existing(runningPlaces...)...)
		for _, p := range existing(neededPlaces...) {
			if slices.ContainsFunc(c.Hidden, func(h string) bool { return strings.HasPrefix(p, h+"/") }) {
				c.Shown = append(c.Shown, p)
			}
		}
	}
	if l.Name == proc.Landlock {
		c.Hidden = append(c.Hidden, existing(sharedDevices...)...)
	}
	if l.Name == proc.Namespaces {
		if len(w.bounds.Within) == 0 { // else the repository is not in the agent's folder
			write, kept := v.worktreePlaces()
			c.Write, c.ReadOnly = append(c.Write, write...), append(c.ReadOnly, kept...)
		}
		// A socket in a folder of the project is the project's own.
		inside := append(slices.Clone(c.Write), c.Hidden...)
		c.Hidden = append(c.Hidden, slices.DeleteFunc(daemonSockets(), func(path string) bool {
			return slices.ContainsFunc(inside, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
		})...)
	}
	for _, sh := range shields {
		switch {
		case sh.link:
		case sh.keepsPlace:
			c.Write = append(c.Write, sh.abs())
		default:
			c.ReadOnly = append(c.ReadOnly, sh.abs())
		}
	}
	if err := v.bound(&c, w.bounds); err != nil {
		return proc.Confinement{}, err
	}
	c.ReadOnly = append(c.ReadOnly, slices.DeleteFunc(v.homeFiles(c.Write), func(p string) bool { return slices.Contains(c.Write, p) })...)
	c.Write, c.Hidden = once(c.Write), once(c.Hidden)
	return c, nil
}

// homeFiles are what the person's own programs obey, where something that commands
// may write to contains the person's home: every name in it that begins with a dot.
func (v *Vault) homeFiles(write []string) []string {
	home := existing(v.userHome)
	if len(home) == 0 || !slices.ContainsFunc(write, func(r string) bool { return r == home[0] || strings.HasPrefix(home[0], r+"/") }) {
		return nil
	}
	entries, err := os.ReadDir(home[0])
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Type()&os.ModeSymlink == 0 {
			out = append(out, filepath.Join(home[0], e.Name()))
		}
	}
	return out
}

// commandCache is where build tools of commands keep what they made: their own
// place, because what a command leaves in the person's would later run outside
// the sandbox. "" without a home.
func (v *Vault) commandCache() string {
	if v.home == "" {
		return ""
	}
	return filepath.Join(v.home, "cache", v.WorkspaceID())
}

// confinedEnv leads a confined command's temporary files and caches to where it
// may write. Names in keep are the person's own choice.
func (v *Vault) confinedEnv(env, keep []string, c proc.Confinement) []string {
	if c.Level == "" || c.Level == proc.None {
		return env
	}
	temp := c.Temp
	if c.Level == proc.Namespaces {
		temp = "/tmp"
	}
	cache := v.commandCache()
	if cache == "" {
		cache = filepath.Join(temp, "cache")
	}
	for name, value := range map[string]string{
		"TMPDIR": temp, "XDG_CACHE_HOME": cache,
		"GOCACHE": filepath.Join(cache, "go-build"), "npm_config_cache": filepath.Join(cache, "npm"),
	} {
		if slices.Contains(keep, name) {
			continue
		}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func (v *Vault) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && v.userHome != "" && (rest == "" || rest[0] == '/') {
		return v.userHome + rest
	}
	return path
}

// existing are those of the absolute paths that exist, resolved.
func existing(paths ...string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil && real != "/" {
			out = append(out, real)
		}
	}
	return out
}

func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
