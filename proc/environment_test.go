package proc

import (
	"slices"
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	for name, stays := range map[string]bool{
		"PATH": true, "HOME": true, "LANG": true, "GOPATH": true, "PATTERN": true, "USER": true, "LD_LIBRARY_PATH": true,
		"OPENAI_API_KEY": false, "aws_access_key_id": false, "GITHUB_TOKEN": false, "npm_config_authToken": false,
		"CLIENT_SECRET": false, "PGPASSWORD": false, "GOOGLE_APPLICATION_CREDENTIALS": false,
		"GITHUB_PAT": false, "SENTRY_DSN": false, "DATABASE_URL": false, "PG_DATABASE_URL": true,
		"SSH_AUTH_SOCK": false, "GPG_AGENT_INFO": false, "DBUS_SESSION_BUS_ADDRESS": false, "DOCKER_HOST": false,
		"TMUX": false, "TMUX_PANE": false, "NVIM": false, "NVIM_LISTEN_ADDRESS": false, "VSCODE_IPC_HOOK": false,
		"EMACS_SERVER_FILE": false, "KITTY_LISTEN_ON": false, "WEZTERM_UNIX_SOCKET": false, "XDG_RUNTIME_DIR": false,
		"AGENT_SIDECAR_HOME": false, "AGENT_SIDECAR_RUN": false,
		// What bash would run or read before the command that was judged.
		"BASH_ENV": false, "ENV": false, "BASH_FUNC_ls%%": false, "SHELLOPTS": false, "CDPATH": false,
		"GIT_ASKPASS": false, "VISUAL": false, "GIT_PAGER": false,
	} {
		env := Scrub([]string{name + "=x"}, nil, "/d")
		if got := slices.Contains(env, name+"=x"); got != stays {
			t.Errorf("%s stays: %v", name, got)
		}
		if !slices.Contains(Scrub([]string{name + "=x"}, []string{name}, "/d"), name+"=x") {
			t.Errorf("%s does not stay although it is on the allow list", name)
		}
	}
	env := Scrub([]string{"PAGER=less", "TERM=xterm", "CI=", "EDITOR=vim", "PWD=/old", "GIT_TERMINAL_PROMPT=1", "=C:=C:\\", "odd", "A=b=c"}, []string{"PAGER"}, "/d")
	want := "A=b=c PAGER=cat GIT_TERMINAL_PROMPT=0 EDITOR=true CI=1 TERM=dumb PWD=/d"
	if got := strings.Join(env, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
