package tracks

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// names are rules that leave out some names, wherever they are.
type names string

func (n names) Skips(path string, _ bool) bool {
	return strings.Contains(" "+string(n)+" ", " "+filepath.Base(path)+" ")
}

func (n names) In(string, []fs.DirEntry) (Rules, bool) { return n, false }

// folder makes a directory that holds files, and follows it without what is skipped.
func folder(t *testing.T, skipped string, files ...string) []Folder {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		put(t, filepath.Join(root, name), name)
	}
	return []Folder{{root, names(skipped)}}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A directory that does not fit any more is not followed, nor what is below: what is
// in it was not made by the command because it was not seen before.
func TestLookStopsAtItsLimit(t *testing.T) {
	at := folder(t, "", "a", "b", "d/x", "d/y", "d/e/z")
	for most, want := range map[int]string{1: "0", 2: "2 .", 3: "2 .", 4: "4 . d", 5: "5 . d d/e", 6: "5 . d d/e"} {
		s := look(at, nil, most)
		files, dirs := 0, ""
		for _, dir := range []string{".", "d", "d/e"} {
			if d := s.dir(filepath.Join(at[0].Path, dir)); d != nil {
				files += d.files()
				dirs += " " + dir
			}
		}
		if got := fmt.Sprint(files) + dirs; got != want {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
	w := &Watch{before: look(at, nil, 4)}
	for path, want := range map[string]bool{"new": true, "n/m/f": true, "a/f": true, "d/new": true, "a": true, "d/e/new": false, "d/e/n/f": false} {
		if got := w.provenNew(filepath.Join(at[0].Path, path)); got != want {
			t.Errorf("%s is proven to be new: %v", path, got)
		}
	}
}

// A file that is older than the command came from where nobody looked: a directory
// that was skipped and renamed. It is the person's.
func TestOldFilesAreNotNew(t *testing.T) {
	for later, want := range map[time.Duration]int{0: 1, time.Hour: 0} {
		at := folder(t, "out", "out/o")
		tracks := Tracks{Dir: t.TempDir()}
		w := tracks.Begin(at)
		w.Read()
		if err := os.Rename(filepath.Join(at[0].Path, "out"), filepath.Join(at[0].Path, "seen")); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(at[0].Path, "seen", "o"), "o")
		w.began = w.began.Add(later)
		w.StopReading()
		if got := w.End(at).Files; len(got) != want {
			t.Errorf("looked at %v later: %v", later, got)
		}
		tracks.Close()
	}
}

// What is skipped is not read, and nothing is kept under a name. Without a place for
// it nothing is kept at all.
func TestWhatIsKept(t *testing.T) {
	at := folder(t, ".ssh", ".ssh/id", "a", "d/b")
	for _, dir := range []string{t.TempDir(), ""} {
		tracks := Tracks{Dir: dir}
		w := tracks.Begin(at)
		w.Read()
		put(t, filepath.Join(at[0].Path, "a"), "other")
		w.StopReading()
		found := w.End(at).Files
		want := int64(0)
		if dir != "" {
			want = int64(len("a") + len("d/b"))
		}
		if tracks.shadow.end != want {
			t.Errorf("%d bytes were kept, want %d", tracks.shadow.end, want)
		}
		kept := dir != ""
		for _, d := range found {
			was, is, changed := w.Contents(d, 0)
			if changed != (filepath.Base(d.Path) == "a") {
				t.Errorf("%s changed: %v", d.Path, changed)
			} else if changed && (was.Kept != kept || is.Kept != kept || kept && string(was.Data)+string(is.Data) != "aother") {
				t.Errorf("%+v, %+v", was, is)
			}
		}
		if len(found) == 0 {
			t.Error("nothing was found")
		}
		tracks.Close()
		if dir == "" {
			continue
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Error(left)
		}
	}
}

// lines are rules that count how often they were asked for.
type lines struct {
	names
	asked *int
	own   bool
}

func (l lines) In(string, []fs.DirEntry) (Rules, bool) {
	*l.asked++
	return l, l.own
}

// A directory that is the same is not read again, except where files in it make
// rules: these may have changed, and what is skipped with them.
func TestRulesOfFilesAreReadAgain(t *testing.T) {
	for own, want := range map[bool]int{false: 1, true: 2} {
		asked := 0
		at := folder(t, "", "a")
		at[0].Rules = lines{asked: &asked, own: own}
		last := look(at, nil, trackedFiles)
		for _, d := range last.dirs { // long enough behind its last change
			d.asOf += int64(time.Hour)
		}
		if look(at, last, trackedFiles); runtime.GOOS != "windows" && asked != want {
			t.Errorf("files make rules: %v; asked for %d times, want %d", own, asked, want)
		}
	}
}
