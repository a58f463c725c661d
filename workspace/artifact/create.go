// Package artifact keeps large outputs as files: in a directory of the first folder, else
// in the sidecar's home. It finds them again, bounds them and removes old ones. It knows no
// Vault, no tool and no session but its name, and follows no link.
package artifact

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

// Cap is the largest artifact in bytes: what comes after it is counted
// and hashed but not kept, so a ref with more Bytes was cut.
const Cap = 100 << 20

// ownName is what our own files are called; nothing else is ever listed,
// found or swept.
var ownName = lazy.Regexp(`^\d{8}T\d{6}Z_[A-Za-z0-9._-]{1,40}_[A-Za-z0-9._-]{1,80}_[0-9a-f]{8}\.(txt|json)$`)

// Folders are the folders of the workspace, which may change at any time.
type Folders interface {
	// First calls do with the first folder, open, and with its path without links; that it
	// has none is an error. The folder stays open until do returns.
	First(do func(dir *os.Root, abs string) error) error
	// Abs is the absolute path without links that a person or a model has named.
	Abs(path string) (string, error)
}

// Store is the artifacts of a workspace. Its methods are safe for concurrent use.
type Store struct {
	disk    *durable.Disk
	folders Folders
	name    string // of the directory in the first folder
	home    string // the directory for those that the first folder cannot have; "": there is none

	mu    sync.Mutex       // guards found
	found map[string]entry // what this process wrote or found
}

// New is a store in the directory name of the first folder, or in the directory home
// (absolute; "": nowhere) where that cannot be written.
func New(disk *durable.Disk, folders Folders, name, home string) *Store {
	return &Store{disk: disk, folders: folders, name: name, home: home}
}

type entry struct {
	ref     tool.ArtifactRef
	full    string
	session string
}

// place is a directory of sessions, each a directory of artifacts.
type place struct {
	dir   *os.Root
	abs   string
	shown string // what a path in it is called: "" means absolute
}

// Create opens the file for the whole output of a call: in
// `<vault>/.agent-output/<sessionID>/`, else in `<home>/artifacts/<workspace-id>/<sessionID>/`;
// an error when neither can be written. Names from a model are sanitised and are beside a
// hash. mime "application/json" makes a `.json`.
func (s *Store) Create(sessionID, toolName, callID, mime string) (tool.Spill, error) {
	var errs []error
	for _, open := range []func() (place, error){s.inFolder, s.inHome} {
		p, err := open()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sp, err := s.createIn(p, sessionID, toolName, callID, mime)
		p.dir.Close()
		if err == nil {
			return sp, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("keep the output: %w", errors.Join(errs...))
}

func (s *Store) createIn(p place, sessionID, toolName, callID, mime string) (tool.Spill, error) {
	folder := Folder(sessionID)
	if err := s.makeDir(p.dir, folder, filepath.Join(p.abs, folder)); err != nil {
		return nil, err
	}
	dir, err := openat.Dir(p.dir, folder)
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
	full := filepath.Join(p.abs, folder, id+ext)
	var f *os.File
	err = s.disk.Do(durable.OpCreate, full, func() (err error) {
		f, err = dir.OpenFile(id+ext, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err == nil && f == nil {
		err = os.ErrClosed // the disk is frozen, and so is anyone who asks
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &spill{store: s, dir: dir, f: f, hash: sha256.New(), session: sessionID, ref: tool.ArtifactRef{
		ArtifactID: id, URI: uriOf(folder, id+ext), FileURI: fileuri.Of(full),
		Path: p.show(folder, id+ext), MIMEType: mime,
	}, full: full}, nil
}

func uriOf(folder, file string) string { return "agent-artifact:/" + folder + "/" + file }

// show is the path of a file in the store as people and models see it.
func (p place) show(folder, file string) string {
	if p.shown == "" {
		return filepath.Join(p.abs, folder, file)
	}
	return p.shown + "/" + folder + "/" + file
}

// Folder is the name of the directory that a session's artifacts are in: its id where that is a
// plain name, else its sanitised form with a hash.
func Folder(id string) string {
	clean := tool.PlainName(id, 80)
	if clean == id && id != "" && !strings.HasPrefix(id, ".") {
		return id
	}
	h := sha256.Sum256([]byte(id))
	return strings.TrimLeft(clean, ".") + "-" + hex.EncodeToString(h[:4])
}

// spill is an artifact being written. It never makes its writer fail: what goes
// wrong is told by Close, and the call goes on without an artifact.
type spill struct {
	store   *Store
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
	if room := Cap - s.ref.Bytes; room > 0 && s.err == nil {
		_, s.err = s.store.disk.Write(durable.OpWrite, s.full, s.f, p[:min(int64(len(p)), room)])
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
// where the file was cut at Cap. On an error nothing is left behind.
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
		openat.Writer{Disk: s.store.disk, Dir: s.dir, Abs: filepath.Dir(s.full)}.Drop(name)
		return tool.ArtifactRef{}, "", fmt.Errorf("keep the output: %w", err)
	}
	if s.ref.Bytes > 0 && s.last != '\n' {
		s.ref.Lines++
	}
	s.ref.SHA256, s.ref.Capped = hex.EncodeToString(s.hash.Sum(nil)), s.ref.Bytes > Cap
	s.store.add(entry{s.ref, s.full, s.session})
	return s.ref, s.full, nil
}

func (s *Store) add(e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = map[string]entry{}
	}
	s.found[e.ref.ArtifactID] = e
}

// inFolder opens `.agent-output` in the first folder, making it and its
// .gitignore where needed. A link of that name is never followed.
func (s *Store) inFolder() (p place, err error) {
	err = s.folders.First(func(in *os.Root, abs string) error {
		abs = filepath.Join(abs, s.name)
		if err := s.makeDir(in, s.name, abs); err != nil {
			return err
		}
		dir, err := openat.Dir(in, s.name)
		if err != nil {
			return err
		}
		if err := IgnoreAll(s.disk, dir, abs); err != nil {
			dir.Close()
			return err
		}
		p = place{dir, abs, s.name}
		return nil
	})
	return p, err
}

// IgnoreAll makes the .gitignore of a directory, which is called abs, say exactly `*`.
func IgnoreAll(disk *durable.Disk, dir *os.Root, abs string) error {
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

func (s *Store) inHome() (place, error) {
	if s.home == "" {
		return place{}, errors.New("the sidecar has no home directory")
	}
	if err := s.disk.MkdirAll(s.home, 0o700); err != nil {
		return place{}, err
	}
	dir, err := durable.OpenRoot(s.home)
	return place{dir: dir, abs: s.home}, err
}

// makeDir makes one directory of a place where it is missing.
func (s *Store) makeDir(in *os.Root, name, abs string) error {
	err := s.disk.Do(durable.OpMkdir, abs, func() error { return in.Mkdir(name, 0o700) })
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}
