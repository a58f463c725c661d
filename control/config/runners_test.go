package config

import (
	"strings"
	"testing"
)

// What a runner may say, and that only the user's own file names one.
func TestRunnerConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"connect": ["ssh", "-T", "devbox", "agent-sidecar", "worker"], "folder": "~/w/{workspace}"}`:                                  "",
		`{"connect": ["sh"], "folder": "/srv/w", "up": ["true"], "down": ["true"], "env": ["X"], "isolated": true}`:                     "",
		`{"connect": ["devcontainer", "exec", "--workspace-folder", "{folder}", "x"], "sync": "mount"}`:                                 "",
		`{"connect": ["sh"], "folder": "{folder}", "sync": "mount"}`:                                                                    "",
		`{"connect": ["sh"], "folder": "/w", "awk": "BEGIN { print }"}`:                                                                 `unknown key "awk"`,
		`{"connect": ["ssh", "box", "~/bin/agent-sidecar", "worker", "--home", "/srv/{workspace}"], "folder": "/w", "install": "copy"}`: "",
		`{"connect": ["ssh", "box", "agent-sidecar", "worker"], "folder": "/w", "install": "yes"}`:                                      `install must be copy, not "yes"`,
		`{"connect": ["ssh", "box", "worker"], "folder": "/w", "install": "copy"}`:                                                      "must end in the words agent-sidecar worker",
		`{"connect": ["ssh", "box", "agent-sidecar"], "folder": "/w", "install": "copy"}`:                                               "must end in the words agent-sidecar worker",
		`{"connect": ["agent-sidecar", "worker"], "folder": "/w", "install": "copy"}`:                                                   "must end in the words agent-sidecar worker",
		`{"connect": ["ssh", "box", "agent-sidecar worker"], "folder": "/w", "install": "copy"}`:                                        "must end in the words agent-sidecar worker",
		`{"connect": ["ssh", "box", "agent-sidecar", "worker", "--log", "$(reboot)"], "folder": "/w", "install": "copy"}`:               `the word "$(reboot)" of connect means something to a shell`,
		`7`:                                         "must be an object",
		`{"connect": "ssh devbox"}`:                 "cannot be read",
		`{"folder": "/w"}`:                          "connect: command must be a list",
		`{"connect": ["./run.sh"]}`:                 "a name that PATH finds, or an absolute path",
		`{"connect": ["sh"]}`:                       "it needs a folder",
		`{"connect": ["sh"], "folder": ""}`:         "it needs a folder",
		`{"connect": ["sh"], "folder": "w"}`:        "must be an absolute path",
		`{"connect": ["sh"], "folder": "~other/w"}`: "must be an absolute path",
		`{"connect": ["sh"], "folder": "/w", "sync": "rsync"}`:                                                                                `sync must be mount or git, not "rsync"`,
		`{"connect": ["kubectl", "exec", "-i", "{name}", "--", "agent-sidecar", "worker"], "up": ["claim", "--name={name}"], "folder": "/w"}`: "",
		`{"connect": ["sh", "{title}"], "folder": "/w"}`:                                                                                      `"{title}" has no meaning`,
		`{"connect": ["sh"], "up": ["x", "a{Workspace}"], "folder": "/w"}`:                                                                    `"{Workspace}" has no meaning`,
		`{"connect": ["sh"], "down": ["sub/x"], "folder": "/w"}`:                                                                              "down: the program",
		`{"connect": ["sh"], "folder": "/w", "env": ["A=B"]}`:                                                                                 `variable "A=B" is not valid`,
	} {
		d, err := readDocument("config", []byte(`{"runners": {"box": `+text+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, one := range d.diagnostics {
			said += one.Message + "\n"
		}
		usable := want == "" || strings.HasPrefix(want, "unknown key")
		if usable != (len(d.runners) == 1) || !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: %+v %s", text, d.runners, said)
		}
	}
	named, err := readDocument("config", []byte(`{"runners": {"a b": {"connect": ["sh"], "folder": "/w"}, "ok": {"connect": ["sh"], "folder": "/w"}}}`))
	if err != nil || len(named.runners) != 1 || named.runners[0].Name != "ok" || named.runners[0].Line != 1 {
		t.Errorf("%v %+v", err, named.runners)
	}
	inline, err := readDocument("inline", []byte(`{"runners": {"evil": {"connect": ["sh"], "folder": "/w"}}}`))
	if err != nil || len(inline.diagnostics) != 1 {
		t.Fatalf("%v %v", err, inline.diagnostics)
	}
	for _, accepted := range []bool{false, true} {
		s := build(defaults(), named, inline, accepted)
		if _, evil := s.Runner("evil"); evil || s.Held || strings.Contains(string(s.Values["runners"]), "evil") {
			t.Errorf("accepted %v: %+v", accepted, s.Runners)
		}
		if r, ok := s.Runner("ok"); !ok || r.Folder != "/w" {
			t.Errorf("accepted %v: %+v", accepted, s.Runners)
		}
	}
}
