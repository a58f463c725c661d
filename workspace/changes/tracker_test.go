package changes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
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

// lookOnce looks where nobody notices changes.
func lookOnce(folders []Folder, last *survey, most int) *survey {
	l := looker{notifier: &notify.Notifier{Most: -1}, cost: &cost{}, last: last}
	return l.look(folders, most)
}

// A directory that does not fit any more is not followed, nor what is below: what is
// in it was not made by the command because it was not seen before.
func TestLookStopsAtItsLimit(t *testing.T) {
	at := folder(t, "", "a", "b", "d/x", "d/y", "d/e/z")
	for most, want := range map[int]string{1: "0", 2: "2 .", 3: "2 .", 4: "4 . d", 5: "5 . d d/e", 6: "5 . d d/e"} {
		s := lookOnce(at, nil, most)
		files, dirs := 0, ""
		for _, dir := range []string{".", "d", "d/e"} {
			if d := s.dir(filepath.Join(at[0].Path, dir)); d != nil {
				files += d.count
				dirs += " " + dir
			}
		}
		if got := fmt.Sprint(files) + dirs; got != want {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
	w := &Watch{before: lookOnce(at, nil, 4)}
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
		tracker := Tracker{Dir: t.TempDir()}
		w := tracker.Begin(Call{}, at)
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
		tracker.Close()
	}
}

// What is skipped is not read, and nothing is kept under a name. Without a place for
// it nothing is kept at all.
func TestWhatIsKept(t *testing.T) {
	at := folder(t, ".ssh", ".ssh/id", "a", "d/b")
	for _, dir := range []string{t.TempDir(), ""} {
		tracker := Tracker{Dir: dir}
		w := tracker.Begin(Call{}, at)
		w.Read()
		put(t, filepath.Join(at[0].Path, "a"), "other")
		w.StopReading()
		found := w.End(at).Files
		want := int64(0)
		if dir != "" {
			want = int64(len("a") + len("d/b"))
		}
		if tracker.shadow.end != want {
			t.Errorf("%d bytes were kept, want %d", tracker.shadow.end, want)
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
		tracker.Close()
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
		last := lookOnce(at, nil, trackedFiles)
		for _, d := range last.dirs { // long enough behind its last change
			d.asOf += int64(time.Hour)
		}
		if lookOnce(at, last, trackedFiles); runtime.GOOS != "windows" && asked != want {
			t.Errorf("files make rules: %v; asked for %d times, want %d", own, asked, want)
		}
	}
}

// A level can be as wide as the tree is large: a look stops inside of it, whatever
// there is in its directories.
func TestLookStopsInsideALevel(t *testing.T) {
	for _, files := range []int{0, 1} {
		asked := 0
		at := folder(t, "")
		for d := range 600 {
			dir := filepath.Join(at[0].Path, fmt.Sprintf("d%03d", d))
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for f := range files {
				put(t, filepath.Join(dir, fmt.Sprint(f)), "x")
			}
		}
		at[0].Rules = counted{asked: &asked, mu: &sync.Mutex{}}
		const most = 50
		s := lookOnce(at, nil, most)
		if asked > most+5 || len(s.dirs) < most-1 { // the folder, and one that each worker had begun
			t.Errorf("%d files a directory: %d directories were read, %d are followed", files, asked, len(s.dirs))
		}
		for d := range most - 2 { // the first ones
			if s.dir(filepath.Join(at[0].Path, fmt.Sprintf("d%03d", d))) == nil {
				t.Errorf("%d files a directory: d%03d is not followed", files, d)
			}
		}
	}
}

// counted are rules that count the directories that are read, by several at once.
type counted struct {
	names
	asked *int
	mu    *sync.Mutex
}

func (c counted) In(string, []fs.DirEntry) (Rules, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.asked++
	return c, false
}

// A tree that is larger than what is kept is read once, not before each command; and
// what commands change in it is kept all the same.
func TestMoreThanIsKept(t *testing.T) {
	var files []string
	for i := range 20 {
		files = append(files, fmt.Sprintf("f%02d", i))
	}
	at := folder(t, "", files...)
	for i, name := range files {
		put(t, filepath.Join(at[0].Path, name), strings.Repeat("x", 100))
		when := time.Unix(int64(1_000_000+i), 0)
		if err := os.Chtimes(filepath.Join(at[0].Path, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	tracker := Tracker{Dir: t.TempDir()}
	tracker.shadow.most = 1400
	defer tracker.Close()
	for command := range 3 {
		w := tracker.Begin(Call{}, at)
		w.began = w.began.Add(time.Hour) // long behind the making of the files
		if unread := len(w.unread); command == 0 && unread != len(files) || command > 0 && unread != 0 {
			t.Errorf("command %d: %d files are to be read", command, unread)
		}
		w.Read()
		changed := files[len(files)-1] // the last one changed: one of those that are kept
		put(t, filepath.Join(at[0].Path, changed), strings.Repeat("y", 100+command))
		w.StopReading()
		found := w.End(at).Files
		if len(found) != 1 || filepath.Base(found[0].Path) != changed {
			t.Fatalf("command %d: %v", command, found)
		}
		if was, is, _ := w.Contents(found[0], 0); !was.Kept || !is.Kept {
			t.Errorf("command %d: %+v, %+v", command, was, is)
		}
	}
	if life := tracker.shadow.life; life != 1 {
		t.Errorf("it began anew: life %d", life)
	}
}
