package durable

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func lines(t *testing.T, path string, from int64) []string {
	t.Helper()
	var got []string
	_, err := ReadFrom(path, from, func(line []byte, at int64) bool {
		got = append(got, fmt.Sprintf("%d:%s", at, line))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// logWith is a log on a disk of its own that can be made to fail.
func logWith(t *testing.T, line string) (d *Disk, l *Log, path string) {
	t.Helper()
	d, path = new(Disk), filepath.Join(t.TempDir(), "log")
	l, err := d.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	mustAppend(t, l, line)
	return d, l, path
}

func mustAppend(t *testing.T, l *Log, line string) int64 {
	t.Helper()
	at, err := l.Append([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Fatalf("%s holds %q (%v), want %q", filepath.Base(path), got, err, want)
	}
}

func TestAppendAndReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l, err := plainDisk.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, "one")
	second := mustAppend(t, l, "")
	third := mustAppend(t, l, "three")
	if err := errors.Join(l.Sync(), l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if l, err = plainDisk.OpenLog(path); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if at := mustAppend(t, l, "four"); at != l.size-5 {
		t.Fatalf("offset after reopening: %d of %d", at, l.size)
	}
	if got := strings.Join(lines(t, path, 0), " "); got != "0:one 4: 5:three 11:four" {
		t.Fatal(got)
	}
	if got := strings.Join(lines(t, path, third), " "); second != 4 || got != "5:three 11:four" {
		t.Fatal(second, got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode())
	}
}

func TestReadFromStopsAndSaysWhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	os.WriteFile(path, []byte("a\nbb\nccc\ntorn"), 0o600)
	next, err := ReadFrom(path, 0, func(line []byte, _ int64) bool { return string(line) != "bb" })
	if next != 5 || err != nil {
		t.Fatal(next, err)
	}
	next, err = ReadFrom(path, next, func([]byte, int64) bool { return true })
	if next != 9 || err != nil {
		t.Fatalf("the torn tail must not be handed out: %d %v", next, err)
	}
	if _, err := ReadFrom(path, 3, func([]byte, int64) bool { return true }); err == nil {
		t.Fatal("an offset inside a line was accepted")
	}
	if _, err := ReadFrom(path, 99, func([]byte, int64) bool { return true }); err == nil {
		t.Fatal("an offset past the end was accepted")
	}
}

func TestLinesOfEveryLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := plainDisk.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var want []string
	for _, n := range []int{0, 1, 64<<10 - 2, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000, MaxLine, 3} {
		line := strings.Repeat("x", n)
		want = append(want, fmt.Sprintf("%d:%s", mustAppend(t, l, line), line))
	}
	got := lines(t, path, 0)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	if _, err := l.Append(make([]byte, MaxLine+1)); err == nil {
		t.Fatal("a line over the limit was accepted")
	}
	if _, err := l.Append([]byte("a\nb")); err == nil {
		t.Fatal("a newline inside a line was accepted")
	}
	os.WriteFile(path, append(bytes.Repeat([]byte("y"), MaxLine+1), '\n'), 0o600)
	if _, err := ReadFrom(path, 0, func([]byte, int64) bool { return true }); err == nil || !strings.Contains(err.Error(), "byte 0") {
		t.Fatal(err)
	}
}

func TestAppendersDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := plainDisk.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				l.Append(bytes.Repeat([]byte{byte('a' + i)}, 300))
			}
		})
	}
	wg.Wait()
	got := lines(t, path, 0)
	for _, line := range got {
		_, text, _ := strings.Cut(line, ":")
		if strings.Count(text, text[:1]) != 300 {
			t.Fatalf("mixed line %q", text)
		}
	}
	if len(got) != 400 {
		t.Fatal(len(got))
	}
}

func TestAFailedWriteLeavesNoTrace(t *testing.T) {
	d, l, path := logWith(t, "first")
	d.Fail(func(op Op, _ string) error {
		if op == OpAppend {
			return Torn{Bytes: 3}
		}
		return nil
	})
	if _, err := l.Append([]byte("second")); !errors.As(err, new(Torn)) {
		t.Fatal(err)
	}
	wantContent(t, path, "first\n")

	// Where even cutting back fails it is made up for before the next line.
	full := errors.New("no space left")
	d.Fail(func(op Op, _ string) error {
		switch op {
		case OpAppend:
			return Torn{Bytes: 3}
		case OpCutBack:
			return full
		}
		return nil
	})
	if _, err := l.Append([]byte("second")); !errors.Is(err, full) {
		t.Fatal(err)
	}
	wantContent(t, path, "first\nsec")
	if _, err := l.Append([]byte("second")); !errors.Is(err, full) {
		t.Fatalf("a line went behind a torn one: %v", err)
	}
	d.Fail(nil)
	if at := mustAppend(t, l, "third"); at != 6 {
		t.Fatal(at)
	}
	wantContent(t, path, "first\nthird\n")
}

func TestTornTail(t *testing.T) {
	long := strings.Repeat("z", 150<<10)
	for _, row := range []struct{ name, content, left, torn string }{
		{"whole", "a\nb\n", "a\nb\n", ""},
		{"empty", "", "", ""},
		{"torn", "a\nb\n{\"seq\":3", "a\nb\n", "{\"seq\":3\n"},
		{"bad but whole lines stay", "a\n{bad\n", "a\n{bad\n", ""},
		{"only a torn line", "abc", "", "abc\n"},
		{"long tail", "a\n" + long, "a\n", long + "\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			keep := filepath.Join(filepath.Dir(path), "events.torn")
			os.WriteFile(path, []byte(row.content), 0o600)
			if _, err := plainDisk.OpenLog(path); (row.torn != "") != errors.Is(err, ErrTorn) {
				t.Fatalf("opening: %v", err)
			}
			for range 2 { // the second time there is nothing to do
				if _, err := (*Disk)(nil).CutTorn(path, keep); err != nil {
					t.Fatal(err)
				}
			}
			wantContent(t, path, row.left)
			got, _ := os.ReadFile(keep)
			if string(got) != row.torn {
				t.Fatalf("kept %d bytes, want %d", len(got), len(row.torn))
			}
			if _, err := plainDisk.OpenLog(path); err != nil {
				t.Fatal(err)
			}
		})
	}
	if n, err := (*Disk)(nil).CutTorn(filepath.Join(t.TempDir(), "none"), ""); n != 0 || err != nil {
		t.Fatal(n, err)
	}
}

func TestWhatIsCutIsKeptFirst(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	os.WriteFile(path, []byte("a\nto"), 0o600)
	var d Disk
	d.Fail(func(op Op, _ string) error {
		if op == OpKeepTorn {
			return errors.New("disk full")
		}
		return nil
	})
	if _, err := d.CutTorn(path, filepath.Join(dir, "torn")); err == nil {
		t.Fatal("no error")
	}
	wantContent(t, path, "a\nto")
}
