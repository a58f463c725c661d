//go:build linux

package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Each is a way to what is closed that takes several commands: what one of them leaves
// must not open anything to the next.
func TestBypassClosedFilesInSeveralSteps(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		for name, row := range map[string]struct {
			first, then string // commands; the second one would show what is closed
			at          string // where the file is then, and still closed
		}{
			"a renamed directory":                        {"mv conf other", "cat other/.env", "other/.env"},
			"a directory moved into another":             {"mkdir x && mv conf x/", "cat x/conf/.env", "x/conf/.env"},
			"a directory in the same command":            {"mv conf other; cat other/.env; mv other conf", "cat conf/.env", "conf/.env"},
			"a directory renamed to where nobody looks":  {"mv conf vendor", "cat vendor/.env", "conf/.env"},
			"a directory moved to where nobody looks":    {"mkdir -p node_modules && mv conf node_modules/", "cat node_modules/conf/.env", "conf/.env"},
			"a directory further up":                     {"mkdir -p venv && mv deep venv/", "cat venv/deep/er/.env", "deep/er/.env"},
			"a link where the directory was":             {"mv conf vendor && ln -s vendor conf", "cat vendor/.env conf/.env", ".agent-output/undone/1-.env"},
			"a link further up":                          {"mkdir vendor && mv deep vendor/ && ln -s vendor/deep deep", "cat vendor/deep/er/.env", ".agent-output/undone/1-.env"},
			"another directory of that name":             {"mv conf vendor && mkdir conf && echo A=1 > conf/.env", "cat vendor/.env", ".agent-output/undone/1-.env"},
			"a directory whose name says what is in it":  {"mv .docker docker", "cat docker/config.json", ".docker/config.json"},
			"a directory that nobody may enter":          {"chmod 0 conf", "chmod 755 conf; cat conf/.env", "conf/.env"},
			"a directory whose names nobody may list":    {"chmod 300 conf", "cat conf/.env", "conf/.env"},
			"a directory below one that nobody may list": {"chmod 0 deep", "chmod 755 deep; cat deep/er/.env", "deep/er/.env"},
			"into .git":                        {"mv conf .git/", "cat .git/conf/.env", "conf/.env"},
			"into the artifacts":               {"mkdir -p .agent-output/0001 && mv conf .agent-output/0001/", "cat .agent-output/0001/conf/.env", "conf/.env"},
			"capital letters":                  {"true", "cat conf/.ENV", "conf/.env"},
			"a name of bytes that are no text": {"mkdir -p $'\\xff' && mv conf $'\\xff/'", "cat $'\\xff'/conf/.env", "\xff/conf/.env"},
			"an empty one in its place":        {"mv conf vendor && mkdir conf && : > conf/.env", "cat vendor/.env", "conf/.env"},
			"a long way down":                  {"mkdir -p a/b/c/d/e/f/g/h/i/j && mv conf a/b/c/d/e/f/g/h/i/j/", "cat a/b/c/d/e/f/g/h/i/j/conf/.env", "a/b/c/d/e/f/g/h/i/j/conf/.env"},
		} {
			if !w.tried(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				if os.Geteuid() == 0 && strings.Contains(row.first, "chmod") {
					t.Skip("not run: root may look into every directory")
				}
				text := closedText + "\n"
				w.put(t, map[string]string{"conf/.env": text, "conf/.ENV": text, "deep/er/.env": text, ".docker/config.json": text})
				defer runBoundless(t, w, "chmod -R u+rwx .; rm -rf conf other x vendor node_modules venv deep docker .docker .git/conf a ? .agent-output")
				for _, command := range []string{row.first, row.then} {
					if r := bashRun(t, newBash(w.v, "0001"), command); strings.Contains(r.Text, closedText) {
						t.Errorf("%s: %s", command, r.Text)
					}
				}
				for _, dir := range []string{"conf", "deep"} { // where a row has closed them
					_ = os.Chmod(filepath.Join(w.vault, dir), 0o755)
				}
				if !w.bubblewrap {
					w.keeps(t, row.at, text)
					return
				}
				for _, at := range []string{"conf/.env", "conf/.ENV", "deep/er/.env", ".docker/config.json"} { // nothing around them was moved
					w.keeps(t, at, text)
				}
			})
		}
	})
}

// A command that goes on has moved what is closed: for the next one it is closed all the same.
func TestBypassClosedFilesBesideAJob(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{"conf/.env": closedText})
		sh := newBash(w.v, "0001")
		if err := syscall.Mkfifo(w.vault+"/moved", 0o600); err != nil {
			t.Fatal(err)
		}
		plan := bashPlan(t, sh, map[string]any{"command": "mv conf vendor; echo moved > moved; exec sleep 1000", "background": true, "needs": []string{"direct"}, "reason": "it moves"})
		if r, err := outputtest.Allowed(t.Context(), plan, &outputtest.Kept{}); err != nil || r.Failed {
			t.Fatalf("%+v %v", r, err)
		}
		// It waits until that has happened, and may have begun before: then it has brought the file back.
		if text, _ := w.run(t, "cat moved"); !strings.HasPrefix(text, "moved\n") {
			t.Fatal(text)
		}
		if text, failed := w.run(t, "cat vendor/.env conf/.env"); !failed || strings.Contains(text, closedText) {
			t.Error(text)
		}
		w.v.EndJobs("0001")
		w.keeps(t, "conf/.env", closedText)
	})
}

