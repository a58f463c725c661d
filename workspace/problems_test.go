package workspace

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Documents that are no files of a disk have no problems here.
func TestProblemsOfNoFile(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "x"})
	for _, bad := range []string{"untitled:1", "", "file:", "git:/x", "file://host/%zz", fileuri.Of(r.root + "/a\x00b")} {
		r.v.SetProblems(bad, 1, []tool.Problem{{Line: 1, Message: "a"}})
		if r.v.Problems(bad) != nil {
			t.Errorf("%q is kept", bad)
		}
	}
}

// Which list is the answer to a change, and how long it is waited for.
func TestProblemWait(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "x", "b.go": "x", "c.txt": "x"})
	a, b := fileuri.Of(r.root+"/a.go"), fileuri.Of(r.root+"/b.go")
	path := func(name string) Path {
		p, _ := r.v.Path(name)
		return p
	}
	const waitTime = 3 * time.Second
	synctest.Test(t, func(t *testing.T) {
		v := r.v
		if v.watchProblems(path("a.go")) != nil {
			t.Error("waits although nothing was ever sent")
		}
		v.SetProblems(a, 0, nil)
		if v.watchProblems(path("c.txt")) != nil {
			t.Error("waits for a kind that nobody checks")
		}
		if v.watchProblems(path("b.go")) == nil {
			t.Error("does not wait for a kind that is checked")
		}
		v.DidOpen(a, 5, "x")
		// wait answers after a change of a.go; sent happens at the given times.
		wait := func(sent map[time.Duration]func()) (string, time.Duration) {
			w := v.watchProblems(path("a.go"))
			v.buffers.wrote(path("a.go"), "y", "h")
			for at, do := range sent {
				time.AfterFunc(at, do)
			}
			begin := time.Now()
			text := w.News(t.Context())
			return text, time.Since(begin)
		}
		say := func(uri string, version int32, message string) func() {
			return func() {
				v.SetProblems(uri, version, []tool.Problem{{Line: 1, Column: 1, Severity: "error", Message: message}})
			}
		}
		text, took := wait(map[time.Duration]func(){1 * time.Second: say(a, 5, "old"), 2 * time.Second: say(a, 6, "new"), 1500 * time.Millisecond: say(b, 9, "other")})
		if took != 2*time.Second || !strings.Contains(text, "new") || strings.Contains(text, "old") {
			t.Errorf("%v %q", took, text)
		}
		text, took = wait(map[time.Duration]func(){waitTime - 1: say(a, 0, "in time")})
		if took != waitTime-1 || !strings.Contains(text, "in time") {
			t.Errorf("%v %q", took, text)
		}
		text, took = wait(map[time.Duration]func(){waitTime + 1: say(a, 0, "too late")})
		if took != waitTime || text != "" {
			t.Errorf("%v %q", took, text)
		}
		<-time.After(time.Second)
		// Several files are waited for together.
		several := v.watchProblems(path("a.go"), path("b.go"), path("c.txt"))
		time.AfterFunc(time.Second, say(b, 0, "of b"))
		begin := time.Now()
		if text := several.News(t.Context()); time.Since(begin) != waitTime || !strings.Contains(text, "b.go:1:1 of b") {
			t.Errorf("%v %q", time.Since(begin), text)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		begin = time.Now()
		if text := v.watchProblems(path("a.go")).News(ctx); text != "" || time.Since(begin) != time.Second {
			t.Errorf("stopped: %v %q", time.Since(begin), text)
		}
	})
}
