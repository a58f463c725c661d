package history

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// What follows from a log is the same with a fold of any beginning of it and without, and
// goes on the same.
func TestAFoldIsItsLog(t *testing.T) {
	for seed := range uint64(12) {
		events := story(seed, 60)
		for folded := 1 + int(seed)%4; folded <= len(events); folded += 4 {
			dir := written(t, events, folded)
			plain, got, by := replayed(t, dir)
			if by == 0 {
				t.Fatalf("seed %d: the fold of %d events was not taken", seed, folded)
			}
			if at := same(plain, got); at != "" {
				t.Fatalf("seed %d, %d events are folded: %s", seed, folded, at)
			}
			for _, e := range story(seed+100, 90)[60:] {
				if err := plain.Apply(e); err != nil {
					t.Fatal(err)
				}
				if err := got.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
			plain.results, got.results = resultIndex{}, resultIndex{}
			if at := same(plain, got); at != "" {
				t.Fatalf("seed %d, %d events are folded, and it goes on: %s", seed, folded, at)
			}
		}
	}
}

// The same of logs of several pieces, read ahead, with the fold in the middle of them.
func TestAFoldOfALongLog(t *testing.T) {
	for name, every := range map[string]int{"no summary": 1000, "a summary after each turn": 1, "a summary now and then": 17} {
		dir := long(t, 60, func(n int, seq int64) Body {
			if n%every != every-1 {
				return nil
			}
			return ContextCompacted{OK: true, Summary: "s", KeepFrom: seq - 8}
		})
		raw, err := os.ReadFile(filepath.Join(dir, LogFile))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(raw, newline)
		for _, folded := range []int{1, len(lines) / 5, len(lines) / 2, len(lines) - 1} {
			if err := os.WriteFile(filepath.Join(dir, LogFile), bytes.Join(lines[:folded], nil), 0o600); err != nil {
				t.Fatal(err)
			}
			l, live, err := Open(&durable.Disk{}, dir)
			if err != nil {
				t.Fatal(err)
			}
			keepNow(t, l, live)
			if err := os.WriteFile(filepath.Join(dir, LogFile), raw, 0o600); err != nil {
				t.Fatal(err)
			}
			l.Close()
			plain, got, by := replayed(t, dir)
			if at := same(plain, got); at != "" || by != l.Bytes() {
				t.Errorf("%s, %d lines are folded, %d bytes of %d believed: %s", name, folded, by, l.Bytes(), at)
			}
			if at := same(plain, mustReplay(t, dir)); at != "" {
				t.Errorf("%s, only looked at: %s", name, at)
			}
		}
	}
}

func mustReplay(t testing.TB, dir string) *Transcript {
	t.Helper()
	tr, err := Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A line that is taken back is in no fold.
func TestAFoldAndALineTakenBack(t *testing.T) {
	dir := t.TempDir()
	l, err := Create(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.every = 1
	live := NewTranscript()
	for _, e := range story(6, 30) {
		if err := l.Append(Event{Seq: e.Seq, Body: Changed{}}); err != nil {
			t.Fatal(err)
		}
		if err := l.Keep(live); err != nil || l.kept > 0 { // the transcript is not that of the log
			t.Fatal(l.kept, err)
		}
		if err := l.TakeBack(); err != nil {
			t.Fatal(err)
		}
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if err := live.Apply(e); err != nil {
			t.Fatal(err)
		}
		if err := l.Keep(live); err != nil || l.kept > 0 {
			t.Fatalf("a fold of %d bytes: %v", l.kept, err)
		}
	}
}

// A fold is written when the log has grown by so much, and by such a part of it; one that
// cannot be written is not tried again at each line; one that is too long is not written.
func TestWhenAFoldIsWritten(t *testing.T) {
	dir := t.TempDir()
	disk := &durable.Disk{}
	var wrote []int64
	l, err := Create(disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	disk.Fail(func(op durable.Op, path string) error {
		if op == durable.OpCreate && strings.Contains(path, foldFile) {
			wrote = append(wrote, l.end)
			return os.ErrPermission
		}
		return nil
	})
	const every = 64 << 10
	l.every = every
	live := NewTranscript()
	for seq := int64(1); l.end < 4<<20; seq++ {
		e := Event{Seq: seq, Time: time.UnixMilli(seq), Body: ToolReturned{CallID: "c", Status: "completed", Text: strings.Repeat("x", 20<<10)}}
		if seq%3 == 0 {
			e.Body = ContextCompacted{OK: true, Summary: "s", KeepFrom: seq}
		}
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if err := live.Apply(e); err != nil {
			t.Fatal(err)
		}
		was := len(wrote)
		if err := l.Keep(live); (err != nil) != (len(wrote) > was) {
			t.Fatal(err)
		}
	}
	for i, at := range wrote {
		since := at
		if i > 0 {
			since -= wrote[i-1]
		}
		if since < every || since < at/foldPart || since > max(every, at/foldPart)+every {
			t.Errorf("at %d, %d behind the one before", at, since)
		}
	}
	if len(wrote) < 30 {
		t.Errorf("%d folds of %d bytes", len(wrote), l.end)
	}
	disk.Fail(nil)
	live.Summary = strings.Repeat("too much ", int(l.end)/9/4)
	l.kept = 0
	if err := l.Keep(live); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.foldPath()); err == nil {
		t.Error("a fold that is a quarter of its log was written")
	}
	live.Summary = ""
	l.kept = 0
	if err := l.Keep(live); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.foldPath()); err != nil {
		t.Error(err)
	}
}

// Every field of a transcript is one of these, and each is in the fold, or read from the log
// with the rules, or follows from the others. A new one needs its place there.
func TestAFoldHasEveryField(t *testing.T) {
	var got []string
	for _, of := range []any{Transcript{}, Shown{}, CallsSoFar{}, Runs{}, Spent{}, OpenRun{}, Item{}, sending{}} {
		at := reflect.TypeOf(of)
		for i := range at.NumField() {
			if f := at.Field(i); !f.Anonymous && (at == reflect.TypeFor[Transcript]() || at == reflect.TypeFor[Item]() || !f.IsExported()) {
				got = append(got, at.Name()+"."+f.Name)
			}
		}
	}
	want := strings.Fields(`Transcript.Seq Transcript.Opened Transcript.Info Transcript.updated Transcript.SystemPrompt Transcript.AutoCompact
		Transcript.Tainted Transcript.Heard Transcript.Grants Transcript.Acks Transcript.Plan Transcript.Turns Transcript.Undos Transcript.Watched Transcript.Closed Transcript.replaying
		Shown.results Shown.held Shown.told CallsSoFar.requested CallsSoFar.lost Runs.lastBy Spent.since OpenRun.seq OpenRun.chosen
		Item.Seq Item.turn Item.Blocks Item.Answer Item.Result Item.Size Item.Prompt Item.Pruned Item.Cut Item.Data Item.synthetic Item.steering`)
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
