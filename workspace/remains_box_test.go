//go:build linux

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// What a command leaves that is more than a file is told; the bits that lend the rights of
// an owner are taken away, and nothing else is.
func TestSandboxTellsWhatRemains(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct {
				command string
				want    []string // in what is told; none: nothing is
			}{
				{`echo x > plain; ln -s plain in; ln -s sub/../main.go also; ln -s gone nowhere; mkdir dir; chmod 1755 dir; chmod 755 plain`, nil},
				{`mkdir shared; chmod g+s shared; echo x > shared/a; mkdir shared/b`, nil},
				{`ln -s $OUT out`, []string{"left in the workspace: out (a link to " + "$OUT" + ")"}},
				{`ln -s ../outside/new out`, []string{"out (a link to $OUT/new)"}},
				{`ln -sfn $OUT/dir link`, []string{"link (a link to $OUT/dir)"}}, // it was there, and led elsewhere
				{`ln -s link/dir far`, []string{"far (a link to "}},
				{`ln -s link/../vault/main.go back`, []string{"back (a link to "}},
				{`ln -s /proc/self/root magic`, []string{"magic (a link to "}},
				{`ln -s round round`, []string{"round (a link to nowhere: "}},
				{`mkfifo pipe`, []string{"pipe (a named pipe)"}},
				{`rm main.go && mkfifo main.go`, []string{"main.go (a named pipe)"}},
				{`mkdir -p a/b && mkfifo a/b/pipe && ln -s $OUT a/b/out`, []string{"a/b/out (a link to $OUT), a/b/pipe (a named pipe)"}},
				{`echo x > new; chmod 4755 new || chmod 6755 main.go || cp -p new copy && tar -cf t copy && tar -xpf t && echo x > more`, nil}, // refused, and no more than that
				{`cp -p "$(command -v su)" copy || test -s copy && echo goes on`, nil},
				{`echo x > new && chmod 2755 new`, []string{"removed the setuid and setgid bits from: new)"}},
				{`chmod 2755 main.go`, []string{"bits from: main.go)"}},
				{`echo x > new && chmod 2111 new`, []string{"bits from: new)"}},
				{`mkdir ignored && echo x > ignored/new && chmod g+s ignored/new`, []string{"bits from: ignored/new)"}},
				{`mkdir s && echo x > s/new && chmod g+s s/new && mv s "a b"`, []string{"bits from: a b/new)"}},
				{`mkdir many; for i in $(seq 100 130); do ln -s $OUT many/$i; done`, []string{"many/119 (a link to $OUT) and 11 more)"}},
				{`echo x > "$TMPDIR/new" && chmod 2755 "$TMPDIR/new" && cp -p "$TMPDIR/new" copy && mv "$TMPDIR/new" moved`, []string{"bits from: copy, moved)"}},
			} {
				if !rows.tried(name, row.command) {
					continue
				}
				w := newWorld(t, l, sandbox.Settings{})
				w.put(t, map[string]string{".gitignore": "ignored/\n"})
				text, _ := w.run(t, "echo tried; "+row.command) // what is there already is not told
				told := strings.Contains(text, "left in the workspace") || strings.Contains(text, "setuid")
				if !strings.Contains(text, "tried") || told != (len(row.want) > 0) {
					t.Errorf("%s: %s", row.command, text)
				}
				for _, want := range row.want {
					if want = strings.ReplaceAll(w.fill(want), `\ `, " "); !strings.Contains(text, want) {
						t.Errorf("%s: %s, want %s", row.command, text, want)
					}
				}
				w.lends(t, row.command)
			}
		})
	}
}

// lends fails for a file of the Vault that lends rights.
func (w *world) lends(t *testing.T, why string) {
	t.Helper()
	_ = filepath.WalkDir(w.vault, func(path string, d fs.DirEntry, err error) error {
		if info, gone := os.Lstat(path); gone == nil && info.Mode().IsRegular() && info.Mode()&shields.LendsRights != 0 {
			t.Errorf("%s: %s is %s", why, path, info.Mode())
		}
		return nil
	})
}

// A socket that a command leaves is told at level namespaces; at landlock it makes none.
func TestSandboxTellsOfSockets(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			if text, failed := w.run(t, "python3 -c 1"); failed {
				t.Skipf("not run: python3 makes the socket, and does not start here: %s", text)
			}
			text, failed := w.run(t, `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("daemon")'`)
			_, err := os.Lstat(w.vault + "/daemon")
			if there := err == nil; there == failed || there != strings.Contains(text, "(the command left in the workspace: daemon (a socket))") || l.Name == proc.Namespaces && !there {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

// Bypass: between the look at a file that lends rights and the change of its mode, something
// that runs on puts a link to another file in its place.
func TestBypassLinkInPlaceOfWhatLendsRights(t *testing.T) {
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.WriteFile("other", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir.Name()+"/other", 0o600|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	if err := dir.Symlink("other", "link"); err != nil {
		t.Fatal(err)
	}
	err = takeRights(dir, "link")
	if info, gone := dir.Lstat("other"); gone != nil || info.Mode()&fs.ModeSetuid == 0 {
		t.Errorf("the link was followed: %v %v", err, gone)
	}
	if err := takeRights(dir, "other"); err != nil {
		t.Error(err)
	}
	if info, err := dir.Lstat("other"); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
