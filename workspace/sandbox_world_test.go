//go:build linux

package workspace

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// world is a machine to escape to: a Vault, the person's home, the sidecar's
// home, a neighbour's file, a process and daemons outside.
type world struct {
	base, vault, user, home, outside string
	victim                           *exec.Cmd
	tcp, udp, shared, terminal       string
	heard                            atomic.Int64 // connections and packets that arrived
	v                                *Vault
	bubblewrap                       bool                  // makes the sandbox
	tried                            func(row string) bool // in closingWorlds: whether a row of a table is
}

const sshKey = "-----PRIVATE-----"

func newWorld(t *testing.T, l sandbox.Level, s sandbox.Settings) *world {
	t.Helper()
	base := notTemporary(t)
	w := &world{base: base, bubblewrap: l.Bubblewrap != ""}
	w.vault, w.user, w.home, w.outside = base+"/vault", base+"/user", base+"/user/.agent-sidecar", base+"/outside"
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		w.vault + "/main.go": "package main\n", w.vault + "/.git/HEAD": "ref: refs/heads/main\n", w.vault + "/.git/config": "[core]\n",
		w.vault + "/.git/hooks/pre-push": "#!/bin/sh\n", w.vault + "/.git/info/exclude": "", w.vault + "/.git/objects/x": "", w.vault + "/.git/refs/heads/x": "",
		w.vault + "/.vscode/tasks.json": "{}", w.vault + "/sub/.git/config": "[core]\n", w.vault + "/.env": "A=1\n", w.vault + "/AGENTS.md": "agents\n",
		w.user + "/.ssh/id_rsa": sshKey, w.user + "/.npmrc": "_authToken=" + sshKey, w.user + "/.bashrc": "# mine\n", w.user + "/notes.txt": "notes\n",
		w.home + "/config.jsonc": `{"apiKeys": ["` + sshKey + `"]}`, w.outside + "/file": "outside\n", w.outside + "/dir/file": "outside\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(w.outside, w.vault+"/link"); err != nil {
		t.Fatal(err)
	}
	var err error
	w.v, err = Open([]Folder{{Path: w.vault}}, Options{
		Home: w.home, UserHome: w.user, Prober: sandbox.At(l), Sandbox: func() sandbox.Settings { return s }, Protected: protectedHere,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.v.Close() })
	return w
}

// notTemporary is a directory that is not below /tmp: there a command has
// another one anyway, and nothing would be shown.
func notTemporary(t testing.TB) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, parent := range []string{"testdata", home, "/srv", "/opt"} { // the last two: a checkout and a home in /tmp, or deep
		parent, err := filepath.Abs(parent)
		if err == nil {
			parent, err = filepath.EvalSymlinks(parent)
		}
		if err != nil || strings.HasPrefix(parent, "/tmp/") || strings.HasPrefix(parent, "/var/tmp/") {
			continue
		}
		if len(parent) > 75 { // the name of a socket in it has at most 107 bytes
			continue
		}
		base, err := os.MkdirTemp(parent, "escape-")
		if err == nil {
			t.Cleanup(func() { os.RemoveAll(base) })
			return base
		}
	}
	t.Skip("not run: there is no place outside /tmp for a test of the sandbox")
	return ""
}

// protectedHere is a short form of what the permission side hands over.
var protectedHere = ProtectedNames{
	Protected: func(object string) bool {
		for part := range strings.SplitSeq(strings.TrimPrefix(object, "vault:/"), "/") {
			switch part {
			case ".vscode", ".envrc", "AGENTS.md", ".env", ".husky", ".github", "id_rsa":
				return true
			}
		}
		return false
	},
	MerelySecret: func(object string) bool {
		return strings.HasSuffix(object, "/.env") || strings.HasSuffix(object, "id_rsa")
	},
	Closed: func(object string) bool {
		base := strings.ToLower(filepath.Base(object))
		if strings.HasSuffix(object, "/") {
			return base == ".aws" || base == ".secrets"
		}
		return strings.HasPrefix(base, ".env") && base != ".envrc" || base == "id_rsa" || strings.HasSuffix(base, ".p12") || strings.HasSuffix(strings.ToLower(object), "/.docker/config.json")
	},
	MayHoldKey: func(object string) bool {
		return strings.HasSuffix(object, ".pem") || strings.HasSuffix(object, ".key")
	},
}

