package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// validID keeps what a client calls a session from being a path.
func validID(id string) bool {
	return id != "" && len(id) <= 12 && strings.Trim(id, "0123456789") == ""
}

// nextID takes the next number, which is never used again, and makes the
// session's folder: in a temporary place for an ephemeral one.
func (st *Store) nextID(ephemeral bool) (id, dir string, err error) {
	const mostNext = 64 // bytes
	next := filepath.Join(st.dir, "next")
	n := 1
	if raw, err := durable.ReadFile(next, mostNext); err == nil {
		if m, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && m > 0 {
			n = m
		}
	}
	for ; ; n++ {
		id = fmt.Sprintf("%04d", n)
		dir = filepath.Join(st.dir, id)
		if ephemeral {
			id = "e" + id
			dir, err = os.MkdirTemp("", ephemeralFolder)
		} else {
			err = st.deps.Disk.Mkdir(dir, 0o700)
		}
		switch {
		case err == nil:
			if err = st.deps.Disk.WriteFile(next, []byte(strconv.Itoa(n+1)+"\n"), 0o600); err != nil {
				err = errors.Join(err, st.deps.Disk.Remove(dir))
			}
			return id, dir, err
		case !errors.Is(err, fs.ErrExist):
			return "", "", err
		}
	}
}

// numbered lists the folders of sessions.
func numbered(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && validID(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// compareIDs orders ids as they were given: 9999 before 10000, a session before
// its sub-agents.
func compareIDs(a, b string) int {
	a, subA, _ := strings.Cut(a, ".")
	b, subB, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b), cmp.Compare(len(subA), len(subB)), strings.Compare(subA, subB))
}