// With bubblewrap nothing can move a closed file between the look and the mount that covers
// it: no directory around it can be renamed, removed or exchanged by a command.
func TestBypassDirectoriesAroundClosedFiles(t *testing.T) {
	l, ok := workingLevels(t)["bubblewrap"]
	if !ok {
		t.Skip("not run: bubblewrap does not work here")
	}
	w := newWorld(t, l, sandbox.Settings{})
	w.put(t, map[string]string{"conf/.env": closedText, "deep/er/.env": closedText, "deep/free/a": "", "deep/.aws/config": closedText})
	for _, command := range []string{"mv conf x", "mv deep x", "mv deep/er x", "mv deep/er deep/x", "mkdir x && mv -T --exchange conf x", "rm -rf deep/er", "mv deep/.aws x", "rmdir conf"} {
		if text, failed := w.run(t, command); !failed || strings.Contains(text, "busy") && !strings.Contains(text, "(commands cannot move") {
			t.Errorf("%s: %s", command, text)
		}
		w.keeps(t, "conf/.env", closedText)
		w.keeps(t, "deep/er/.env", closedText)
		w.keeps(t, "deep/.aws/config", closedText)
		w.run(t, "rm -rf x")
	}
	if text, failed := w.run(t, "mv deep/free free && touch deep/er/b deep/c && rm deep/c && mkdir deep/er/d && mv deep/er/b deep/er/d"); failed {
		t.Error("what is around can be changed as ever:", text)
	}
}

// A job may move a closed file between the look and the mount that covers it: then the
// command does not begin, and it is looked for again.
func TestBypassClosedFileMovedBeforeItIsCovered(t *testing.T) {
	l, ok := workingLevels(t)["namespaces"]
	if !ok {
		t.Skip("not run: there are no namespaces here")
	}
	for name, moves := range map[string]func(w *world){
		"moved": func(w *world) { os.Rename(w.vault+"/conf", w.vault+"/vendor") },
		"another in its place": func(w *world) {
			os.Rename(w.vault+"/conf", w.vault+"/vendor")
			put(t, w.vault+"/conf/.env", "")
		},
		"the file alone": func(w *world) { os.Rename(w.vault+"/conf/.env", w.vault+"/plain.txt") },
	} {
		w := newWorld(t, l, sandbox.Settings{})
		w.put(t, map[string]string{"conf/.env": closedText})
		b, err := w.v.open(sandbox.Policy{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		moves(w)
		var out bytes.Buffer
		_, _, err = sandbox.Execute(t.Context(), proc.Command{Args: []string{"/bin/sh", "-c", "cat vendor/.env plain.txt"}, Dir: w.vault, Confine: b.is}, &out)
		if err == nil || !sandbox.NeverBegan(err) || out.Len() > 0 {
			t.Errorf("%s: %v %s", name, err, out.String())
		}
		b.snapshot.LetGo()
	}
}

// Another name of a closed file is closed, wherever it is, and so is what a link with a
// sensitive name leads to.
func TestBypassClosedFilesByOtherNames(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{".env": closedText, ".aws/credentials": closedText, "tls/a.key": "PRIVATE KEY\n" + closedText, "conf/prod.txt": closedText, "set/x": closedText, "node_modules/a/b.js": "", ".git/objects/aa/b": ""})
		links := map[string]string{"notes.txt": ".env", "node_modules/a/c.js": ".env", ".git/objects/aa/c": ".env", "main.py": ".aws/credentials", "doc/x.md": "tls/a.key"}
		for name, of := range links {
			os.MkdirAll(filepath.Dir(filepath.Join(w.vault, name)), 0o755)
			if err := os.Link(filepath.Join(w.vault, of), filepath.Join(w.vault, name)); err != nil {
				t.Fatal(err)
			}
		}
		for name, to := range map[string]string{".env.prod": "conf/prod.txt", ".secrets": "set", "x.pem": "conf/prod.txt", ".env.up": ".", ".env.out": w.outside} {
			if err := os.Symlink(to, filepath.Join(w.vault, name)); err != nil {
				t.Fatal(err)
			}
		}
		text, _ := w.run(t, "cat notes.txt node_modules/a/c.js .git/objects/aa/c main.py doc/x.md conf/prod.txt set/x .env.prod .secrets/x 2>&1; echo; ls main.go")
		if strings.Contains(text, closedText) || strings.Count(text, "Permission denied") != 9 || !strings.HasSuffix(text, "main.go\n") {
			t.Error(text)
		}
		// A name that comes while nothing else changes is found, too.
		if err := os.Link(filepath.Join(w.vault, ".env"), filepath.Join(w.vault, "set2.txt")); err != nil {
			t.Fatal(err)
		}
		if text, failed := w.run(t, "cat set2.txt"); !failed {
			t.Error(text)
		}
	})
}

