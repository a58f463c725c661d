//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// runJob runs a command in the background to its end and gives what was printed and noted.
func (w *world) runJob(t *testing.T, command string, needs ...string) string {
	t.Helper()
	args := map[string]any{"command": w.fill(command), "background": true}
	if len(needs) > 0 {
		args["needs"], args["reason"] = needs, "to test"
	}
	r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(w.v, "0001"), args), &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return w.untilEnd(t, r.Text)
}

// untilEnd waits for the job that a result tells of, if it does, and adds what it printed.
func (w *world) untilEnd(t *testing.T, result string) string {
	t.Helper()
	m := jobName.FindStringSubmatch(result)
	if m == nil {
		return result
	}
	job, err := w.v.jobs.Find("0001", m[1])
	if err != nil {
		t.Fatal(err)
	}
	<-job.Done()
	return result + outputtest.Run(t, newJobOutput(w.v, "0001"), `{"id": "`+m[1]+`", "offset": 0}`).Text
}

// newJobWorld is a world whose repository ignores what is built.
func newJobWorld(t *testing.T, l sandbox.Level, s sandbox.Settings) *world {
	t.Helper()
	w := newWorld(t, l, s)
	for path, text := range map[string]string{
		".gitignore":                "dist/\nnode_modules/\n.next/\nmade/\n.vscode/\n*.cache/\ncopies/\nlater/\n/hidden/\n",
		"dist/app.js":               "old\n",
		"sub/deep/dist/app.js":      "old\n",
		"node_modules/.cache/x":     "old\n",
		".next/trace":               "old\n",
		"src/a.go":                  "package a\n",
		"dist/repo/.git/config":     "[core]\n",
		"dist/repo/.git/HEAD":       "ref: refs/heads/main\n",
		"dist/.vscode/tasks.json":   "{}",
		"bare.cache/HEAD":           "ref: refs/heads/main\n",
		"bare.cache/objects/x":      "",
		"bare.cache/refs/x":         "",
		"hidden/dist/secret.txt":    "",
		".agentignore":              "hidden/\n",
		".agent-output/.gitignore":  "*\n",
		"sub/deep/dist/more/app.js": "old\n",
	} {
		w.put(t, map[string]string{path: text})
	}
	return w
}

// A job sees the workspace as it is and changes of it only what git ignores and what was
// there when it began. With needs: "direct", and in front, the same command changes it.
func TestJobSeesTheWorkspaceReadOnly(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct {
				name, command string
				writes        bool
			}{
				{"a source", `echo new > src/a.go`, false},
				{"a new source", `echo new > src/b.go`, false},
				{"at the top", `echo new > b.go`, false},
				{"a source removed", `rm src/a.go`, false},
				{"a directory renamed", `mv src src2`, false},
				{"the rules of git", `echo src/ >> .gitignore`, false},
				{"a new directory that git ignores", `mkdir made && echo new > made/x`, false},
				{"a new directory deeper", `mkdir sub/deep/made`, false},
				{"git's own", `echo new > .git/index`, false},
				{"what the rules of tools hide", `echo new > hidden/dist/x`, false},
				{"build output", `echo new > dist/app.js`, true},
				{"new build output", `mkdir -p dist/js/more && echo new > dist/js/more/x && rm -r dist/js`, true},
				{"build output deeper", `echo new > sub/deep/dist/more/app.js`, true},
				{"a cache of a build tool", `echo new > node_modules/.cache/x && echo new > node_modules/y`, true},
				{"a cache whose name begins with a dot", `echo new > .next/trace`, true},
				{"its own /tmp", `echo new > "${TMPDIR:-/tmp}/x"`, true},
				{"its own caches", `mkdir -p "$XDG_CACHE_HOME/x" && echo new > "$XDG_CACHE_HOME/x/y"`, true},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				w := newJobWorld(t, l, sandbox.Settings{})
				text := w.runJob(t, "echo tried; ("+row.command+") && echo got in || { echo kept out; exit 1; }")
				if !strings.Contains(text, "tried") || strings.Contains(text, "got in") != row.writes || strings.Contains(text, "kept out") == row.writes {
					t.Errorf("%s: %s", row.name, text)
				}
				asks := `needs: "direct" and a reason`
				if row.name == "git's own" && l.Name == proc.Namespaces {
					asks = `needs: "git" and a reason`
				}
				if hint := strings.Contains(text, asks); hint == row.writes {
					t.Errorf("%s: told how to ask: %v: %s", row.name, hint, text)
				}
				if row.name == "what the rules of tools hide" || row.name == "git's own" {
					continue // git's is nobody's business here
				}
				if text = w.runJob(t, row.command+" && echo got in", "direct"); !strings.Contains(text, "got in") {
					t.Errorf("%s, direct: %s", row.name, text)
				}
			}
		})
	}
}

