//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestBoxIsBuiltFromNothing: of the machine a command sees the system, toolchains, its
// folders, and a home of its own. Nothing else is there to be read, whatever it is called.
func TestBoxIsBuiltFromNothing(t *testing.T) {
	for name, l := range levelsHere(t) {
		if l.Name != proc.Namespaces {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			for path, text := range map[string]string{
				".cargo/bin/tool": "#!/bin/sh\necho tool\n", ".cargo/credentials.toml": sshKey, "go/pkg/mod/m/go.mod": "module m\n",
				".config/some-new-tool/token": sshKey, ".m2/settings.xml": sshKey, ".m2/repository/a.jar": "jar\n",
				".gitconfig": "[user]\n\tname = The Person\n\temail = p@example.org\n[credential]\n\thelper = store\n[core]\n\texcludesFile = ~/ignored\n",
				"ignored":    "*.log\n",
			} {
				path = filepath.Join(w.user, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, row := range []struct{ command, want string }{
				{"cd ~ && pwd", w.user + "\n"},
				{"cat ~/.cargo/bin/tool | tail -1; cat ~/go/pkg/mod/m/go.mod ~/.m2/repository/a.jar", "echo tool\nmodule m\njar\n"},
				{"for f in .cargo/credentials.toml .config/some-new-tool/token .m2/settings.xml .ssh/id_rsa .npmrc .bashrc notes.txt; do cat ~/$f 2>/dev/null && echo $f is there; done; echo looked", "looked\n"},
				{"echo x 2>/dev/null > ~/.cargo/bin/tool || echo refused", "refused\n"},
				{"echo mine > ~/.bashrc && cat ~/.bashrc", "mine\n"},
				{"cat ~/.bashrc", "mine\n"}, // the next command has the same home
				{"ls -d / /mnt /media /var/lib /sys /boot 2>/dev/null; true", "/\n"},
				{"ls $BASE; ls -A $USER/.ssh $OUT 2>/dev/null; true", "user\nvault\n"},
				{"git config --global user.name; git config --global credential.helper; cat \"$(git config --global core.excludesFile)\"", "The Person\n*.log\n"},
				{"git config --global user.name Evil 2>/dev/null || echo refused", "refused\n"},
				{"touch /new /etc/new /usr/new 2>/dev/null || echo refused; mkdir /var/lib 2>/dev/null || echo refused", "refused\nrefused\n"},
			} {
				text, _ := w.run(t, row.command)
				if text != row.want {
					t.Errorf("%s: %q, want %q", row.command, text, row.want)
				}
			}
			if text, err := os.ReadFile(filepath.Join(w.user, ".bashrc")); err != nil || string(text) != "# mine\n" {
				t.Errorf("the person's own: %q, %v", text, err)
			}
		})
	}
}

// TestBypassSettingsOfOthers: what in /etc only some may read is closed, also for user 0.
func TestBypassSettingsOfOthers(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			text, _ := w.run(t, "cat /etc/shadow /etc/gshadow /etc/sudoers >/dev/null 2>&1 && echo read; find /etc -type f ! -perm -o=r 2>/dev/null | while read f; do cat \"$f\" >/dev/null 2>&1 && echo \"$f\"; done; echo looked")
			if text != "looked\n" {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestBoxIsBounded: a command that takes too much of the machine is ended, and told by what.
func TestBoxIsBounded(t *testing.T) {
	for name, l := range levelsHere(t) {
		if l.Name != proc.Namespaces {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Disk space is that of the file system, which other tests write to: it is bounded in a world of its own.
			w := newWorld(t, l, sandbox.Settings{MaxProcesses: 60, MaxMemory: 64 << 20})
			for _, row := range []struct{ command, want string }{
				{"a=$(head -c 1000000 /dev/zero | tr '\\0' x); head -c 1000000 /dev/zero > $TMPDIR/small; sleep 0.6; echo ${#a}", "1000000\n"},
				{"x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done", "it reached the bound of memory; the person can raise it with sandbox.maxMemoryMb"},
			} {
				if text, _ := w.run(t, row.command); !strings.Contains(text, row.want) {
					t.Errorf("%s: %s", row.command, text)
				}
			}
			text, _ := newWorld(t, l, sandbox.Settings{MaxDisk: 32 << 20}).run(t, "cat /dev/zero > big")
			if want := "it reached the bound of disk space; the person can raise it with sandbox.maxDiskMb"; !strings.Contains(text, want) {
				t.Errorf("disk: %s", text)
			}
			// For user 0 the kernel does not count: the sidecar does. For others a start is refused.
			text, _ = w.run(t, "for i in $(seq 200); do sleep 60 & done; wait")
			if !strings.Contains(text, "it reached the bound of processes") && !strings.Contains(text, "Resource temporarily unavailable") {
				t.Errorf("processes: %s", text)
			}
		})
	}
}
