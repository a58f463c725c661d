package ledger

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// clock is a person's clock: somebody sets it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func at(t *testing.T, zone, when string) *clock {
	t.Helper()
	place, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	moment, err := time.ParseInLocation("2006-01-02 15:04", when, place)
	if err != nil {
		t.Fatal(err)
	}
	return &clock{moment}
}

func entry(tokens int64, cost float64) Entry {
	return Entry{Workspace: "w", Session: "s", Provider: "p", Model: "m", Sum: Sum{Input: tokens, Output: 1, Cost: cost}}
}

func mustAdd(t *testing.T, l *Ledger, e Entry) {
	t.Helper()
	if err := l.Add(e); err != nil {
		t.Fatal(err)
	}
}

func spent(t *testing.T, l *Ledger, day string) Sum {
	t.Helper()
	sum, err := l.Spent(day)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// Two ledgers of one home are two processes: each knows what the other has spent.
func TestTwoProcessesShareADay(t *testing.T) {
	home, c := t.TempDir(), at(t, "UTC", "2026-11-27 10:00")
	a, b := Open(nil, home, c.now), Open(&durable.Disk{}, home, c.now)
	if got := spent(t, a, a.Today()); got != (Sum{}) {
		t.Errorf("an empty home has spent %+v", got)
	}
	var all sync.WaitGroup
	for _, l := range []*Ledger{a, b} {
		for range 4 {
			all.Go(func() {
				for range 100 {
					if err := l.Add(entry(10, 0.1)); err != nil {
						t.Error(err)
					}
					if _, err := l.Spent("2026-11-27"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, l := range []*Ledger{a, b, Open(nil, home, c.now)} {
		if got := spent(t, l, "2026-11-27"); got.Input != 8000 || got.Output != 800 || got.Cost != 80 {
			t.Errorf("got %+v", got)
		}
	}
}

// A line that a process died in is not counted, and takes no other with it.
func TestATornLine(t *testing.T) {
	home, c := t.TempDir(), at(t, "UTC", "2026-11-27 10:00")
	l := Open(nil, home, c.now)
	mustAdd(t, l, entry(10, 0))
	path := filepath.Join(home, Folder, "2026-11.jsonl")
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(line); cut++ { // all but the newline is a whole line too
		if err := os.WriteFile(path, append(line[:len(line):len(line)], line[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		l := Open(nil, home, c.now)
		if got := spent(t, l, "2026-11-27"); got.Input != 10 {
			t.Fatalf("cut after %d bytes: %+v", cut, got)
		}
		mustAdd(t, l, entry(5, 0))
		want := int64(15)
		if cut == len(line)-1 {
			want = 25
		}
		if got := spent(t, l, "2026-11-27"); got.Input != want {
			t.Fatalf("after a line torn at %d: %+v", cut, got)
		}
	}
}

// A process that is killed while it writes loses nothing that it has said is written.
func TestKilledWhileItWrites(t *testing.T) {
	if home := os.Getenv("LEDGER_HOME"); home != "" {
		l := Open(nil, home, time.Now)
		for n := 1; ; n++ {
			if err := l.Add(entry(1, 0)); err != nil {
				t.Fatal(err)
			}
			fmt.Println(n)
		}
	}
	home := t.TempDir()
	var said int64
	for range 3 {
		c := exec.Command(os.Args[0], "-test.run=^TestKilledWhileItWrites$")
		c.Env = append(os.Environ(), "LEDGER_HOME="+home)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var n int64
		for n < 200 {
			if _, err := fmt.Fscanln(out, &n); err != nil {
				t.Error(err)
				break
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		said += n
	}
	l := Open(nil, home, time.Now)
	var got int64
	broken, err := l.Each("2000-01-01", "2999-12-31", func(e Entry) { got += e.Input })
	if err != nil || broken > 3 || got < said {
		t.Errorf("%d of %d, %d broken lines, %v", got, said, broken, err)
	}
}

// The day is the person's: over midnight, through summer time, on a journey, and with a
// clock that is set back.
func TestDays(t *testing.T) {
	home := t.TempDir()
	for _, row := range []struct{ zone, when, day string }{
		{"Europe/Berlin", "2026-11-27 23:59", "2026-11-27"}, // 22:59 UTC
		{"Europe/Berlin", "2026-11-28 00:00", "2026-11-28"},
		{"Europe/Berlin", "2026-03-29 03:00", "2026-03-29"}, // the clock went from 2 to 3
		{"Europe/Berlin", "2026-10-25 02:30", "2026-10-25"}, // there is this minute twice
		{"Pacific/Auckland", "2026-11-28 08:00", "2026-11-28"},
		{"America/Los_Angeles", "2026-11-27 11:00", "2026-11-27"}, // the same moment
		{"UTC", "2019-01-01 00:00", "2019-01-01"},                 // set back
		{"UTC", "2026-12-31 23:59", "2026-12-31"},
	} {
		l := Open(nil, home, at(t, row.zone, row.when).now)
		if l.Today() != row.day {
			t.Errorf("%s %s is %s, want %s", row.zone, row.when, l.Today(), row.day)
		}
		before := spent(t, l, row.day).Input
		mustAdd(t, l, entry(7, 0))
		if got := spent(t, l, row.day).Input; got != before+7 {
			t.Errorf("%s %s: %d, want %d", row.zone, row.when, got, before+7)
		}
	}
	l := Open(nil, home, time.Now)
	table, err := l.Table(ByDay, "2026-11-01", "2026-11-30")
	if err != nil || len(table.Rows) != 2 || table.Rows[0].Name != "2026-11-28" || table.Rows[0].Input != 14 || table.Rows[1].Input != 14 || table.Total.Input != 28 {
		t.Errorf("%+v %v", table, err)
	}
}

// A clock that goes on over midnight, and back, in one process.
func TestTheDayChangesMeanwhile(t *testing.T) {
	c := at(t, "UTC", "2026-11-30 23:59")
	l := Open(nil, t.TempDir(), c.now)
	mustAdd(t, l, entry(1, 0))
	c.at = c.at.Add(time.Hour)
	if got := spent(t, l, l.Today()); got != (Sum{}) {
		t.Errorf("a new day begins with %+v", got)
	}
	mustAdd(t, l, entry(2, 0))
	c.at = c.at.Add(-time.Hour)
	mustAdd(t, l, entry(4, 0))
	if got := spent(t, l, l.Today()); got.Input != 5 {
		t.Errorf("the day before has %+v", got)
	}
	if got := spent(t, l, "2026-12-01"); got.Input != 2 {
		t.Errorf("the day behind it has %+v", got)
	}
}

// Two days of one month are in one file and have a sum each.
func TestTwoDaysOfAMonth(t *testing.T) {
	c := at(t, "UTC", "2026-11-10 10:00")
	l := Open(nil, t.TempDir(), c.now)
	for _, step := range []struct {
		day       int
		add, want int64
	}{{10, 1, 1}, {11, 0, 0}, {11, 2, 2}, {10, 0, 1}, {10, 4, 5}, {11, 8, 10}} {
		c.at = time.Date(2026, 11, step.day, 10, 0, 0, 0, time.UTC)
		if step.add > 0 {
			mustAdd(t, l, entry(step.add, 0))
		}
		if got := spent(t, l, l.Today()).Input; got != step.want {
			t.Errorf("%+v: got %d", step, got)
		}
	}
}

// What is no line is left out and counted; what is none of ours does no harm.
func TestBrokenLines(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, Folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	good := `{"day":"2026-11-27","session":"s","model":"m","input":5,"output":0}`
	text := strings.Join([]string{good, "", "not json", "[]", `{"day":"yesterday","session":"s","input":5}`, `{"day":"2026-11-27","input":5}`, `{"day":"2026-11-27","session":"s","input":"5"}`,
		`{"day":"2026-11-27","session":"s","input":-500,"output":-1,"cost":-9}`, `{"day":"2026-11-27","session":"s","input":1e30}`, strings.Repeat("x", 1<<20), good, "\x00\x00\x00", good, `{"torn`}, "\n")
	if err := os.WriteFile(filepath.Join(dir, "2026-11.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "2026-99.jsonl", "x.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := Open(nil, home, at(t, "UTC", "2026-11-27 10:00").now)
	if got := spent(t, l, "2026-11-27"); got.Input != 15 || got.Cost != 0 {
		t.Errorf("got %+v", got)
	}
	table, err := l.Table(ByModel, "2026-01-01", "2026-12-31")
	if err != nil || table.Broken != 8 || table.Total.Input != 15 {
		t.Errorf("%+v %v", table, err)
	}
	mustAdd(t, l, entry(1, 0))
	if got := spent(t, l, "2026-11-27"); got.Input != 16 {
		t.Errorf("got %+v", got)
	}
}

// A file that was removed, replaced or shortened is read from its beginning.
func TestAFileThatChanges(t *testing.T) {
	home, c := t.TempDir(), at(t, "UTC", "2026-11-27 10:00")
	l := Open(nil, home, c.now)
	path := filepath.Join(home, Folder, "2026-11.jsonl")
	for range 3 {
		mustAdd(t, l, entry(10, 0))
	}
	if got := spent(t, l, "2026-11-27"); got.Input != 30 {
		t.Errorf("got %+v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := spent(t, l, "2026-11-27"); got.Input != 0 {
		t.Errorf("without a file: %+v", got)
	}
	mustAdd(t, l, entry(3, 0))
	if got := spent(t, l, "2026-11-27"); got.Input != 3 {
		t.Errorf("with a new one: %+v", got)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if got := spent(t, l, "2026-11-27"); got.Input != 0 {
		t.Errorf("emptied: %+v", got)
	}
}

// What cannot be written counts here, and a file that cannot be read is an error: a budget
// that does not know its sum must not guess.
func TestADiskThatRefuses(t *testing.T) {
	home, c := t.TempDir(), at(t, "UTC", "2026-11-27 10:00")
	disk := &durable.Disk{}
	l := Open(disk, home, c.now)
	mustAdd(t, l, entry(10, 0))
	disk.Fail(func(op durable.Op, _ string) error {
		if op == durable.OpAppend {
			return durable.Torn{Half: true}
		}
		return nil
	})
	for range 2 {
		if err := l.Add(entry(5, 0.5)); err == nil {
			t.Error("a line that was cut is no error")
		}
	}
	disk.Fail(nil)
	mustAdd(t, l, entry(1, 0))
	if got := spent(t, l, "2026-11-27"); got.Input != 21 || got.Cost != 1 {
		t.Errorf("got %+v", got)
	}
	if got := spent(t, Open(nil, home, c.now), "2026-11-27"); got.Input != 11 {
		t.Errorf("another process has %+v", got)
	}
	path := filepath.Join(home, Folder, "2026-11.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Spent("2026-11-27"); !errors.Is(err, durable.ErrNoFile) {
		t.Errorf("a folder in the place of the file: %v", err)
	}
	if err := l.Add(entry(1, 0)); err == nil {
		t.Error("a folder was written to")
	}
}

// Fourteen months are kept, and a wrong clock takes away one.
func TestOldMonths(t *testing.T) {
	home := t.TempDir()
	add := func(when string) []string {
		mustAdd(t, Open(nil, home, at(t, "UTC", when).now), entry(1, 0))
		names, err := months(filepath.Join(home, Folder))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for month := range 20 {
		add(time.Date(2025, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC).Format("2006-01-02 15:04"))
	}
	if got := add("2026-08-02 00:00"); len(got) != 14 || got[0] != "2025-07.jsonl" || got[13] != "2026-08.jsonl" {
		t.Errorf("got %v", got)
	}
	if got := add("2036-01-01 00:00"); len(got) != 14 || got[0] != "2025-08.jsonl" {
		t.Errorf("a clock that is ahead: %v", got)
	}
	if got := add("2001-01-01 00:00"); len(got) != 14 || got[0] != "2001-01.jsonl" || got[1] != "2025-09.jsonl" {
		t.Errorf("a clock that is behind: %v", got)
	}
}

// Rows by model and by session, the dearest first.
func TestTable(t *testing.T) {
	l := Open(nil, t.TempDir(), at(t, "UTC", "2026-11-27 10:00").now)
	for _, e := range []Entry{
		{Session: "1", Workspace: "w", Provider: "p", Model: "cheap", Sum: Sum{Input: 100, Output: 10, Cost: 0.1, Estimated: true}},
		{Session: "1", Workspace: "w", Agent: "explore#1", Provider: "p", Model: "dear", Sum: Sum{Input: 50, Output: 5, Cached: 20, Written: 10, Cost: 0.5}},
		{Session: "1", Workspace: "v", Model: "dear", Sum: Sum{Input: 7, Unpriced: 7}},
		{Session: "2", Workspace: "w", Provider: "p", Model: "cheap", Sum: Sum{Input: 1, Cost: 0.2}},
	} {
		mustAdd(t, l, e)
	}
	for by, want := range map[By]string{
		ByModel:   "p/dear 50 0.5 false; p/cheap 101 0.3 true; dear 7 0 false",
		BySession: "1 150 0.6 true; 2 1 0.2 false; 1 7 0 false",
		ByDay:     "2026-11-27 158 0.8 true",
	} {
		table, err := l.Table(by, "2026-11-27", "2026-11-27")
		var got []string
		for _, r := range table.Rows {
			got = append(got, fmt.Sprint(r.Name, " ", r.Input, " ", r.Cost, " ", r.Estimated))
		}
		if text := strings.Join(got, "; "); text != want || err != nil {
			t.Errorf("%s: %s, want %s %v", by, text, want, err)
		}
		if table.Total != (Sum{Input: 158, Output: 15, Cached: 20, Written: 10, Cost: 0.8, Estimated: true, Unpriced: 7}) {
			t.Errorf("%s: %+v", by, table.Total)
		}
	}
	if table, err := l.Table(ByDay, "2026-11-28", "2026-12-31"); err != nil || len(table.Rows) != 0 {
		t.Errorf("%+v %v", table, err)
	}
}
