package workspace

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
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

// stores opens the places that exist without making any.
func (v *Vault) stores() []store {
	var out []store
	v.mu.RLock()
	if len(v.roots) > 0 {
		r := v.roots[0]
		if dir, err := openat.Dir(r.dir, v.artifactDir); err == nil {
			out = append(out, store{dir, filepath.Join(r.real, v.artifactDir), v.artifactDir})
		}
	}
	v.mu.RUnlock()
	if v.home != "" {
		if dir, err := durable.OpenRoot(v.homeArtifacts); err == nil {
			out = append(out, store{dir: dir, abs: v.homeArtifacts})
		}
	}
	return out
}

func closeStores(list []store) {
	for _, s := range list {
		s.dir.Close()
	}
}

// ArtifactDirs are the absolute directories of a session's artifacts, whether
// or not they exist.
func (v *Vault) ArtifactDirs(sessionID string) []string {
	var out []string
	if r := v.Root(); r != "" {
		out = append(out, filepath.Join(r, v.artifactDir, sessionFolder(sessionID)))
	}
	if v.home != "" {
		out = append(out, filepath.Join(v.homeArtifacts, sessionFolder(sessionID)))
	}
	return out
}

// Find finds an artifact by its id, by its path (relative to the Vault or
// absolute, only inside the stores) or by its `agent-artifact:` URI. sessionID
// is that of its session.
func (v *Vault) Find(ref string) (art tool.ArtifactRef, fullPath, sessionID string, err error) {
	list := v.stores()
	defer closeStores(list)
	none := fmt.Errorf("no artifact %q", textedit.CutLine(ref, 200))
	if rest, ok := strings.CutPrefix(ref, "agent-artifact:/"); ok {
		folder, file, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		return v.findAt(list, folder, file, none)
	}
	if !strings.ContainsAny(ref, `/\`) {
		for _, s := range list {
			for _, folder := range s.sessions() {
				for _, ext := range []string{".txt", ".json"} {
					if e, err := v.load(s, folder, ref+ext); err == nil {
						return e.ref, e.full, e.session, nil
					}
				}
			}
		}
		return art, "", "", none
	}
	p, err := v.Path(ref)
	if err != nil {
		return art, "", "", none
	}
	for i, s := range list {
		if rel, in := pathname.Below(end(s.abs), p.abs); in {
			folder, file, _ := strings.Cut(rel, "/")
			return v.findAt(list[i:i+1], folder, file, none)
		}
	}
	return art, "", "", none
}

func (v *Vault) findAt(list []store, folder, file string, none error) (tool.ArtifactRef, string, string, error) {
	for _, s := range list {
		if e, err := v.load(s, folder, file); err == nil {
			return e.ref, e.full, e.session, nil
		}
	}
	return tool.ArtifactRef{}, "", "", none
}

// load describes the artifact file in the session's folder. Nothing but a plain
// name of our own pattern is ever opened.
func (v *Vault) load(s store, folder, file string) (artifactEntry, error) {
	if !artifactName().MatchString(file) || folder == "" || strings.HasPrefix(folder, ".") || strings.ContainsAny(folder, `/\`) {
		return artifactEntry{}, errors.New("not an artifact")
	}
	id := strings.TrimSuffix(file, filepath.Ext(file))
	full := filepath.Join(s.abs, folder, file)
	dir, err := openat.Dir(s.dir, folder)
	if err != nil {
		return artifactEntry{}, err
	}
	defer dir.Close()
	f, _, err := openat.File(dir, file)
	if err != nil {
		return artifactEntry{}, err
	}
	defer f.Close()
	v.artifacts.mu.Lock()
	known, ok := v.artifacts.found[id]
	v.artifacts.mu.Unlock()
	if ok && known.full == full {
		return known, nil
	}
	e := artifactEntry{full: full, session: folder, ref: tool.ArtifactRef{
		ArtifactID: id, URI: artifactURI(folder, file), FileURI: fileuri.Of(full), Path: s.show(folder, file), MIMEType: "text/plain",
	}}
	if filepath.Ext(file) == ".json" {
		e.ref.MIMEType = "application/json"
	}
	if err := measure(f, &e.ref); err != nil {
		return artifactEntry{}, err
	}
	v.artifacts.add(e)
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
func (s store) sessions() []string {
	f, err := s.dir.Open(".")
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
func (s store) files(folder string) []os.FileInfo {
	dir, err := openat.Dir(s.dir, folder)
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
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && artifactName().MatchString(e.Name()) {
			out = append(out, fi)
		}
	}
	slices.SortFunc(out, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// List describes the artifacts of a session, oldest first.
func (v *Vault) List(sessionID string) ([]tool.ArtifactRef, error) {
	list := v.stores()
	defer closeStores(list)
	folder := sessionFolder(sessionID)
	out := []tool.ArtifactRef{}
	for _, s := range list {
		for _, fi := range s.files(folder) {
			if e, err := v.load(s, folder, fi.Name()); err == nil {
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
func (v *Vault) Named(sessionID string, ids []string) []tool.ArtifactRef {
	list := v.stores()
	defer closeStores(list)
	folder := sessionFolder(sessionID)
	var out []tool.ArtifactRef
	for _, id := range ids {
		for _, s := range list {
			e, err := v.load(s, folder, id+".txt")
			if err != nil {
				e, err = v.load(s, folder, id+".json")
			}
			if err == nil {
				out = append(out, e.ref)
				break
			}
		}
	}
	return out
}
