package changes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"

	"golang.org/x/sys/unix"
)

// scene is one tree and who follows it.
type scene struct {
	t       *testing.T
	at      []Folder
	tracker *Tracker
}

// watchedScene is one whose file system tells what changes.
func watchedScene(t *testing.T, skipped string, files ...string) *scene {
	t.Helper()
	s := &scene{t, folder(t, skipped, files...), &Tracker{Dir: t.TempDir()}}
	t.Cleanup(func() { s.tracker.Close() })
	var n notify.Notifier
	defer n.Close()
	dir, err := os.Open(s.at[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	n.Update()
	if n.Watch(dir, s.at[0].Path, true); n.Watches() != 1 {
		t.Skip("not run: the system does not tell every change here")
	}
	return s
}

func (s *scene) path(name string) string { return filepath.Join(s.at[0].Path, name) }

// command follows what is done meanwhile, and says what it was and how many
// directories were read for that.
func (s *scene) command(do func()) (found string, read int) {
	s.t.Helper()
	s.tracker.cost.dirs.Store(0)
	w := s.tracker.Begin(Call{}, s.at)
	w.Read()
	w.read.Wait() // a busy machine may read slowly
	do()
	w.StopReading()
	f := w.End(s.at)
	read = int(s.tracker.cost.dirs.Load())
	w.Over()
	return s.told(w, f), read
}

func (s *scene) told(w *Watch, f Found) string {
	var out []string
	rel := func(path string) string { return strings.TrimPrefix(path, s.at[0].Path+"/") }
	for _, dir := range f.Made {
		out = append(out, "+"+rel(dir)+"/")
	}
	for _, d := range f.Files {
		was, is, changed := w.Contents(d, 0)
		switch {
		case !changed:
		case d.From != "":
			out = append(out, rel(d.From)+">"+rel(d.Path))
		default:
			out = append(out, rel(d.Path)+":"+string(was.Data)+">"+string(is.Data))
		}
	}
	for _, d := range f.Gone {
		out = append(out, "-"+rel(d.Path)+"/")
	}
	return strings.Join(out, " ")
}

func (s *scene) rename(from, to string) {
	s.t.Helper()
	if err := os.Rename(s.path(from), s.path(to)); err != nil {
		s.t.Fatal(err)
	}
}

// A tree that is known is not read again: only the directories in which something has
// changed are.
func TestCostFollowsWhatChanged(t *testing.T) {
	s := watchedScene(t, "", "a")
	s.tracker.notifier.Most = 4000
	for i := range 3000 {
		put(t, s.path(fmt.Sprintf("d%d/e%d/f%d/x", i%10, i%100, i)), "1")
	}
	looked := 0
	for read := 1; read > 0; looked += read { // a look of a busy machine does not get to its end
		_, read = s.command(func() {})
	}
	if looked < 3000 {
		t.Fatalf("a new tree was not looked at: %d directories", looked)
	}
	if s.tracker.notifier.Watches() < 3000 {
		t.Skip("the system has not so many watches left")
	}
	for _, row := range []struct {
		what string
		do   func()
		want string
		read int
	}{
		{"nothing", func() {}, "", 0},
		{"one file", func() { put(t, s.path("d1/e1/f1/x"), "2") }, "d1/e1/f1/x:1>2", 1},
		{"nothing behind it", func() {}, "", 0},
		{"a file in each of two", func() { put(t, s.path("d2/e2/f2/y"), "3"); put(t, s.path("d3/e3/f3/x"), "4") }, "d2/e2/f2/y:>3 d3/e3/f3/x:1>4", 2},
		{"a new directory", func() { put(t, s.path("d1/e1/f1/n/x"), "5") }, "+d1/e1/f1/n/ d1/e1/f1/n/x:>5", 2},
		{"in the new one", func() { put(t, s.path("d1/e1/f1/n/x"), "6") }, "d1/e1/f1/n/x:5>6", 1},
	} {
		names := s.tracker.cost.names.Load()
		found, read := s.command(row.do)
		if found != row.want || read != row.read {
			t.Errorf("%s: found %q in %d directories, want %q in %d", row.what, found, read, row.want, row.read)
		}
		if asked := s.tracker.cost.names.Load() - names; asked > 4 {
			t.Errorf("%s: %d names were asked about", row.what, asked)
		}
	}
	w := s.tracker.Begin(Call{}, s.at)
	put(t, s.path("d4/e4/f4/.git/config"), "x")
	came := []string{}
	s.tracker.cost.dirs.Store(0)
	if !w.Newcomers(100, func(path string, _ fs.DirEntry) bool { came = append(came, path); return true }) || len(came) != 2 || s.tracker.cost.dirs.Load() != 1 {
		t.Errorf("what came: %v, in %d directories", came, s.tracker.cost.dirs.Load())
	}
	w.StopReading()
	w.End(s.at)
}

// What the person does between two commands is none of theirs, and is what the next one
// finds.
func TestBetweenTwoCommands(t *testing.T) {
	s := watchedScene(t, "skip", "a", "d/b", "d/e/c", "skip/x/y")
	s.command(func() {})
	put(t, s.path("a"), "mine")
	s.rename("d", "f")
	put(t, s.path("d/b"), "new")
	if found, _ := s.command(func() { put(t, s.path("a"), "its"); put(t, s.path("f/e/c"), "its") }); found != "a:mine>its f/e/c:d/e/c>its" {
		t.Error(found)
	}
	if found, _ := s.command(func() { put(t, s.path("d/b"), "its") }); found != "d/b:new>its" {
		t.Error(found)
	}
	s.rename("skip", "seen") // by the person: from now on it is followed
	if found, _ := s.command(func() { put(t, s.path("seen/x/y"), "its") }); found != "seen/x/y:skip/x/y>its" {
		t.Error(found)
	}
}

// A path counts and not the directory that once had it.
func TestRenamedTrees(t *testing.T) {
	s := watchedScene(t, "", "a/x", "a/in/y", "b/x", "b/in/y")
	s.command(func() {})
	swap := func() { s.rename("a", "t"); s.rename("b", "a"); s.rename("t", "b") }
	if found, _ := s.command(swap); found != "a/in/y:a/in/y>b/in/y a/x:a/x>b/x b/in/y:b/in/y>a/in/y b/x:b/x>a/x" {
		t.Error(found)
	}
	if found, _ := s.command(func() { put(t, s.path("a/in/y"), "1"); put(t, s.path("b/in/y"), "2") }); found != "a/in/y:b/in/y>1 b/in/y:a/in/y>2" {
		t.Error(found)
	}
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(s.path("a"), away); err != nil {
		t.Fatal(err)
	}
	s.command(func() {})
	put(t, filepath.Join(away, "in/y"), "elsewhere")
	if err := os.Rename(away, s.path("a")); err != nil {
		t.Fatal(err)
	}
	if found, _ := s.command(func() { put(t, s.path("a/in/y"), "3") }); found != "a/in/y:elsewhere>3" {
		t.Error(found)
	}
	// The folder itself is another one: nothing in it is known.
	s.rename(".", "../old")
	put(t, s.path("a/in/y"), "other")
	if found, _ := s.command(func() { put(t, s.path("a/in/y"), "4") }); found != "a/in/y:other>4" {
		t.Error(found)
	}
}

// A folder is what its path leads to now, also where a directory far above it is another.
func TestAnotherFolderAtThePath(t *testing.T) {
	s := watchedScene(t, "", "p/q/x", "p/q/d/y")
	s.at[0].Path = s.path("p/q")
	s.command(func() {})
	s.rename("../../p", "../../old")
	put(t, s.path("x"), "other")
	put(t, s.path("d/y"), "other")
	if found, _ := s.command(func() { put(t, s.path("x"), "1"); put(t, s.path("d/y"), "2") }); found != "d/y:other>2 x:other>1" {
		t.Error(found)
	}
}

// With other rules directories that are as they were are looked at anew.
func TestOtherRulesInAKnownTree(t *testing.T) {
	s := watchedScene(t, "a", "a", "d/a", "d/b", "d/e/b")
	for _, row := range []struct{ rules, follows string }{{"a", "d/b d/e/b"}, {"b", "a d/a"}, {"e", "a d/a d/b"}} {
		s.at[0].Rules = names(row.rules)
		s.command(func() {})
		var follows []string
		for _, file := range []string{"a", "d/a", "d/b", "d/e/b"} {
			if s.tracker.last.find(s.path(file)) != nil {
				follows = append(follows, file)
			}
		}
		if got := strings.Join(follows, " "); got != row.follows {
			t.Errorf("without %s: %s", row.rules, got)
		}
	}
}

// Where there are not enough watches, the rest is looked at as if there were none.
func TestWatchesRunOut(t *testing.T) {
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("d%d/e/x", i))
	}
	s := watchedScene(t, "", files...)
	for _, most := range []int{-1, 1, 5, 41, 60} {
		s.tracker.notifier = notify.Notifier{Most: most}
		s.command(func() {})
		if got := s.tracker.notifier.Watches(); got > max(most, 0) {
			t.Errorf("%d watches, at most %d", got, most)
		}
		var want []string
		found, _ := s.command(func() {
			for i, f := range slices.Sorted(slices.Values(files)) {
				if i%3 == 0 {
					want = append(want, fmt.Sprintf("%s:%s>%d", f, f, most))
					put(t, s.path(f), strconv.Itoa(most))
				}
			}
		})
		if found != strings.Join(want, " ") {
			t.Errorf("with %d watches: %s", most, found)
		}
		for _, f := range files {
			put(t, s.path(f), f)
		}
		if err := s.tracker.notifier.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where more happened than the system keeps for us, everything is looked at.
func TestLostNotices(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	most, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || bad != nil || most > 100_000 {
		t.Skip("the system keeps too many notices: ", string(text))
	}
	s := watchedScene(t, "", "a", "b", "d/c", "e/f")
	s.command(func() {})
	flood := func() {
		var two [2]*os.File
		for i, name := range []string{"a", "b"} {
			f, err := os.Create(s.path(name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			two[i] = f
		}
		for i := range most + 10 { // two that are the same count once
			two[i%2].WriteAt([]byte("x"), 0)
		}
	}
	found, _ := s.command(func() { flood(); put(t, s.path("d/c"), "1"); s.rename("e", "g") })
	if found != "+g/ a:a>x b:b>x d/c:d/c>1 e/f>g/f -e/" {
		t.Error(found)
	}
	flood()
	put(t, s.path("g/f"), "between")
	if found, _ := s.command(func() { put(t, s.path("g/f"), "2") }); found != "g/f:between>2" {
		t.Error(found)
	}
	if _, read := s.command(flood); read < len(s.tracker.last.dirs) {
		t.Errorf("notices were lost, and %d of %d directories were read", read, len(s.tracker.last.dirs))
	}
	if _, read := s.command(func() {}); read != 0 {
		t.Errorf("%d directories were read, although nothing is lost any more", read)
	}
}

func TestManyChanges(t *testing.T) {
	s := watchedScene(t, "", "a")
	s.command(func() {})
	w := s.tracker.Begin(Call{}, s.at)
	for i := range 10_000 {
		put(t, s.path(fmt.Sprintf("d%d/x%d", i%50, i)), "x")
	}
	w.StopReading()
	found := w.End(s.at)
	files := slices.DeleteFunc(found.Files, func(d Difference) bool { return filepath.Base(d.Path) == "a" }) // as old as the command
	if len(files) != 10_000 || len(found.Made) != 50 {
		t.Errorf("%d files, %d directories", len(files), len(found.Made))
	}
	w.Over()
	if _, read := s.command(func() { put(t, s.path("d7/x7"), "y") }); read != 1 {
		t.Errorf("%d directories were read", read)
	}
}

// A file with two names is changed under both, wherever it is written to; and what is
// written through a mapping is noticed when the mapping ends.
func TestWhatIsNotToldInItsDirectory(t *testing.T) {
	s := watchedScene(t, "skip", "d/a", "e/b", "skip/x", "m/map")
	link := func(from, to string) {
		if err := os.Link(s.path(from), s.path(to)); err != nil {
			t.Fatal(err)
		}
	}
	s.command(func() {})
	if found, _ := s.command(func() { link("d/a", "e/a2"); put(t, s.path("e/a2"), "1") }); found != "d/a:d/a>1 e/a2:>1" {
		t.Error(found)
	}
	if found, _ := s.command(func() { put(t, s.path("e/a2"), "2") }); found != "d/a:1>2 e/a2:1>2" {
		t.Error(found)
	}
	link("e/b", "skip/b2")
	s.command(func() { put(t, s.path("e/c"), "c") })
	if found, _ := s.command(func() { put(t, s.path("skip/b2"), "3") }); found != "e/b:e/b>3" {
		t.Error(found)
	}
	f, err := os.OpenFile(s.path("m/map"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := unix.Mmap(int(f.Fd()), 0, 5, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	s.command(func() { f.Close() })
	if found, _ := s.command(func() { copy(mapping, "MAPPE"); unix.Munmap(mapping) }); found != "m/map:m/map>MAPPE" {
		t.Error(found)
	}
}

// inotifies counts the descriptors that notices come from.
func inotifies(t *testing.T) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range fds {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.Contains(to, "inotify") {
			n++
		}
	}
	return n
}

func TestCloseEndsTheWatches(t *testing.T) {
	before := inotifies(t)
	s := watchedScene(t, "", "a", "d/b")
	s.command(func() { s.rename("d", "e") })
	if got := inotifies(t); got != before+1 {
		t.Errorf("%d descriptors, were %d", got, before)
	}
	if err := s.tracker.Close(); err != nil || inotifies(t) != before {
		t.Errorf("%d descriptors, were %d; %v", inotifies(t), before, err)
	}
	s.command(func() {}) // one that comes too late is followed all the same
	if got := inotifies(t); got != before {
		t.Errorf("%d descriptors, were %d", got, before)
	}
	if time.Since(time.Unix(0, s.tracker.last.newest)) < 0 {
		t.Error("nothing was looked at")
	}
}
