//go:build linux

package workspace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// closedText stands in each file that no command may read.
const closedText = "KEY=not-for-commands"

// closingWorlds runs f in a world for each level at which files can be closed, all of them
// at the same time. It is the last thing that a test does.
func closingWorlds(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	ran, rows := false, rowsHere(t)
	for name, l := range levelsHere(t) {
		if !l.Closes() {
			continue
		}
		ran = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			w.tried = func(row string) bool { return rows.tried(name, row) }
			f(t, w)
		})
	}
	if !ran {
		t.Skip("not run: no level here closes files to commands")
	}
}

func (w *world) put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(w.vault, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// keeps says that a file of the workspace is there and has not changed.
func (w *world) keeps(t *testing.T, name, text string) {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(w.vault, name)); err != nil || string(data) != text {
		t.Errorf("%s: %q %v", name, data, err)
	}
}

// opening runs a command that may read the objects.
func (w *world) opening(t *testing.T, command string, opens ...string) tool.Result {
	t.Helper()
	plan := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": w.fill(command)})
	r, err := plan.Run(t.Context(), tool.Grant{Opens: opens}, &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A sensitive file cannot be opened, changed, renamed, removed or linked to, whatever
// program tries. Each row is also tried at a file that is not closed, or it would show
// nothing.
func TestClosedFiles(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		files := map[string]string{".env": closedText, "conf/.env.local": closedText, ".aws/credentials": closedText, "tls/server.pem": "-----BEGIN PRIVATE KEY-----\n" + closedText, "public/ca.pem": "-----BEGIN CERTIFICATE-----\nKEY\n"}
		w.put(t, files)
		tries := func(file string, commands ...string) string {
			var script strings.Builder
			for _, c := range commands {
				c = strings.ReplaceAll(c, "$F", file)
				script.WriteString("(" + c + ") 2>&1 && echo DID '" + strings.ReplaceAll(c, "'", "") + "' || echo REFUSED\n")
			}
			text, _ := w.run(t, script.String())
			return text
		}
		reads := []string{
			"cat $F", "cp $F copy", "head -c 100 $F", "grep -r KEY $F", "od -c $F", "cat < $F", "mapfile < $F", "dd if=$F", "tar -cf copy.tar $F", "base64 $F",
			"exec 3<$F && cat <&3", `cat "/proc/self/root$PWD/$F"`, "cat /proc/self/cwd/$F", "cd $(dirname $F) && cat ./$(basename $F)", `ln -sf "$PWD/$F" here && cat here`,
			"mkdir -p x && cat ./x/../$F", "ln $F hard && cat hard",
		}
		if _, failed := w.run(t, "python3 -c 1"); !failed {
			reads = append(reads, "python3 -c 'print(open(\"$F\").read())'")
		}
		writes := []string{
			"echo x >> $F", "echo x > $F", "exec 3<>$F", "mv $F moved", "rm -f $F", "chmod 644 $F", "truncate -s 0 $F", "cp main.go $F", "touch other && mv -f other $F", "umount $F", "chown $(id -u) $F && cat $F",
		}
		if text := tries("public/ca.pem", reads...); strings.Count(text, "DID") != len(reads) {
			t.Errorf("what is public is closed, or the tries show nothing: %s", text)
		}
		for _, file := range []string{".env", "conf/.env.local", ".aws/credentials", "tls/server.pem"} {
			all := append(slices.Clip(reads), writes...)
			if file != ".env" { // of the others a few will do
				all = []string{"cat $F", "ln $F hard && cat hard", "mv $F moved", "rm -f $F", "echo x >> $F"}
			}
			if text := tries(file, all...); strings.Count(text, "REFUSED") != len(all) || strings.Contains(text, closedText) {
				t.Errorf("%s: %s", file, text)
			}
			w.keeps(t, file, files[file])
		}
		text, _ := w.run(t, "cat .env; ls .aws; echo; cat conf/.env.local 2>&1 | wc -l; stat -c %s .env")
		if !strings.Contains(text, ".env: Permission denied") || !strings.Contains(text, "'.aws': Permission denied") {
			t.Errorf("it is not refused but absent or empty: %s", text)
		}
		text, failed := w.run(t, "tar -cf all.tar . 2>&1 | head -3; grep -rc not-for-commands all.tar")
		if !failed || !strings.Contains(text, "Permission denied") {
			t.Errorf("tar: %s", text)
		}
	})
}

