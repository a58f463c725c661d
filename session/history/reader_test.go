package history

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// lineOf is a line of a log that says little.
func lineOf(seq int, title string) string {
	return fmt.Sprintf(`{"seq":%d,"time":"2026-01-01T00:00:00.000Z","type":"session.changed","data":{"title":%q}}`, seq, title)
}

// Whoever reads a log that another process writes sees each whole line once it is
// there, none that is half written, and what the file says where a line was taken
// back, also when a longer one has come in its place meanwhile.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, LogFile)
	r := NewReader(dir)
	if _, err := r.Tail(t.Context()); err == nil {
		t.Fatal("there is no log")
	}
	steps := []struct {
		name, text string
		titles     []string
	}{
		{"empty", "", nil},
		{"torn", lineOf(1, "a")[:20], nil},
		{"whole", lineOf(1, "a") + "\n", []string{"a"}},
		{"two more, one torn", lineOf(1, "a") + "\n" + lineOf(2, "b") + "\n" + lineOf(3, "c"), []string{"a", "b"}},
		{"whole again", lineOf(1, "a") + "\n" + lineOf(2, "b") + "\n" + lineOf(3, "c") + "\n", []string{"a", "b", "c"}},
		{"taken back", lineOf(1, "a") + "\n", []string{"a"}},
		{"another", lineOf(1, "a") + "\n" + lineOf(2, "d") + "\n", []string{"a", "d"}},
		{"a longer one in its place", lineOf(1, "a") + "\n" + lineOf(2, "a longer one") + "\n", []string{"a", "a longer one"}},
		{"others, as long", lineOf(1, "a longer one") + "\n" + lineOf(2, "a") + "\n", []string{"a longer one", "a"}},
	}
	for _, s := range steps {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // the same file each time
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(s.text); err != nil {
			t.Fatal(err)
		}
		f.Close()
		page, err := r.Page(t.Context(), PageQuery{}, Origin{Session: "0001"}, nil)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		var titles []string
		for _, e := range page.Events {
			titles = append(titles, string(e.Data))
		}
		var want []string
		for _, title := range s.titles {
			want = append(want, fmt.Sprintf(`{"title":%q}`, title))
		}
		if fmt.Sprint(titles) != fmt.Sprint(want) || page.TailSeq != int64(len(want)) {
			t.Errorf("%s: %v up to %d, want %v", s.name, titles, page.TailSeq, want)
		}
		if page, err := r.Page(t.Context(), PageQuery{After: page.TailSeq - 1}, Origin{}, nil); err != nil || len(want) > 0 && (len(page.Events) != 1 || string(page.Events[0].Data) != want[len(want)-1]) {
			t.Errorf("%s: the last one: %v, %v", s.name, page.Events, err)
		}
		if page, err := r.Page(t.Context(), PageQuery{After: math.MaxInt64}, Origin{}, nil); err != nil || len(page.Events) > 0 {
			t.Errorf("%s: behind the last one there is: %v, %v", s.name, page.Events, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(lineOf(1, "new")+"\n"+lineOf(2, "file, and a long one at that, longer than all before")+"\n"+lineOf(3, "x")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if tail, err := r.Tail(t.Context()); err != nil || tail != 3 {
		t.Errorf("another file: %d, %v", tail, err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("not run: links need rights")
	}
	if err := errors.Join(os.Remove(path), os.Symlink(os.DevNull, path)); err != nil {
		t.Fatal(err)
	}
	if page, err := r.Page(t.Context(), PageQuery{}, Origin{}, nil); !errors.Is(err, durable.ErrNoFile) {
		t.Errorf("no file: %v, %v", page, err)
	}
}
