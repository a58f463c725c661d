package walk

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// kernel is where the kernel itself gets to.
func kernel(path string, last bool) (string, error) {
	flags := unix.O_PATH | unix.O_CLOEXEC
	if !last {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Open(path, flags, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// randomTree is a directory with others, files and links in all directions.
func randomTree(t *testing.T, r *rand.Rand) (top string, all []string) {
	files := map[string]string{"ws/": ""}
	dirs, names := []string{"ws", "."}, []string{"a", "b", "c"}
	one := func(of []string) string { return of[r.IntN(len(of))] }
	for range 40 {
		at := filepath.Join(one(dirs), one(names))
		taken := func(has string) bool {
			return has == at || has == at+"/" || strings.HasPrefix(at, has+"/") && !strings.HasSuffix(has, "/")
		}
		free := true
		for has := range files {
			free = free && !taken(has) && !strings.HasPrefix(has, at+"/")
		}
		if !free {
			continue
		}
		switch r.IntN(5) {
		case 0:
			files[at] = "x"
		case 1, 2:
			files[at+"/"] = ""
			dirs = append(dirs, at)
		default:
			to := way(r, append(names, "..", ".."), 1+r.IntN(3))
			switch r.IntN(4) {
			case 0:
				to = "$T/" + to
			case 1:
				to = "$T/" + one(dirs)
			}
			files[at] = "-> " + to
		}
	}
	return tree(t, files), slices.Sorted(maps.Keys(files))
}

func way(r *rand.Rand, names []string, long int) string {
	var segs []string
	for range long {
		segs = append(segs, names[r.IntN(len(names))])
	}
	return strings.Join(segs, []string{"/", "/", "//", "/./"}[r.IntN(4)])
}

// The walk and the kernel go to the same place, on every tree and every way.
func TestWalkIsTheKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reached, links, ups := 0, 0, 0
	for range 30 {
		top, all := randomTree(t, r)
		for range 200 {
			path := top + "/" + strings.TrimSuffix(all[r.IntN(len(all))], "/") + "/" + way(r, []string{"a", "b", "c", "a", "b", "c", "ws", "..", "..", "..", "none"}, 1+r.IntN(5))
			if r.IntN(8) == 0 {
				path += "/"
			}
			last := r.IntN(3) > 0 || strings.HasSuffix(path, "/")
			want, wrong := kernel(path, last)
			end, err := To(path, last)
			switch {
			case errors.Is(wrong, unix.ELOOP):
				if !errors.Is(err, ErrCircle) && end.Missing == "" {
					t.Fatalf("%s: the kernel goes round in circles, the walk to %+v (%v)", path, end, err)
				}
				continue
			case errors.Is(wrong, unix.ENOENT), errors.Is(wrong, unix.ENOTDIR):
				if real, e := kernel(end.Abs, false); err == nil && e == nil && end.Missing == "" && real == end.Abs && !strings.HasSuffix(path, "/") {
					t.Fatalf("%s: %v for the kernel, the walk comes to %+v", path, wrong, end)
				}
				continue
			case wrong != nil:
				t.Fatal(path, wrong)
			}
			if err != nil || end.Abs != want || end.Missing != "" || end.Unknown != "" || !end.Exists {
				t.Fatalf("%s: the kernel comes to %s, the walk to %+v (%v)", path, want, end, err)
			}
			reached++
			if len(end.Forms) > 0 {
				links++
			}
			ups += reported(t, path, end)
		}
	}
	if reached < 900 || links < 400 || ups < 200 {
		t.Errorf("%d paths lead somewhere, %d through links, %d leave where a link led: too few to say anything", reached, links, ups)
	}
}

// reported holds that each place which ".." leaves is one that the walk names, or one
// that the text shows. It counts the others.
func reported(t *testing.T, path string, end End) (left int) {
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		if seg != ".." {
			continue
		}
		prefix := strings.Join(segs[:i], "/")
		real, err := kernel(prefix, true)
		if err != nil || real == filepath.Clean(prefix) {
			continue
		}
		left++
		if !slices.ContainsFunc(append(slices.Concat(end.Forms, end.Left), end.Abs), func(f string) bool { return f == real || strings.HasPrefix(f, real+"/") || real == "/" }) {
			t.Fatalf("%s goes through %s, which the walk does not name: %+v", path, real, end)
		}
	}
	return left
}
