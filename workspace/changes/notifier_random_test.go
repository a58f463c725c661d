//go:build unix

package changes

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
)

// TestNoticedAsLookedAt: who is told what changes finds the same as who looks at
// everything, whatever commands and the person do.
func TestNoticedAsLookedAt(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			at := folder(t, "skip", "a", "b/c")
			t.Cleanup(func() { reopen(at[0].Path) })
			d := disorder{t, rnd, at[0].Path, seed%2 == 0}
			for range 60 {
				d.step()
			}
			told, looks := Tracker{Dir: t.TempDir()}, Tracker{Dir: t.TempDir(), notifier: notify.Notifier{Most: -1}}
			if seed%3 == 1 {
				told.notifier.Most = 7
			}
			defer told.Close()
			defer looks.Close()
			for command := range 25 {
				var watches []*Watch
				for _, tracker := range []*Tracker{&told, &looks} {
					w := tracker.Begin(Call{}, at)
					w.Read()
					w.read.Wait()
					watches = append(watches, w)
				}
				watches[1].began = watches[0].began // what is new is told by the time, too
				for range rnd.IntN(12) {
					d.step()
				}
				var found []string
				for _, w := range watches {
					w.StopReading()
					found = append(found, inShort(w, w.End(at)))
					w.Over()
				}
				if found[0] != found[1] {
					t.Fatalf("command %d: told\n%s\nlooked at\n%s", command, found[0], found[1])
				}
				for range rnd.IntN(4) { // the person
					d.step()
				}
			}
		})
	}
}

// reopen lets anybody but root remove what is below dir, where a link led a change of mode
// to a directory.
func reopen(dir string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o755) // its removal says what it cannot do
		}
		return nil
	})
}

func inShort(w *Watch, f Found) string {
	out := fmt.Sprintln(f.Made, f.Gone)
	for _, d := range f.Files {
		if was, is, changed := w.Contents(d, 0); changed {
			out += fmt.Sprintln(d.From, d.Path, was.Kind, was.Hash, is.Kind, is.Hash, is.Mode)
		}
	}
	return out
}

// disorder changes a tree at random. Of files that have several names nobody can say
// which one was moved: there are links, or files are moved.
type disorder struct {
	t     *testing.T
	rnd   *rand.Rand
	root  string
	links bool
}

func (d disorder) step() {
	names := []string{"a", "b", "c", "d", "skip"}
	dirs, files := []string{d.root}, []string{}
	filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		} else if err == nil {
			files = append(files, path)
		}
		return nil
	})
	pick := func(from []string) string { return from[d.rnd.IntN(len(from))] }
	to := filepath.Join(pick(dirs), pick(names))
	what := d.rnd.IntN(12)
	if len(files) == 0 {
		what = 0
	}
	switch what {
	case 0, 1, 2:
		_ = os.WriteFile(to, []byte(fmt.Sprint(d.rnd.IntN(5))), 0o644) // where there is a directory nothing happens
	case 3, 4:
		_ = os.WriteFile(pick(files), []byte(fmt.Sprint(d.rnd.IntN(100))), 0o644)
	case 5:
		_ = os.Mkdir(to, 0o755)
	case 6:
		_ = os.Remove(pick(files))
	case 7:
		if from := pick(dirs); from != d.root && d.rnd.IntN(4) == 0 {
			_ = os.RemoveAll(from)
		}
	case 8:
		_ = os.Symlink(pick(names), to)
	case 9:
		_ = os.Chmod(pick(files), []fs.FileMode{0o644, 0o755}[d.rnd.IntN(2)])
	default:
		if d.links {
			from := pick(files)
			if !strings.Contains(from+to, "/skip") {
				_ = os.Link(from, to) // another name where nothing is noticed is another test's
			}
			return
		}
		if from := pick(append(dirs, files...)); from != d.root {
			_ = os.Rename(from, to)
		}
	}
}