// A job sees what other calls change while it runs.
func TestJobSeesChanges(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			w := newJobWorld(t, l, sandbox.Settings{})
			id := startJob(t, w.v, "0001", "until [ -e src/new.go ]; do sleep 0.02; done; cat src/new.go src/a.go > dist/seen")
			w.run(t, "echo changed > src/a.go.new && mv src/a.go.new src/a.go; echo new > src/new.tmp && mv src/new.tmp src/new.go")
			job, err := w.v.jobs.Find("0001", id)
			if err != nil {
				t.Fatal(err)
			}
			<-job.Done()
			if seen, err := os.ReadFile(w.vault + "/dist/seen"); err != nil || string(seen) != "new\nchanged\n" {
				end, _ := job.Ended()
				t.Errorf("%q %v: %+v", seen, err, end)
			}
		})
	}
}

// Bypass: a job takes a way through a directory that it may write to, or makes another one
// of it, to what it may not change.
func TestBypassJobThroughItsOutputs(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct {
				name, command string
			}{
				{"a link of its own to the sources", `ln -s ../src dist/way && echo new > dist/way/a.go`},
				{"a link that was there", `echo new > dist/there/a.go`},
				{"a hard link to a source", `ln src/a.go dist/a.go && echo new > dist/a.go`},
				{"a hard link that was there", `echo new > copies/a.go`},
				{"the name of a source that git keeps", `echo new > kept.cache/a.go`},
				{"a source moved in and back", `mv src dist/src && echo new > dist/src/a.go && mv dist/src src`},
				{"the directory renamed", `mv dist src/dist && echo new > src/dist/app.js`},
				{"the directory exchanged for a link", `mv dist later && ln -s src dist && echo new > dist/a.go`},
				{"through the parent", `cd dist && echo new > ../src/a.go`},
				{"through /proc", `cd dist && echo new > /proc/self/cwd/../src/a.go`},
				{"a mount over it", `mount --bind src dist && echo new > dist/a.go`},
				{"a mount made writable", `mount -o remount,rw,bind . . && echo new > src/a.go`},
				{"a repository of that shape", `echo new > bare.cache/config`},
				{"the editor's folder, which git ignores", `echo new > .vscode/tasks.json`},
				{"the editor's folder in it", `echo new > dist/.vscode/tasks.json`},
				{"a repository in it", `echo new > dist/repo/.git/config`},
				{"hooks of a repository in it", `mkdir -p dist/repo/.git/hooks && echo new > dist/repo/.git/hooks/pre-push`},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				w := newJobWorld(t, l, sandbox.Settings{})
				w.put(t, map[string]string{"kept.cache/a.go": "package a\n"})
				w.put(t, map[string]string{".git/index": indexOf("kept.cache/a.go")})
				w.put(t, map[string]string{"copies/x": ""})
				if err := os.Symlink("../src", w.vault+"/dist/there"); err != nil {
					t.Fatal(err)
				}
				if row.name == "a hard link that was there" {
					if err := os.Link(w.vault+"/src/a.go", w.vault+"/copies/a.go"); err != nil {
						t.Fatal(err)
					}
				}
				before := w.sources(t)
				text := w.runJob(t, "echo tried; "+row.command)
				if after := w.sources(t); after != before || !strings.Contains(text, "tried") {
					t.Errorf("%s: %s\n%s", row.name, text, differing(before, after))
				}
			}
		})
	}
}

// sources are all files of the Vault that no job may change.
func (w *world) sources(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"src", "kept.cache", ".vscode", "dist/.vscode", "dist/repo/.git", "bare.cache", ".git/hooks", ".git/config", "sub/deep/made"} {
		err := filepath.WalkDir(filepath.Join(w.vault, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			text, _ := os.ReadFile(path)
			b.WriteString(path + " " + string(text) + "\n")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// indexOf is an index of git with one file.
func indexOf(name string) string {
	entry := make([]byte, 60, 62+len(name)+8)
	entry[26], entry[27] = 0x81, 0xa4
	entry = append(entry, 0, byte(len(name)))
	entry = append(entry, name...)
	for n := 8 - len(entry)%8; n > 0; n-- {
		entry = append(entry, 0)
	}
	return "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + string(entry) + strings.Repeat("\x00", 20)
}

// What a job may write to costs nothing on the disk but a few questions for each
// directory that is found, and a job of an agent that is held to a folder gets no more
// than what is in it.
func TestJobOutputs(t *testing.T) {
	l := sandbox.Level{Name: proc.Landlock}
	w := newJobWorld(t, l, sandbox.Settings{})
	w.put(t, map[string]string{"kept.cache/a.go": "package a\n"})
	w.put(t, map[string]string{".git/index": indexOf("kept.cache/a.go")})
	files := w.v.watchFiles(callOf(nil))
	defer files.over()
	dirs := w.v.outputs(files)
	for i, d := range dirs {
		dirs[i], _ = filepath.Rel(w.vault, d)
	}
	if got := strings.Join(dirs, " "); got != ".agent-output .next dist node_modules sub/deep/dist" {
		t.Error(got)
	}
	if got := w.v.outputs(nil); len(got) != 1 || filepath.Base(got[0]) != ".agent-output" {
		t.Errorf("followed by nobody: %v", got)
	}
}
