package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many links one path may go through, as in the kernel.
const maxLinks = 40

// resolved is where a path leads. forms are the clean spellings it had on the
// way, the first one being what was asked; abs is the end.
type resolved struct {
	abs   string
	forms []string
}

// resolve follows every link of a clean absolute path; without followLast not
// one at the very end. What does not exist is kept as written, so that a path
// to be created and the target of a dangling link have a place too.
//
// It walks by hand because filepath.EvalSymlinks refuses missing files.
func resolve(abs string, followLast bool) (resolved, error) {
	volume := filepath.VolumeName(abs)
	sep := string(filepath.Separator)
	top := volume + sep
	out := resolved{forms: []string{abs}}
	cur := top
	pending := segments(abs[len(volume):])
	for links := 0; len(pending) > 0; {
		seg := pending[0]
		pending = pending[1:]
		if seg == ".." { // only out of a link's target: abs is clean
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, seg)
		if len(pending) == 0 && !followLast {
			cur = next
			break
		}
		fi, err := os.Lstat(next)
		if err != nil {
			if e := unusable(err); e != nil {
				return resolved{}, e
			}
			cur = next
			continue
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			cur = next
			continue
		}
		if links++; links > maxLinks {
			return resolved{}, errors.New("too many links, or links that lead in a circle")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return resolved{}, fmt.Errorf("read link: %w", plain(err))
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			cur = volume + sep
			target = target[len(volume):]
		}
		pending = append(segments(target), pending...)
		out.forms = append(out.forms, filepath.Join(append([]string{cur}, pending...)...))
		if len(out.forms[len(out.forms)-1]) > maxPathBytes {
			return resolved{}, errors.New("the path is too long behind its links")
		}
	}
	out.abs = cur
	return out, nil
}

// unusable tells which failures of Lstat are wrong with the path itself. A
// missing file, a file where a directory should be and a closed directory are
// not: those are found when the path is used.
func unusable(err error) error {
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return errors.New("the name is too long")
	}
	return nil
}

func segments(s string) []string {
	var out []string
	for seg := range strings.FieldsFuncSeq(s, isSlash) {
		if seg != "." {
			out = append(out, seg)
		}
	}
	return out
}

// plain drops the operation and the path that the os package puts in front: our
// own errors name the path as the model knows it.
func plain(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	// os.Root has no exported error for this. Our paths hold no links, so it
	// can only mean that one was put there after the path was resolved.
	if err != nil && err.Error() == "path escapes from parent" {
		return errMoved
	}
	return err
}