// copyProbe puts this test binary where commands can start it.
func copyProbe(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, from); err != nil {
		t.Fatal(err)
	}
}

// daemons are what listens outside; none of it may be reached.
func (w *world) daemons(t *testing.T) {
	t.Helper()
	accept := func(l net.Listener, err error) net.Listener {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				w.heard.Add(1)
				io.ReadFull(c, make([]byte, 1))
				c.Close()
			}
		}()
		return l
	}
	w.tcp = accept(net.Listen("tcp", "127.0.0.1:0")).Addr().String()
	accept(net.Listen("unix", w.base+"/daemon.sock"))
	accept(net.Listen("unix", relative(t, w.base+"/beside.sock")))
	accept(net.Listen("unix", "@agent-sidecar-"+filepath.Base(w.base)))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	w.udp = packets.LocalAddr().String()
	go func() {
		for buf := make([]byte, 10); ; {
			n, from, err := packets.ReadFrom(buf)
			if err != nil {
				return
			}
			w.heard.Add(1)
			packets.WriteTo(buf[:n], from)
		}
	}()
	w.shared = "/dev/shm/agent-sidecar-" + filepath.Base(w.base)
	if err := os.WriteFile(w.shared, []byte(sshKey), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(w.shared) })
	w.terminal = openTerminal(t)
	w.victim = exec.Command("/proc/self/exe", "escape", "wait")
	w.victim.Env = []string{"SECRET_OF_THE_SIDECAR=" + sshKey}
	in, err := w.victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); w.victim.Wait() })
}

// relative is path from here, as daemons with long paths name their sockets.
func relative(t *testing.T, path string) string {
	t.Helper()
	here, err := os.Getwd()
	if err == nil {
		path, err = filepath.Rel(here, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// bare is a path as a word of a command without quotes.
func bare(path string) string {
	return regexp.MustCompile(`[^\pL\d/._-]`).ReplaceAllString(path, `\$0`)
}

// fill puts the world into a command.
func (w *world) fill(command string) string {
	victim := ""
	if w.victim != nil {
		victim = fmt.Sprint(w.victim.Process.Pid)
	}
	return strings.NewReplacer("$OUT", bare(w.outside), "$USER", bare(w.user), "$SIDECAR", bare(w.home), "$BASE", bare(w.base), "$VAULT", bare(w.vault),
		"$TCP", w.tcp, "$SHM", w.shared, "$PTY", w.terminal, "$UDP", w.udp, "$PID", victim, "$ME", fmt.Sprint(os.Getpid()),
		"$ABSTRACT", "@agent-sidecar-"+filepath.Base(w.base)).Replace(command)
}

func (w *world) run(t *testing.T, command string) (text string, failed bool) {
	t.Helper()
	return w.runWith(t, command)
}

// runWith runs a command that was given what it needs.
func (w *world) runWith(t *testing.T, command string, needs ...tool.Need) (text string, failed bool) {
	t.Helper()
	p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": w.fill(command)})
	p.Needs = needs // as the session sets it once the call is allowed
	r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text, r.Failed
}

// state is everything outside the Vault, and what is protected in it, that no
// command may change.
func (w *world) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{w.outside, w.user, w.vault + "/.git/hooks", w.vault + "/.git/config", w.vault + "/.git/info", w.vault + "/.vscode", w.vault + "/sub/.git/config", w.vault + "/AGENTS.md", w.vault + "/.envrc", w.vault + "/.husky"} {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if strings.HasPrefix(path, w.home+"/cache") || strings.HasPrefix(path, w.home+"/"+watchedDir) { // our own
				return filepath.SkipDir
			}
			info, err := d.Info()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s", path, info.Mode())
			if !d.IsDir() {
				text, _ := os.ReadFile(path)
				fmt.Fprintf(&b, " %s %q", info.ModTime(), text)
			}
			b.WriteString("\n")
			return nil
		})
	}
	return b.String()
}

// differing are the lines of two states that are not in both.
func differing(a, b string) string {
	var out bytes.Buffer
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			out.WriteString("- " + line)
		}
	}
	for line := range strings.Lines(b) {
		if !strings.Contains(a, line) {
			out.WriteString("+ " + line)
		}
	}
	return out.String()
}
