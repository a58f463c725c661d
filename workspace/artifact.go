package workspace

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// ArtifactCap is the largest artifact in bytes: what comes after it is counted
// and hashed but not kept, so a ref with more Bytes was cut.
const ArtifactCap = 100 << 20

// artifactName is what our own files are called; nothing else is ever listed,
// found or swept.
var artifactName = lazy.Regexp(`^\d{8}T\d{6}Z_[A-Za-z0-9._-]{1,40}_[A-Za-z0-9._-]{1,80}_[0-9a-f]{8}\.(txt|json)$`)

// artifactIndex remembers the artifacts that this process wrote or found.
type artifactIndex struct {
	mu    sync.Mutex // guards found
	found map[string]artifactEntry
}

type artifactEntry struct {
	ref     tool.ArtifactRef
	full    string
	session string
}

// store is a place where artifacts lie: a directory of sessions.
type store struct {
	dir   *os.Root
	abs   string
	shown string // what a path in it is called: "" means absolute
}

// Create opens the file for the whole output of a call: in
// `<vault>/.agent-output/<sessionID>/`, else in `<home>/artifacts/<workspace-id>/<sessionID>/`;
// an error when neither can be written. Names from a model are sanitised and stand beside a
// hash. mime "application/json" makes a `.json`.
func (v *Vault) Create(sessionID, toolName, callID, mime string) (tool.Spill, error) {
	var errs []error
	for _, open := range []func() (store, error){v.vaultStore, v.homeStore} {
		s, err := open()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sp, err := v.createIn(s, sessionID, toolName, callID, mime)
		s.dir.Close()
		if err == nil {
			return sp, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("keep the output: %w", errors.Join(errs...))
}

func (v *Vault) createIn(s store, sessionID, toolName, callID, mime string) (tool.Spill, error) {
	folder := sessionFolder(sessionID)
	if err := v.makeDir(s.dir, folder, filepath.Join(s.abs, folder)); err != nil {
		return nil, err
	}
	dir, err := openat.Dir(s.dir, folder)
	if err != nil {
		return nil, err
	}
	ext := ".txt"
	if mime == "application/json" {
		ext = ".json"
	} else if mime == "" {
		mime = "text/plain"
	}
	var salt [8]byte
	rand.Read(salt[:])
	h := sha256.Sum256([]byte(sessionID + "\x00" + toolName + "\x00" + callID + "\x00" + string(salt[:])))
	id := fmt.Sprintf("%s_%s_%s_%s", time.Now().UTC().Format("20060102T150405Z"),
		cmp.Or(tool.PlainName(toolName, 40), "tool"), cmp.Or(tool.PlainName(callID, 80), "call"), hex.EncodeToString(h[:4]))
	full := filepath.Join(s.abs, folder, id+ext)
	var f *os.File
	err = v.disk.Do(durable.OpCreate, full, func() (err error) {
		f, err = dir.OpenFile(id+ext, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err == nil && f == nil {
		err = os.ErrClosed // the disk is frozen, and so is whoever asks
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &spill{v: v, dir: dir, f: f, hash: sha256.New(), session: sessionID, ref: tool.ArtifactRef{
		ArtifactID: id, URI: artifactURI(folder, id+ext), FileURI: fileuri.Of(full),
		Path: s.show(folder, id+ext), MIMEType: mime,
	}, full: full}, nil
}

func artifactURI(folder, file string) string { return "agent-artifact:/" + folder + "/" + file }

// show is the path of a file in the store as people and models see it.
func (s store) show(folder, file string) string {
	if s.shown == "" {
		return filepath.Join(s.abs, folder, file)
	}
	return s.shown + "/" + folder + "/" + file
}

// sessionFolder is the name of a session's directory: its id where that is a
// plain name, else its sanitised form with a hash.
func sessionFolder(id string) string {
	clean := tool.PlainName(id, 80)
	if clean == id && id != "" && !strings.HasPrefix(id, ".") {
		return id
	}
	return strings.TrimLeft(clean, ".") + "-" + hashOf([]byte(id))[:8]
}

// spill is an artifact being written. It never makes its writer fail: what goes
// wrong is told by Close, and the call goes on without an artifact.
type spill struct {
	v       *Vault
	dir     *os.Root
	session string
	full    string

	mu   sync.Mutex // guards everything below
	f    *os.File
	hash hash.Hash
	ref  tool.ArtifactRef
	last byte
	err  error
}

func (s *spill) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return 0, os.ErrClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	if room := ArtifactCap - s.ref.Bytes; room > 0 && s.err == nil {
		_, s.err = s.v.disk.Write(durable.OpWrite, s.full, s.f, p[:min(int64(len(p)), room)])
	}
	s.hash.Write(p)
	s.ref.Bytes += int64(len(p))
	s.ref.Lines += int64(bytes.Count(p, []byte{'\n'}))
	s.last = p[len(p)-1]
	return len(p), nil
}

// Path is what the file is called for a model, also while it is written.
func (s *spill) Path() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ref.Path
}

// Close ends the file. Bytes, Lines and SHA256 are of the whole output, also
// where the file was cut at ArtifactCap. On an error nothing is left behind.
func (s *spill) Close() (tool.ArtifactRef, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return tool.ArtifactRef{}, "", os.ErrClosed
	}
	name := filepath.Base(s.full)
	err := errors.Join(s.err, s.f.Close())
	s.f = nil
	defer s.dir.Close()
	if err != nil {
		openat.Writer{Disk: s.v.disk, Dir: s.dir, Abs: filepath.Dir(s.full)}.Drop(name)
		return tool.ArtifactRef{}, "", fmt.Errorf("keep the output: %w", err)
	}
	if s.ref.Bytes > 0 && s.last != '\n' {
		s.ref.Lines++
	}
	s.ref.SHA256, s.ref.Capped = hex.EncodeToString(s.hash.Sum(nil)), s.ref.Bytes > ArtifactCap
	s.v.artifacts.add(artifactEntry{s.ref, s.full, s.session})
	return s.ref, s.full, nil
}

func (x *artifactIndex) add(e artifactEntry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.found == nil {
		x.found = map[string]artifactEntry{}
	}
	x.found[e.ref.ArtifactID] = e
}

// vaultStore opens `.agent-output` in the first folder, making it and its
// .gitignore where needed. A link of that name is never followed.
func (v *Vault) vaultStore() (store, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if len(v.roots) == 0 {
		return store{}, errNoFolder
	}
	r := v.roots[0]
	abs := filepath.Join(r.real, v.artifactDir)
	if err := v.makeDir(r.dir, v.artifactDir, abs); err != nil {
		return store{}, err
	}
	dir, err := openat.Dir(r.dir, v.artifactDir)
	if err != nil {
		return store{}, err
	}
	if err := ignoreAll(v.disk, dir, abs); err != nil {
		dir.Close()
		return store{}, err
	}
	return store{dir, abs, v.artifactDir}, nil
}

// ignoreAll makes the store's .gitignore say exactly `*`.
func ignoreAll(disk *durable.Disk, dir *os.Root, abs string) error {
	const name = ".gitignore"
	if f, fi, err := openat.File(dir, name); err == nil {
		data, _ := io.ReadAll(io.LimitReader(f, 16))
		f.Close()
		if fi.Size() == 1 && string(data) == "*" {
			return nil
		}
	}
	w := openat.Writer{Disk: disk, Dir: dir, Abs: abs}
	temp, err := w.Temp(name, []byte("*"), nil)
	if err != nil {
		return err
	}
	err = disk.Do(durable.OpRename, filepath.Join(abs, name), func() error { return dir.Rename(temp, name) })
	if err != nil {
		w.Drop(temp)
	}
	return err
}

func (v *Vault) homeStore() (store, error) {
	if v.home == "" {
		return store{}, errors.New("the sidecar has no home directory")
	}
	if err := v.disk.MkdirAll(v.homeArtifacts, 0o700); err != nil {
		return store{}, err
	}
	dir, err := durable.OpenRoot(v.homeArtifacts)
	return store{dir: dir, abs: v.homeArtifacts}, err
}

// makeDir makes one directory of a store where it is missing.
func (v *Vault) makeDir(in *os.Root, name, abs string) error {
	err := v.disk.Do(durable.OpMkdir, abs, func() error { return in.Mkdir(name, 0o700) })
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}
