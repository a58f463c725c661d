package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Kind is what a path is in a commit.
type Kind int

// The kinds. Other is what is not brought from one folder to another: links, and
// repositories in the folder.
const (
	Nothing Kind = iota
	File
	Program // a file that may be executed
	Other
)

// Side is one side of a change.
type Side struct {
	Kind Kind
	ID   string // of the content, in git's names
}

// Change is a path that is other in one commit than in another.
type Change struct {
	Path     string // with slashes
	Was, Now Side
}

// Changed are the paths that are other in a commit than in one before.
func (m *Mirror) Changed(ctx context.Context, was, now string) ([]Change, error) {
	if !isID(was) || !isID(now) {
		return nil, errors.New("the name of a commit is none")
	}
	text, err := m.git(ctx, Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", was, now}})
	if err != nil {
		return nil, err
	}
	var out []Change
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about := strings.Fields(fields[i])
		if len(about) != 5 || about[0][0] != ':' || fields[i+1] == "" {
			return nil, fmt.Errorf("git says %q about a change", fields[i])
		}
		out = append(out, Change{fields[i+1], sideOf(about[0][1:], about[2]), sideOf(about[1], about[3])})
	}
	return out, nil
}

func sideOf(mode, id string) Side {
	switch mode {
	case "000000":
		return Side{}
	case "100644", "100664":
		return Side{File, id}
	case "100755":
		return Side{Program, id}
	}
	return Side{Other, id}
}

// Contents hands over the contents with these names, in order; of one that is longer than
// most bytes, nil.
func (m *Mirror) Contents(ctx context.Context, ids []string, most int64, each func(content []byte) error) error {
	in, err := m.fed(strings.Join(ids, "\n") + "\n")
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := m.scratch()
	if err != nil {
		return err
	}
	defer out.Close()
	if err := m.Git(ctx, Call{Args: []string{"cat-file", "--batch"}, Env: m.environment(), In: in, Out: out}); err != nil {
		return err
	}
	return eachContent(out, len(ids), most, each)
}

// eachContent reads what cat-file has printed.
func eachContent(out *os.File, count int, most int64, each func([]byte) error) error {
	at := int64(0)
	for range count {
		var line [200]byte
		n, err := out.ReadAt(line[:], at)
		end := bytes.IndexByte(line[:n], '\n')
		if end < 0 {
			return fmt.Errorf("git printed no content: %w", err)
		}
		fields := strings.Fields(string(line[:end]))
		if len(fields) != 3 || fields[1] != "blob" {
			return fmt.Errorf("git has no content: %q", line[:end])
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("git has no content: %q", line[:end])
		}
		at += int64(end) + 1
		var content []byte
		if size <= most {
			content = make([]byte, size)
			if _, err := out.ReadAt(content, at); err != nil {
				return err
			}
		}
		if err := each(content); err != nil {
			return err
		}
		at += size + 1
	}
	return nil
}