// What is committed is never the file that was closed, nor an empty one in its place.
func TestClosedFilesAreNotCommitted(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		text := runBoundless(t, w, "rm -rf repo && mkdir repo && cd repo && git init -q . && echo A=1 > .env && echo a > a.txt && git add . && git -c user.name=a -c user.email=a@b commit -qm one")
		if strings.Contains(text, "not found") {
			t.Skip("not run: git is not installed")
		}
		w.put(t, map[string]string{"repo/.env": closedText, "repo/a.txt": "b\n"})
		_, failed := w.run(t, "cd repo && git add -A && git -c user.name=a -c user.email=a@b commit -qm two")
		if !failed {
			t.Error("git took a file that it cannot read")
		}
		text = runBoundless(t, w, "cd repo && git show HEAD:.env; git diff --cached --stat")
		if text != "A=1\n" {
			t.Errorf("committed: %s", text)
		}
		w.keeps(t, "repo/.env", closedText)
	})
}

// runBoundless runs a command without a sandbox.
func runBoundless(t *testing.T, w *world, command string) string {
	t.Helper()
	plan := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": command, "needs": []string{"unconfined"}, "reason": "it prepares"})
	r, err := outputtest.Allowed(t.Context(), plan, &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// What an answer opens can be read by that call, by all its names, and by no other call.
func TestOpenedFiles(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{".env": closedText, ".aws/credentials": closedText, ".aws/config": "config\n", "conf/prod.txt": closedText, "other/.env": closedText})
		if err := os.Symlink("conf/prod.txt", w.vault+"/.env.prod"); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(w.vault+"/.env", w.vault+"/notes.txt"); err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			command string
			opens   []string
			open    bool
		}{
			{"cat .env", []string{"vault:/.env"}, true},
			{"cat notes.txt", []string{"vault:/.env"}, true},
			{"cat other/.env", []string{"vault:/.env"}, false},
			{"cat .aws/credentials", []string{"vault:/.aws/credentials"}, true},
			{"cat .aws/config", []string{"vault:/.aws/credentials"}, false},
			{"cat .aws/config", []string{"vault:/.aws"}, true},
			{"cat conf/prod.txt", nil, false},
			{"cat .env.prod", []string{"vault:/.env.prod"}, true},
			{"cat .env", []string{"vault:/conf"}, false},
			{"cat .env", nil, false},
			{"cat notes.txt", nil, false},
		} {
			if r := w.opening(t, row.command, row.opens...); r.Failed == row.open {
				t.Errorf("%s with %v: %s", row.command, row.opens, r.Text)
			}
		}
	})
}

// reads names files of the workspace: each is a target, and is shown to who is asked.
func TestReadsOfBash(t *testing.T) {
	sh, dir := shellIn(t)
	for name, text := range map[string]string{".env": closedText, "sub/x": ""} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	os.Symlink(".env", filepath.Join(dir, "plain"))
	p := bashPlan(t, sh, map[string]any{"command": "make", "reads": []string{"plain"}, "reason": "it has the port"})
	preview, err := p.Preview(t.Context(), tool.Grant{})
	if err != nil || !strings.Contains(preview.Text, "reads: .env (through plain), because: it has the port\n") {
		t.Errorf("%q %v", preview.Text, err)
	}
	if raw, _ := json.Marshal(p.Targets); !strings.Contains(string(raw), `{"Domain":"read","Object":"vault:/.env"}`) || !strings.Contains(string(raw), `{"Domain":"read","Object":"vault:/plain"}`) {
		t.Errorf("%s", raw)
	}
	if len(p.Reads) != 1 || p.Reads[0] != "vault:/.env" {
		t.Error(p.Reads)
	}
	os.Remove(filepath.Join(dir, "plain"))
	os.Symlink("sub/x", filepath.Join(dir, "plain"))
	if r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{}); err != nil || !r.Failed || !strings.Contains(r.Text, "path changed since it was approved") {
		t.Errorf("another file is read: %+v %v", r, err)
	}
	for want, args := range map[string]map[string]any{
		"none does not exist":        {"reads": []string{"none"}},
		"sub is a directory":         {"reads": []string{"sub"}},
		"is not in the workspace":    {"reads": []string{"/etc/passwd"}},
		"names 21 files, at most 20": {"reads": strings.Split(strings.Repeat(".env ", 20)+".env", " ")},
		`"reason" is missing`:        {"reads": []string{".env"}, "reason": " "},
	} {
		args["command"] = "make"
		if args["reason"] == nil {
			args["reason"] = "it has the port"
		}
		raw, _ := json.Marshal(args)
		if _, err := sh.Plan(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// At a level that cannot close files nothing is looked for and nothing is promised.
func TestClosedFilesAtOtherLevels(t *testing.T) {
	for name, l := range map[string]sandbox.Level{"landlock": {Name: proc.Landlock}, "none": {Name: proc.None}} {
		if l.Closes() {
			t.Error(name)
		}
	}
}
