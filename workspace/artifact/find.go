package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// stores opens the places that exist without making any.
func (s *Store) stores() []place {
	var out []place
	_ = s.folders.First(func(in *os.Root, abs string) error { // without a folder there is only the home
		if dir, err := openat.Dir(in, s.name); err == nil {
			out = append(out, place{dir, filepath.Join(abs, s.name), s.name})
		}
		return nil
	})
	if s.home != "" {
		if dir, err := durable.OpenRoot(s.home); err == nil {
			out = append(out, place{dir: dir, abs: s.home})
		}
	}
	return out
}

func closeStores(list []place) {
	for _, p := range list {
		p.dir.Close()
	}
}

// ArtifactDirs are the absolute directories of a session's artifacts, whether
// or not they exist.
func (s *Store) ArtifactDirs(sessionID string) []string {
	var out []string
	_ = s.folders.First(func(_ *os.Root, abs string) error { // without a folder there is only the home
		out = append(out, filepath.Join(abs, s.name, Folder(sessionID)))
		return nil
	})
	if s.home != "" {
		out = append(out, filepath.Join(s.home, Folder(sessionID)))
	}
	return out
}

// Find finds an artifact by its id, by its path (relative to the Vault or
// absolute, only inside the stores) or by its `agent-artifact:` URI. sessionID
// is that of its session.
func (s *Store) Find(ref string) (art tool.ArtifactRef, fullPath, sessionID string, err error) {
	list := s.stores()
	defer closeStores(list)
	none := fmt.Errorf("no artifact %q", tool.CutLine(ref, 200))
	if rest, ok := strings.CutPrefix(ref, "agent-artifact:/"); ok {
		folder, file, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		return s.findAt(list, folder, file, none)
	}
	if !strings.ContainsAny(ref, `/\`) {
		for _, p := range list {
			for _, folder := range p.sessions() {
				for _, ext := range []string{".txt", ".json"} {
					if e, err := s.load(p, folder, ref+ext); err == nil {
						return e.ref, e.full, e.session, nil
					}
				}
			}
		}
		return art, "", "", none
	}
	abs, err := s.folders.Abs(ref)
	if err != nil {
		return art, "", "", none
	}
	for i, p := range list {
		if rel, in := pathname.Below(walk.Leads(p.abs), abs); in {
			folder, file, _ := strings.Cut(rel, "/")
			return s.findAt(list[i:i+1], folder, file, none)
		}
	}
	return art, "", "", none
}

func (s *Store) findAt(list []place, folder, file string, none error) (tool.ArtifactRef, string, string, error) {
	for _, p := range list {
		if e, err := s.load(p, folder, file); err == nil {
			return e.ref, e.full, e.session, nil
		}
	}
	return tool.ArtifactRef{}, "", "", none
}

// load describes the artifact file in the session's folder. Nothing but a plain
// name of our own pattern is ever opened.
func (s *Store) load(p place, folder, file string) (entry, error) {
	if !ownName().MatchString(file) || folder == "" || strings.HasPrefix(folder, ".") || strings.ContainsAny(folder, `/\`) {
		return entry{}, errors.New("not an artifact")
	}
	id := strings.TrimSuffix(file, filepath.Ext(file))
	full := filepath.Join(p.abs, folder, file)
	dir, err := openat.Dir(p.dir, folder)
	if err != nil {
		return entry{}, err
	}
	defer dir.Close()
	f, _, err := openat.File(dir, file)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	s.mu.Lock()
	known, ok := s.found[id]
	s.mu.Unlock()
	if ok && known.full == full {
		return known, nil
	}
	e := entry{full: full, session: folder, ref: tool.ArtifactRef{
		ArtifactID: id, URI: uriOf(folder, file), FileURI: fileuri.Of(full), Path: p.show(folder, file), MIMEType: "text/plain",
	}}
	if filepath.Ext(file) == ".json" {
		e.ref.MIMEType = "application/json"
	}
	if err := measure(f, &e.ref); err != nil {
		return entry{}, err
	}
	s.add(e)
	return e, nil
}

// measure fills in size, lines and hash of a file of an earlier process.
func measure(r io.Reader, ref *tool.ArtifactRef) error {
	h := sha256.New()
	buf := make([]byte, 64<<10)
	last := byte('\n')
	for {
		n, err := r.Read(buf)
		if n > 0 {
			h.Write(buf[:n])
			ref.Bytes += int64(n)
			ref.Lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
			last = buf[n-1]
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if last != '\n' {
		ref.Lines++
	}
	ref.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// sessions lists the folders of a store.
func (p place) sessions() []string {
	f, err := p.dir.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// files lists our own files in a session's folder, oldest first by name.
func (p place) files(folder string) []os.FileInfo {
	dir, err := openat.Dir(p.dir, folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	var out []os.FileInfo
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && ownName().MatchString(e.Name()) {
			out = append(out, fi)
		}
	}
	slices.SortFunc(out, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// List describes the artifacts of a session, oldest first.
func (s *Store) List(sessionID string) ([]tool.ArtifactRef, error) {
	list := s.stores()
	defer closeStores(list)
	folder := Folder(sessionID)
	out := []tool.ArtifactRef{}
	for _, p := range list {
		for _, fi := range p.files(folder) {
			if e, err := s.load(p, folder, fi.Name()); err == nil {
				out = append(out, e.ref)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b tool.ArtifactRef) int { return strings.Compare(a.ArtifactID, b.ArtifactID) })
	return out, nil
}

// Named describes those artifacts of a session that have one of these ids, in the
// order of the ids. What is not there any more is left out, and no other file is
// opened: a long session has thousands.
func (s *Store) Named(sessionID string, ids []string) []tool.ArtifactRef {
	list := s.stores()
	defer closeStores(list)
	folder := Folder(sessionID)
	var out []tool.ArtifactRef
	for _, id := range ids {
		for _, p := range list {
			e, err := s.load(p, folder, id+".txt")
			if err != nil {
				e, err = s.load(p, folder, id+".json")
			}
			if err == nil {
				out = append(out, e.ref)
				break
			}
		}
	}
	return out
}
