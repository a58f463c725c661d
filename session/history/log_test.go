package history

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

const openedLine = `{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"session.opened","data":{"version":1}}` + "\n"

// A line of a gigabyte, all of it a hole in the file, is an error that names file and
// line. Nobody reads it.
func TestALineOfAGigabyte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(path, []byte(openedLine), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("\n"), 1<<30); err != nil {
		t.Skipf("no room for a hole: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err = Open(nil, dir)
	runtime.ReadMemStats(&after)
	if want := path + ": line 2: "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d bytes were taken to read it", grown)
	}
	mark, err := MarkOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Look(dir, "0001", mark); err != nil {
		t.Errorf("it is not listed: %v", err)
	}
}

func TestALogOfANewerVersion(t *testing.T) {
	for version, fine := range map[int]bool{0: true, Version: true, Version + 1: false} {
		dir := t.TempDir()
		line := strings.Replace(openedLine, `"version":1`, fmt.Sprintf(`"version":%d`, version), 1)
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		l, _, err := Open(nil, dir)
		if (err == nil) != fine || !fine && !strings.Contains(err.Error(), "line 1: the log is of version 2") {
			t.Errorf("version %d: %v", version, err)
		}
		if err == nil {
			l.Close()
		}
	}
}

// A line that is taken back is gone from the file and from what is known of it, and
// the next one takes its place.
func TestALineIsTakenBackFromALog(t *testing.T) {
	dir := t.TempDir()
	disk := &durable.Disk{}
	l, err := Create(disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for seq := range int64(2) {
		if err := l.Append(Event{Seq: seq + 1, Body: Opened{Version: Version}}); err != nil {
			t.Fatal(err)
		}
	}
	end := l.Bytes()
	if err := l.Append(Event{Seq: 3, Body: Opened{Key: "taken back"}}); err != nil {
		t.Fatal(err)
	}
	if err := l.TakeBack(); err != nil || l.Bytes() != end {
		t.Fatalf("%d bytes, want %d: %v", l.Bytes(), end, err)
	}
	if err := l.Append(Event{Seq: 3, Body: Opened{Key: "instead"}}); err != nil {
		t.Fatal(err)
	}
	var keys []string
	if err := l.Each(3, func(e Event) error { keys = append(keys, e.Body.(Opened).Key); return nil }); err != nil || strings.Join(keys, " ") != "instead" {
		t.Errorf("%v, %v", keys, err)
	}
}
