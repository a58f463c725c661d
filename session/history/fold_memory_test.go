package history

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// What is kept of a log goes by what a model is still shown, and not by the log: of one that
// is four times as long it is at most 2 % of the difference more, whether it was replayed or
// opened from its fold. Where there is no summary the model is still shown every call, and a
// line in the place of its result: some 2 KB a turn.
func TestMemoryGoesByWhatIsShown(t *testing.T) {
	kept := func(dir string) (bytes int64) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // pools are emptied by the second
		runtime.ReadMemStats(&before)
		l, state, err := Open(&durable.Disk{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(state)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	for what, row := range map[string]struct {
		late func(n int, seq int64) Body
		part int64
	}{
		"summaries": {func(n int, seq int64) Body {
			if n%20 != 19 {
				return nil
			}
			return ContextCompacted{OK: true, Summary: "s", KeepFrom: seq - 30}
		}, 50},
		"prunings": {func(n int, _ int64) Body {
			if n < 20 {
				return nil
			}
			return ContextPruned{CallIDs: []string{calledIn(n - 20)}}
		}, 20},
	} {
		short, long := long(t, 100, row.late), long(t, 400, row.late)
		more := sizeOf(t, long) - sizeOf(t, short)
		for _, how := range []string{"replayed", "from a fold"} {
			was, is := kept(short), kept(long)
			if is-was > more/row.part {
				t.Errorf("%s, %s: %d bytes are kept of a short log, %d of one that is %d longer", what, how, was, is, more)
			}
			if _, err := os.Stat(filepath.Join(long, foldFile)); err != nil {
				t.Errorf("no fold was written: %v", err)
			}
		}
	}
}

func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	n, err := fileSize(filepath.Join(dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
