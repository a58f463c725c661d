//go:build linux

package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

var jobName = regexp.MustCompile(`running in the background as (job_[0-9a-f]{4}); next offset=`)

// startJob puts a command that does not end at once into the background.
func startJob(t *testing.T, v *Vault, session, command string, needs ...string) (id string) {
	t.Helper()
	r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(v, session), map[string]any{"command": command, "background": true, "needs": needs, "reason": "to test"}), &outputtest.Kept{})
	m := jobName.FindStringSubmatch(r.Text)
	if err != nil || r.Failed || m == nil {
		t.Fatalf("%s: %+v %v", command, r, err)
	}
	return m[1]
}

func vaultOf(t *testing.T) *Vault {
	t.Helper()
	v, err := Open([]Folder{{Path: t.TempDir()}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// A job is judged as every command is, and who is asked sees that it goes on.
func TestJobIsJudgedAsACommand(t *testing.T) {
	sh, _ := shellIn(t)
	plain := bashPlan(t, sh, map[string]any{"command": "npm run dev"})
	p := bashPlan(t, sh, map[string]any{"command": "npm run dev", "background": true})
	if fmt.Sprint(p.Targets) != fmt.Sprint(plain.Targets) || p.Command != plain.Command || p.Effect != plain.Effect || p.Dir != plain.Dir {
		t.Errorf("%+v, not %+v", p, plain)
	}
	if p.Digest == plain.Digest {
		t.Error("it is the same question as without the background")
	}
	preview, err := p.Preview(t.Context(), tool.Grant{})
	if err != nil || !strings.Contains(preview.Text, "runs in the background, until it ends, is stopped, or the session ends") || p.Title != "bash in the background: npm run dev" {
		t.Errorf("%q %q %v", p.Title, preview.Text, err)
	}
}

// What has ended before its call returned is no job, and its result is the command's.
func TestJobThatEndsAtOnce(t *testing.T) {
	v := vaultOf(t)
	p := bashPlan(t, newBash(v, "1"), map[string]any{"command": "echo no; exit 3", "background": true})
	for range 10 { // a machine may be too busy
		r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
		if jobName.MatchString(r.Text) {
			continue
		}
		if err != nil || !r.Failed || r.ExitCode == nil || *r.ExitCode != 3 || r.Text != "no\n(exit code 3)\n(it ended at once, so there is no background job)" {
			t.Errorf("%+v %v", r, err)
		}
		if news := v.JobNews("1"); len(news) > 0 {
			t.Errorf("%q", news)
		}
		return
	}
	t.Error("it never ended at once")
}

// A flood in the background costs what it costs in front: a head and a tail in memory,
// the rest in a file that is named while it grows.
func TestJobThatFloods(t *testing.T) {
	v := vaultOf(t)
	id := startJob(t, v, "1", "until [ -e go ]; do sleep 0.02; done; seq 1 300000; sleep 1000")
	read := newJobOutput(v, "1")
	if err := os.WriteFile(filepath.Join(v.Root(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := v.jobs.Find("1", id)
	if err != nil {
		t.Fatal(err)
	}
	const all = 1_988_895
	for p := job.Out.Since(all, 0); p.End < all; p = job.Out.Since(all, 0) {
		job.Out.Await(t.Context(), p.End, p.Line)
	}
	var got strings.Builder
	pieces := 0
	for {
		r := outputtest.Run(t, read, `{"id": "`+id+`"}`)
		if len(r.Text) > jobPage+500 || r.Failed {
			t.Fatalf("%d bytes: %.200s", len(r.Text), r.Text)
		}
		got.WriteString(r.Text)
		if pieces++; !strings.Contains(r.Text, "; bytes ") {
			break
		}
	}
	if text := got.String(); !strings.HasPrefix(text, "1\n2\n3\n") || !strings.Contains(text, "299999\n300000\n("+id+" is running; next offset=1988895)") ||
		!regexp.MustCompile(`\(bytes [1-4]\d{4}-19\d{5} are left out here: they are in /artifacts/a1.txt; use grep`).MatchString(text) || pieces > 5 { // two of what came first, three of what came last
		t.Errorf("%d pieces: %.300s … %s", pieces, text, text[len(text)-300:])
	}
	if r := outputtest.Run(t, newJobKill(v, "1"), `{"id": "`+id+`"}`); !strings.HasSuffix(r.Text, " was stopped.") {
		t.Error(r.Text)
	}
	if r := outputtest.Run(t, read, `{"id": "`+id+`"}`); r.Text != "("+id+" was stopped; 1988895 bytes in all, in /artifacts/a1.txt)" {
		t.Error(r.Text)
	}
}

// A cancel that comes before the model has heard of the job ends it.
func TestJobCancelledAtItsStart(t *testing.T) {
	v := vaultOf(t)
	because := errors.New("the user said so")
	long := fmt.Sprintf("97.%d", os.Getpid()) // no process of another run of the tests
	for busy := range 10 {                    // a machine may be too busy
		ctx, cancel := context.WithCancelCause(t.Context())
		sink := &trigger{act: func() { cancel(because) }}
		r, err := outputtest.Allowed(ctx, bashPlan(t, newBash(v, "1"), map[string]any{"command": "echo begun; trap '' TERM; sleep " + long + "; sleep " + long, "background": true}), sink)
		if m := jobName.FindStringSubmatch(r.Text); m != nil {
			outputtest.Run(t, newJobKill(v, "1"), `{"id": "`+m[1]+`"}`)
			continue
		}
		if !errors.Is(err, because) || !r.Failed || r.Text != "begun\ncommand was cancelled and stopped" {
			t.Errorf("%+v %v", r, err)
		}
		if pids := runOn(t, long); len(pids) > 0 {
			t.Errorf("%v run on", pids)
		}
		if r := outputtest.Run(t, newJobOutput(v, "1"), `{"id": "x"}`); !strings.Contains(r.Text, "it has: none") && busy == 0 {
			t.Error(r.Text)
		}
		return
	}
	t.Error("it never began at once")
}

// At every level a job has what commands have, for as long as it runs: the workspace,
// and the temporary directory that it shares with them.
func TestJobInItsSandbox(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			id := startJob(t, w.v, "1", w.fill(`until [ -e go ]; do sleep 0.02; done; cat $TMPDIR/asked && echo said > $TMPDIR/answer; echo out > $OUT/file; cat $USER/.ssh/id_rsa; touch done`), "direct")
			sh := newBash(w.v, "2")
			if r := bashRun(t, sh, "echo asked > $TMPDIR/asked; touch go; until [ -e done ]; do sleep 0.02; done; cat $TMPDIR/answer"); !strings.HasPrefix(r.Text, "said\n(While this ran, so did the command of call ") {
				t.Errorf("%+v", r)
			}
			r := outputtest.Run(t, newJobOutput(w.v, "1"), `{"id": "`+id+`", "waitMs": 60000, "offset": 0}`)
			if !strings.HasPrefix(r.Text, "asked\n") || strings.Contains(r.Text, sshKey) {
				t.Error(r.Text)
			}
			if text, err := os.ReadFile(w.outside + "/file"); string(text) != "outside\n" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
}

// Who lets go of the Vault ends what runs, and finds no temporary directory left.
func TestJobsEndWithTheVault(t *testing.T) {
	dir := t.TempDir()
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	long := fmt.Sprintf("98.%d", os.Getpid())        // no process of another run of the tests
	both := "sh -c 'echo up; sleep $1; :' x " + long // not exec: a process has no arguments for a moment there
	for range 3 {
		job, err := v.jobs.Find("1", startJob(t, v, "1", "trap '' TERM; setsid "+both+" & "+both))
		if err != nil {
			t.Fatal(err)
		}
		all := int64(len("up\nup\n"))
		for p := job.Out.Since(0, 0); p.End < all; p = job.Out.Since(0, 0) {
			job.Out.Await(t.Context(), p.End, p.Line)
		}
	}
	if pids := runOn(t, long); len(pids) < 6 {
		t.Fatalf("%v run", pids)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if pids := runOn(t, long); len(pids) > 0 {
		t.Errorf("%v run on", pids)
	}
}

func TestJobNews(t *testing.T) {
	v := vaultOf(t)
	id := startJob(t, v, "1", "until [ -e go ]; do sleep 0.02; done; echo twelve bytes; exit 7")
	if news := v.JobNews("1"); len(news) != 0 {
		t.Error(news)
	}
	if err := os.WriteFile(filepath.Join(v.Root(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := v.jobs.Find("1", id)
	if err != nil {
		t.Fatal(err)
	}
	<-job.Done()
	want := "The background job " + id + " (until [ -e go ]; do sleep 0.02; done; echo twelve bytes; exit 7) ended with exit code 7. job_output has 13 bytes of it that you have not read."
	if news := v.JobNews("1"); len(news) != 1 || news[0] != want {
		t.Errorf("%q", news)
	}
	r := outputtest.Run(t, newJobOutput(v, "1"), `{"id": "`+id+`"}`)
	if r.Text != "twelve bytes\n("+id+" ended with exit code 7; 13 bytes in all)" || r.ExitCode == nil || *r.ExitCode != 7 || r.Failed {
		t.Errorf("%+v", r)
	}
}
