package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// until is the work of a job that goes on until it is stopped, deaf for a while.
func until(deaf time.Duration) func(context.Context) End {
	return func(ctx context.Context) End {
		<-ctx.Done()
		<-time.After(deaf)
		return End{How: context.Cause(ctx).Error()}
	}
}

func begin(t *testing.T, table *Table, session, call string, run func(context.Context) End) *Job {
	t.Helper()
	j, err := table.Start(session, call, "sleep", output.New(&outputtest.Kept{}), run)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func over() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAtMostSixteenRunInASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		var all []*Job
		for range Most {
			all = append(all, begin(t, table, "1", "", until(0)))
		}
		_, err := table.Start("1", "", "one more", output.New(&outputtest.Kept{}), until(0))
		if err == nil || !strings.Contains(err.Error(), "16 background jobs") || !strings.Contains(err.Error(), all[Most-1].ID+" (sleep)") {
			t.Fatalf("the 17th: %v", err)
		}
		begin(t, table, "2", "", until(0)) // another session has its own
		all[3].Stop(ErrKilled)
		<-all[3].Done()
		begin(t, table, "1", "", until(0))
		if _, err := table.Start("1", "", "one more", output.New(&outputtest.Kept{}), until(0)); err == nil {
			t.Error("17 run")
		}
		seen := map[string]bool{}
		for _, j := range all {
			if seen[j.ID] {
				t.Errorf("%s was given twice", j.ID)
			}
			seen[j.ID] = true
		}
	})
}

func TestWhatHasEndedCanBeReadForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		alive := begin(t, table, "1", "", until(0))
		var all []*Job
		for n := range kept + 1 {
			out := output.New(&outputtest.Kept{})
			j, err := table.Start("1", "", "echo", out, func(context.Context) End {
				fmt.Fprintln(out, n)
				out.Finish("")
				return End{How: "ended"}
			})
			if err != nil {
				t.Fatal(err)
			}
			<-j.Done()
			all = append(all, j)
		}
		begin(t, table, "1", "", until(0))
		for i, j := range all {
			found, err := table.Find("1", j.ID)
			if gone := i == 0; gone != (err != nil) {
				t.Errorf("job %d: %v", i, err)
			}
			if err == nil && found.Read(over(), nil, 100).Text != fmt.Sprintln(i) {
				t.Errorf("job %d has another output", i)
			}
		}
		if _, err := table.Find("1", alive.ID); err != nil {
			t.Error(err)
		}
	})
}

// The jobs of another session are as if they were not, and say nothing of
// themselves.
func TestJobsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		j := begin(t, table, "0001.1", "c1", until(0))
		for _, session := range []string{"", "0001", "0001.2", "0001.1 "} {
			if _, err := table.Find(session, j.ID); err == nil || !strings.Contains(err.Error(), "it has: none") {
				t.Errorf("%q: %v", session, err)
			}
			if table.StopCall(session, "c1") {
				t.Errorf("%q stopped it", session)
			}
			table.EndSession(session)
		}
		synctest.Wait()
		if _, ended := j.Ended(); ended {
			t.Error("it was stopped for another session")
		}
	})
}

func TestEndOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		var mine []*Job
		for range 5 {
			mine = append(mine, begin(t, table, "1", "", until(time.Second)))
		}
		other := begin(t, table, "2", "", until(time.Second))
		third := begin(t, table, "3", "", until(time.Second))
		begun := time.Now()
		table.EndSession("1")
		if took := time.Since(begun); took != time.Second { // all at once, and waited for
			t.Errorf("took %v", took)
		}
		for _, j := range mine {
			if end, ended := j.Ended(); !ended || end.How != "was stopped with its session" {
				t.Errorf("%+v %v", end, ended)
			}
			if _, err := table.Find("1", j.ID); err == nil {
				t.Error("it is still known")
			}
		}
		if _, ended := other.Ended(); ended {
			t.Error("one of another session has ended")
		}
		begun = time.Now()
		table.Close()
		if took := time.Since(begun); took != time.Second { // these too at once
			t.Errorf("the end of all took %v", took)
		}
		for _, j := range []*Job{other, third} {
			if _, ended := j.Ended(); !ended {
				t.Error("one has outlived the table")
			}
		}
		if _, err := table.Start("2", "", "", output.New(&outputtest.Kept{}), until(0)); err == nil {
			t.Error("one was started after the end")
		}
	})
}

