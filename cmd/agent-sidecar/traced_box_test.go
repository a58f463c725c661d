//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

var tracedBoxed = flag.Int("traced.boxed", 25, "random scripts to run in the sandbox")

// hiddenInBox begin the names of files that no command can open at level namespaces,
// and keptInBox are files that none can change.
var (
	hiddenInBox = []string{"home/.ssh/", "home/.aws/", "home/.agent-sidecar/"}
	keptInBox   = []string{
		"work/.env", "work/.env.local", "work/key.pem", "work/id_rsa", "work/.ssh/id_ed25519", "work/.envrc", "work/.vscode/settings.json", "work/AGENTS.md", "work/Jenkinsfile", "work/.git/config",
		"outside/near.txt", "outside/.env", "outside/docs/x.txt", "outside/docs/near.txt", "outside/run.sh", "near.txt", "home/.bashrc", "home/near.txt", "home/.gitconfig", "home/.ssh/id_rsa",
	}
)

// TestTracedBoxed runs random scripts in the sandbox without judging them. Whatever
// they say, what is hidden is in nothing that they write, and what is protected, or
// lies outside, is afterwards as it was.
func TestTracedBoxed(t *testing.T) {
	w := &traced{root: boxedRoot(t)}
	w.work, w.temp = filepath.Join(w.root, "work"), filepath.Join(w.root, "temp")
	for _, dir := range []string{w.work, w.temp, filepath.Join(w.root, "home", ".agent-sidecar")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.repository = templateRepository(t, w.root)
	bash := w.boxed(t)
	seed, more := *tracedSeed, func(done int) bool { return done < *tracedBoxed }
	if *tracedFor > 0 {
		seed = rand.Uint64()
		end := time.Now().Add(*tracedFor / 2)
		more = func(int) bool { return time.Now().Before(end) }
	}
	done := 0
	for ; more(done) && !t.Failed(); done++ {
		script := newScribe(seed+uint64(done), w.root).boxed()
		w.changed = filepath.Join(w.work, ".git")
		w.lay(t)
		before := w.kept(t)
		if what := w.leaks(t, runBoxed(t, bash, script)); what != "" {
			t.Errorf("in the sandbox it showed %s:\n\t%s\nfound with -traced.seed %d -traced.boxed 1", what, w.quoted(script), seed+uint64(done))
		}
		for file, text := range w.kept(t) {
			if text != before[file] {
				t.Errorf("in the sandbox it changed %s:\n\t%s\nfound with -traced.seed %d -traced.boxed 1", file, w.quoted(script), seed+uint64(done))
			}
		}
	}
	t.Logf("%d random scripts in the sandbox from seed %d", done, seed)
}

// boxedRoot is a directory that is not below /tmp, of which commands have another.
func boxedRoot(t *testing.T) string {
	t.Helper()
	parent, err := filepath.Abs("testdata")
	if err == nil {
		parent, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(parent, "/tmp/") || strings.HasPrefix(parent, "/var/tmp/") {
		t.Skip("not run: commands in the sandbox do not see this checkout, which lies in /tmp")
	}
	root, err := os.MkdirTemp(parent, "boxed-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	// Should the sandbox fail, then ".." does not lead far.
	return filepath.Join(root, "1", "2", "3", "4")
}

// boxed is the bash tool of a program whose commands run at level namespaces.
func (w *traced) boxed(t *testing.T) tool.Tool {
	t.Helper()
	home := filepath.Join(w.root, "home")
	t.Setenv("HOME", home)
	prober := sandbox.NewProber("")
	if level := prober.Report(sandbox.Settings{}).Level; level != "namespaces" {
		t.Skipf("not run: the sandbox is at level %s here", level)
	}
	vault, err := workspace.Open([]workspace.Folder{{Path: w.work}}, workspace.Options{
		Home: filepath.Join(home, ".agent-sidecar"), UserHome: home, Prober: prober,
		Sandbox:   func() sandbox.Settings { return sandbox.Settings{Mode: "required"} },
		Protected: workspace.ProtectedNames{Protected: control.IsProtected, MerelySecret: control.MerelySecret, Closed: control.IsClosed, MayHoldKey: control.MayHoldKey},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vault.Close(); err != nil {
			t.Error(err)
		}
	})
	all := vault.Tools(workspace.Owner{Session: "session"})
	return all[slices.IndexFunc(all, func(tl tool.Tool) bool { return tl.Spec().Name == "bash" })]
}

// runBoxed is everything that a script wrote to its output.
func runBoxed(t *testing.T, bash tool.Tool, script string) string {
	t.Helper()
	input, err := json.Marshal(map[string]any{"command": script, "timeoutMs": 3000})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := bash.Plan(input)
	if err != nil {
		return "" // such as a script that is empty
	}
	sink := &outputtest.Kept{}
	r, err := outputtest.Allowed(t.Context(), plan, sink)
	if err != nil {
		t.Fatalf("%q: %v", script, err)
	}
	out := r.Text + strings.Join(sink.Live, "")
	for _, f := range sink.Files {
		out += f.Text.String()
	}
	return out
}

// leaks is the hidden file whose text stands in an output or in a file of the
// workspace, "" for none.
func (w *traced) leaks(t *testing.T, output string) string {
	t.Helper()
	texts := [][]byte{[]byte(output)}
	err := filepath.WalkDir(w.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Base(filepath.Dir(path)) == "objects" {
			return nil // what a script has closed is opened by nobody else either
		}
		text, err := os.ReadFile(path)
		if err == nil {
			texts = append(texts, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range hiddenInBox {
		for _, text := range texts {
			if bytes.Contains(text, []byte("KEY="+hidden)) {
				return hidden
			}
		}
	}
	return ""
}

// kept are the texts of the files that no command changes.
func (w *traced) kept(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range keptInBox {
		text, err := os.ReadFile(filepath.Join(w.root, f))
		if err != nil {
			text = []byte(err.Error())
		}
		all[f] = string(text)
	}
	return all
}
