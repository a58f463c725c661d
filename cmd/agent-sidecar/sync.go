package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
	"github.com/agent-sidecar/agent-sidecar/session/replica/stream"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// Files of the home. The key is the person's, the same on each machine; the other one tells
// this home apart from those of other machines.
const (
	syncKeyFile  = "sync.key"
	syncHomeFile = "sync.home"
	mostKeyFile  = 1 << 10 // bytes
)

// synced is the way from the sessions of a workspace to their copies.
type synced struct {
	space   replica.Space
	server  *stream.Server
	keeper  *copies.Keeper
	missing said.Text // why there is none; zero where there is one
}

// synced prepares the copies of a workspace's sessions; nil where the person has configured
// none. Nothing is reached before a session is opened or looked for.
func (w *wiring) synced(config *config.Store, folder string) *synced {
	settings := config.Settings().Sync
	if settings == nil {
		return nil
	}
	s := &synced{}
	if err := s.prepare(w, settings, folder); err != nil && s.missing.IsZero() {
		s.missing = because(err)
	}
	return s
}

func (s *synced) prepare(w *wiring, settings *config.Sync, folder string) error {
	key, err := readSyncKey(w.home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.missing = said.That("there is no key on this machine: agent-sidecar sync key makes one, agent-sidecar sync join takes that of another machine")
		return err
	case err != nil:
		return err
	}
	name := syncName(settings, folder)
	if name == "" {
		s.missing = said.That("this folder is in no repository with an origin, and sync.workspaces has no name for it")
		return fs.ErrNotExist
	}
	options := stream.Options{URL: settings.URL, Person: key.Person(), CA: homeFile(w, settings.CA), Leases: replica.LeaseTime}
	if err := credentials(&options, homeFile(w, settings.Credentials)); err != nil {
		return err
	}
	if s.server, err = stream.New(options); err != nil {
		return err
	}
	s.space = replica.Space{Remote: s.server, Key: key, Workspace: name, Disk: w.disk}
	return nil
}

// keep begins to keep the sessions of a store; nil where there is nothing to keep them with.
func (s *synced) keep(w *wiring, workspaceID string, st *store.Store) *copies.Keeper {
	if s == nil || !s.missing.IsZero() {
		return nil
	}
	home, err := homeName(w)
	if err != nil {
		s.missing = because(err)
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "another machine"
	}
	machine := replica.Machine{ID: home + " " + workspaceID, Name: host}
	s.keeper = copies.NewKeeper(copies.Options{
		Space: &s.space, Sessions: st, Machine: machine, Told: st.ShowSync,
		Failed: func(id string, err error) { w.log.Warn().Err(err).Str("session", id).Msg("sync") },
	})
	return s.keeper
}

// state is session.Deps.SyncState.
func (s *synced) state(id string) string {
	if s == nil {
		return session.LocalOnly
	}
	return string(s.keeper.State(id))
}

// Sync implements rpc.Copies.
func (s *synced) Sync() *rpc.Sync {
	if s == nil {
		return nil
	}
	out := &rpc.Sync{Missing: s.missing.String()}
	if s.missing.IsZero() {
		select {
		case <-s.server.Reconnected():
			out.Reached = true
		default:
			if err := s.server.Why(); err != nil {
				out.Missing = err.Error()
			}
		}
	}
	return out
}

func (s *synced) close() {
	if s == nil || s.keeper == nil {
		return
	}
	s.keeper.Close()
	s.server.Close()
}

// homeFile is a file that the configuration names.
func homeFile(w *wiring, name string) string {
	switch rest, below := strings.CutPrefix(name, "~/"); {
	case name == "" || filepath.IsAbs(name):
		return name
	case below:
		return filepath.Join(w.userHome, rest)
	}
	return filepath.Join(w.home, name)
}

// credentials says who the person is to the server: a file of its tools, or user:password.
func credentials(to *stream.Options, file string) error {
	if file == "" {
		return nil
	}
	const most = 64 << 10 // bytes
	raw, err := durable.ReadFile(file, most)
	if err != nil {
		return fmt.Errorf("sync.credentials: %w", err)
	}
	text := strings.TrimSpace(string(raw))
	if strings.Contains(text, "-----BEGIN NATS USER JWT-----") {
		to.Credentials = file
		return nil
	}
	user, password, ok := strings.Cut(text, ":")
	if !ok || strings.ContainsAny(text, "\r\n") {
		return errors.New("sync.credentials: the file is neither one of the server's tools nor one line with user:password")
	}
	to.User, to.Password = user, password
	return nil
}

func readSyncKey(home string) (replica.Key, error) {
	raw, err := durable.ReadFile(filepath.Join(home, syncKeyFile), mostKeyFile)
	if err != nil {
		return replica.Key{}, err
	}
	key, err := replica.ParseKey(string(raw))
	if err != nil {
		return replica.Key{}, fmt.Errorf("%s: %w", syncKeyFile, err)
	}
	return key, nil
}

// homeName is a name of this home that no other one has.
func homeName(w *wiring) (string, error) {
	path := filepath.Join(w.home, syncHomeFile)
	for range 2 {
		raw, err := durable.ReadFile(path, mostKeyFile)
		if name := strings.TrimSpace(string(raw)); err == nil && name != "" {
			return name, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		var name [16]byte
		_, _ = rand.Read(name[:]) // never fails
		if err := w.disk.WriteFile(path, []byte(hex.EncodeToString(name[:])+"\n"), 0o600); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s is empty", path)
}