// An end is told once, unless whoever started it has seen it, or stopped it.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		a, b, c := begin(t, table, "1", "ca", until(0)), begin(t, table, "1", "cb", until(0)), begin(t, table, "1", "cc", until(0))
		if news := table.News("1"); len(news) != 0 {
			t.Fatal(news)
		}
		a.Stop(ErrKilled)
		if !table.StopCall("1", "cb") || table.StopCall("1", "no") {
			t.Error("only the job of that call is stopped")
		}
		synctest.Wait()
		if table.StopCall("1", "cb") {
			t.Error("what has ended was stopped")
		}
		a.Know()
		if news := table.News("1"); len(news) != 1 || news[0] != b {
			t.Errorf("%v", news)
		}
		if end, _ := b.Ended(); end.How != "was stopped by the user" {
			t.Error(end.How)
		}
		if news := table.News("1"); len(news) != 0 {
			t.Error("told twice")
		}
		if _, ended := c.Ended(); ended {
			t.Error("another call's job was stopped")
		}
	})
}

func TestReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		out := output.New(&outputtest.Kept{})
		j, err := table.Start("1", "", "make", out, func(ctx context.Context) End {
			for _, piece := range []string{"one\n", "tw", "o\n"} {
				<-time.After(time.Minute)
				fmt.Fprint(out, piece)
			}
			<-time.After(time.Minute)
			out.Finish("")
			return End{How: "ended"}
		})
		if err != nil {
			t.Fatal(err)
		}
		read := func(wait time.Duration, offset *int64) (Reading, time.Duration) {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			r := j.Read(ctx, offset, 100)
			return r, time.Since(begun).Round(time.Second)
		}
		zero := int64(0)
		for i, row := range []struct {
			wait, took time.Duration
			offset     *int64
			text, line string
			next       int64
			fresh      bool
		}{
			{0, 0, nil, "", "", 0, false},
			{59 * time.Second, 59 * time.Second, nil, "", "", 0, false},
			{time.Hour, time.Second, nil, "one\n", "", 4, true},
			{time.Hour, 0, &zero, "one\n", "", 4, true}, // what was read before is no reason to wait
			{time.Hour, time.Minute, nil, "", "tw", 4, true},
			{time.Second, time.Second, nil, "", "tw", 4, false}, // the same unfinished line is nothing new
			{time.Hour, 59 * time.Second, nil, "two\n", "", 8, true},
			{time.Hour, time.Minute, nil, "", "", 8, false}, // the end
			{time.Hour, 0, nil, "", "", 8, false},
		} {
			r, took := read(row.wait, row.offset)
			if r.Text != row.text || r.Line != row.line || r.Next != row.next || r.Fresh != row.fresh || took != row.took {
				t.Errorf("read %d: %+v after %v, want %+v", i, r, took, row)
			}
		}
		if _, ended := j.Ended(); !ended {
			t.Error("the end of the output came before that of the job")
		}
	})
}

// What comes in one breath is read at once.
func TestReadSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		out := output.New(&outputtest.Kept{})
		j, err := table.Start("1", "", "npm", out, func(ctx context.Context) End {
			for n := range 5 {
				<-time.After(20 * time.Millisecond)
				fmt.Fprintln(out, n)
			}
			return until(0)(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if r := j.Read(t.Context(), nil, 100); r.Text != "0\n1\n2\n3\n4\n" {
			t.Errorf("%q", r.Text)
		}
	})
}

// Who has read the last of a job learns how it ended, also where that takes a moment.
func TestTheEndComesWithTheLastOfTheOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		defer table.Close()
		out := output.New(&outputtest.Kept{})
		j, err := table.Start("1", "", "echo", out, func(context.Context) End {
			fmt.Fprint(out, "last")
			out.Finish("")
			<-time.After(time.Second)
			return End{How: "ended"}
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r := j.Read(t.Context(), nil, 100)
		if _, ended := j.Ended(); r.Text != "last" || !ended {
			t.Errorf("%+v, ended: %v", r, ended)
		}
	})
}

func TestWhateverHappensAJobEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &Table{}
		j := begin(t, table, "1", "", func(context.Context) End { panic(errors.New("oh")) })
		r := j.Read(t.Context(), nil, 100) // does not wait for ever
		if end, ended := j.Ended(); !ended || !strings.Contains(end.How, "internal error: oh") || r.Fresh {
			t.Errorf("%+v", end)
		}
		table.Close()
	})
}
