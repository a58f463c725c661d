package proc

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What a program gets is a list of names that are good. Everything else stays behind,
// whatever it is called.
func TestScrub(t *testing.T) {
	stays := strings.Fields(`PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE COLORTERM NO_COLOR TZ TMPDIR
		GOPATH GOFLAGS GOTOOLCHAIN GOPRIVATE GOMAXPROCS CGO_ENABLED CARGO_HOME CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER RUSTUP_HOME
		RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE JAVA_HOME JAVA_HOME_21_X64 JDK_17_HOME GRADLE_USER_HOME NODE_PATH NODE_ENV NVM_DIR
		PNPM_HOME npm_config_cache PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONUNBUFFERED CC CXX CFLAGS LDFLAGS
		PKG_CONFIG_PATH LD_LIBRARY_PATH SSL_CERT_FILE NODE_EXTRA_CA_CERTS HTTP_PROXY https_proxy NO_PROXY GEM_HOME RBENV_ROOT
		DOTNET_ROOT OPAM_SWITCH_PREFIX NIX_PATH ANDROID_HOME GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL XDG_CONFIG_HOME`)
	goes := strings.Fields(`PASSPHRASE MYSQL_PWD PGPASS NPM_CONFIG__AUTH JWT BEARER REDIS_URL CONN_STR
		OPENAI_API_KEY aws_access_key_id GITHUB_TOKEN npm_config_authToken CLIENT_SECRET PGPASSWORD GITHUB_PAT SENTRY_DSN DATABASE_URL
		GOOGLE_APPLICATION_CREDENTIALS GOOGLE_ACCOUNT GOAUTH GODADDY CARGO_REGISTRY CARGO_REGISTRIES_MINE_AUTH RUSTUP_LOGIN
		PYTHON_LOGIN CONDA_LOGIN NVM_AUTH PYENV_PW LC_LOGIN LC_PWD npm_config__auth npm_config_userconfig NPM_AUTH JAVA_LOGIN
		PG_DATABASE_URL MONGO_URI AMQP_URL SLACK_WEBHOOK SESSION COOKIE PIN OTP SALT PEPPER HMAC PW PWORD pwd pass Pass SMTP_PASS
		FTP_USERPWD DB_LOGIN SSHPASS RESTIC_REPOSITORY BORG_PASSCOMMAND ANSIBLE_VAULT LDAP_BIND KUBECONFIG VAULT_ADDR AZURE_STORAGE
		AWS_PROFILE TWILIO_SID STRIPE MAILGUN X_AUTH OAUTH BASIC_AUTH LICENSE PRIVATE SIGNING HARMLESS PIP_EXTRA_INDEX_URL
		SSH_AUTH_SOCK GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DOCKER_HOST TMUX NVIM VSCODE_IPC_HOOK EMACS_SERVER_FILE
		KITTY_LISTEN_ON WEZTERM_UNIX_SOCKET XDG_RUNTIME_DIR AGENT_SIDECAR_HOME AGENT_SIDECAR_RUN DISPLAY
		BASH_ENV ENV BASH_FUNC_ls%% SHELLOPTS CDPATH GIT_ASKPASS VISUAL GIT_PAGER GIT_CONFIG_PARAMETERS LD_PRELOAD IFS PS4
		NODE_OPTIONS JAVA_TOOL_OPTIONS MAVEN_OPTS RUBYOPT PERL5OPT PYTHONSTARTUP PYTHONBREAKPOINT`)
	for _, name := range append(slices.Clone(stays), goes...) {
		env := Scrub([]string{name + "=x"}, nil, nil, "/d")
		if got := slices.Contains(env, name+"=x"); got != slices.Contains(stays, name) {
			t.Errorf("%s stays: %v", name, got)
		}
		if !slices.Contains(Scrub([]string{name + "=x"}, []string{name}, nil, "/d"), name+"=x") {
			t.Errorf("%s does not stay although keep names it", name)
		}
	}
	env := Scrub([]string{"PAGER=less", "TERM=xterm", "CI=", "EDITOR=vim", "PWD=/old", "GIT_TERMINAL_PROMPT=1", "=C:=C:\\", "odd", "TZ=b=c"}, []string{"PAGER"}, nil, "/d")
	want := "TZ=b=c PAGER=cat GIT_TERMINAL_PROMPT=0 EDITOR=true CI=1 TERM=dumb PWD=/d"
	if got := strings.Join(env, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A good name does not make a value good. Only a name in keep does, a pattern does not.
func TestScrubValues(t *testing.T) {
	for entry, stays := range map[string]bool{
		"HTTP_PROXY=http://proxy:8080":             true,
		"NO_PROXY=localhost,.example.com":          true,
		"HTTP_PROXY=http://me:pass@proxy:8080":     false,
		"https_proxy=me:pass@proxy:8080":           false, // curl takes it without a scheme, too
		"ALL_PROXY=socks5h://me@proxy":             false,
		"GOPROXY=https://a.example|direct":         true,
		"GOPROXY=https://me:p%40ss@a.example":      false,
		"GOPROXY=https://a.example,http://b:c@d":   false,
		"GOPROXY=https://me:a/b@a.example":         false, // no URL says that, programs take it
		"PIP_INDEX_URL=https://a.example/?sig=x":   false,
		"npm_config_registry=https://a:b@c/npm/":   false,
		"PATH=/opt/python@3.11/bin:/usr/bin":       true,
		"GIT_AUTHOR_EMAIL=me@example.com":          true,
		"LUA_PATH=./?.lua":                         true,
		"CFLAGS=-DNAME=known":                      false, // what the caller knows as a secret
		"MINE_A=x":                                 true,  // by the pattern
		"MINE_B=https://me:pass@a.example":         false,
		"MINE_C=known":                             false,
		"NOT_MINE=x":                               false,
		"EXACT=https://me:pass@a.example/?a=known": true,
	} {
		env := Scrub([]string{entry}, []string{"MINE_*", "EXACT"}, func(_, value string) bool { return strings.Contains(value, "known") }, "/d")
		if got := slices.Contains(env, entry); got != stays {
			t.Errorf("%s stays: %v", entry, got)
		}
	}
}

func TestMatches(t *testing.T) {
	for pattern, names := range map[string]string{
		"A": "A -B -AB -a", "A_*": "A_ A_B -A -B_A", "*_A": "_A B_A -A", "A*C*E": "ACE ABCDE ACCEE -ACD -AE -XACE", "*": "A", "": "-A", "A*A": "AA ABA -A",
	} {
		for name := range strings.FieldsSeq(names) {
			plain := strings.TrimPrefix(name, "-")
			if matches(pattern, plain) != (plain == name) {
				t.Errorf("%q and %q", pattern, plain)
			}
		}
	}
}

// The table that people read is the list that is used.
func TestGoodNamesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range good {
		row := "| " + group.about + " | `" + strings.Join(strings.Fields(group.names), "` `") + "` |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/sandbox.md lacks the row\n%s", row)
		}
	}
}