// No number of files makes one of them readable: with too many no command runs.
func TestBypassClosedFilesByTheirNumber(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{"zz/.env": closedText})
		for i := range closedMost {
			w.put(t, map[string]string{fmt.Sprint("fixtures/.env.", i): ""})
		}
		text, failed := w.run(t, "cat zz/.env")
		if !failed || !strings.Contains(text, "this workspace has 1002 files") || !strings.Contains(text, `Most of them are in "fixtures".`) {
			t.Error(text)
		}
		if text := runBoundless(t, w, "echo runs"); text != "runs\n" {
			t.Errorf("outside the sandbox: %s", text)
		}
		if text, failed := w.run(t, "true"); !failed {
			t.Error(text)
		}
		if err := os.RemoveAll(filepath.Join(w.vault, "fixtures")); err != nil {
			t.Fatal(err)
		}
		if text, failed := w.run(t, "echo again"); failed {
			t.Error(text)
		}
	})
}

// Mounts, the root of another process and namespaces lead nowhere else.
func TestBypassClosedFilesByTheSystem(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{".env": closedText})
		copyProbe(t, w.vault+"/probe")
		for _, row := range []string{
			"probe umount $VAULT/.env", "probe unshare", "probe mount", "probe handle $VAULT/.env", "probe read /proc/self/root$VAULT/.env", "probe read /proc/1/root$VAULT/.env", "probe read /proc/$ME/root$VAULT/.env",
			"probe read /proc/$ME/cwd/../.env", "probe link $VAULT/.env $VAULT/hard", "probe truncate $VAULT/.env", "probe setns /proc/1/ns/mnt",
		} {
			if text, _ := w.run(t, probeCommand(row)); !strings.Contains(text, "kept out") || strings.Contains(text, closedText) {
				t.Errorf("%s: %s", row, text)
			}
		}
		w.keeps(t, ".env", closedText)
	})
}

// A key store and a key that a file gets later are closed to the next command.
func TestBypassClosedKeys(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{"a.pem": "-----BEGIN CERTIFICATE-----\n", "b.p12": closedText})
		if text, failed := w.run(t, "cat a.pem"); failed {
			t.Error(text)
		}
		w.put(t, map[string]string{"a.pem": "-----BEGIN PRIVATE KEY\n----"}) // as long as before
		for _, file := range []string{"a.pem", "b.p12"} {
			if text, failed := w.run(t, "cat "+file); !failed {
				t.Errorf("%s: %s", file, text)
			}
		}
	})
}

// A command sees the artifacts of its own session and not those of others, nor what was
// taken away from other commands; git ignores the directory as before.
func TestArtifactsOfOtherSessionsAreHidden(t *testing.T) {
	closingWorlds(t, func(t *testing.T, w *world) {
		w.put(t, map[string]string{".agent-output/.gitignore": "*", ".agent-output/0001/a.txt": "own\n", ".agent-output/0002/b.txt": closedText, ".agent-output/undone/1-hook": closedText})
		text, _ := w.run(t, "ls -A .agent-output; cat .agent-output/.gitignore; echo; cat .agent-output/0001/a.txt; echo more > .agent-output/0001/new; cat .agent-output/0002/b.txt .agent-output/undone/1-hook 2>/dev/null; (echo x > .agent-output/0002/x) 2>/dev/null || mkdir .agent-output/mine 2>/dev/null || echo refused")
		if text != ".gitignore\n0001\n*\nown\nrefused\n" {
			t.Errorf("%q", text)
		}
		w.keeps(t, ".agent-output/0001/new", "more\n")
		// The command of a sub-agent belongs to the session that it works for.
		plan := bashPlan(t, newBash(w.v, "0003.1"), map[string]any{"command": "cat .agent-output/0001/a.txt"})
		if r, err := plan.Run(t.Context(), tool.Grant{Origin: tool.Origin{Root: "0001"}}, &outputtest.Kept{}); err != nil || r.Text != "own\n" {
			t.Errorf("of a sub-agent: %+v %v", r, err)
		}
		if r := bashRun(t, newBash(w.v, "0003"), "cat .agent-output/0001/a.txt .agent-output/.gitignore"); !r.Failed || strings.Contains(r.Text, "own") || !strings.Contains(r.Text, "*") {
			t.Errorf("of another session: %+v", r)
		}
	})
}

// A level that cannot close files says so.
func TestLevelsThatCloseNothingSaySo(t *testing.T) {
	for name, l := range levelsHere(t) {
		says := strings.Contains(strings.Join(sandbox.At(l).Report(sandbox.Settings{}).Missing, ", "), "sensitive files of the workspace")
		if says == l.Closes() {
			t.Errorf("%s: missing says %v", name, says)
		}
	}
}
