package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Fork makes a session that begins with what another one was at seq at, or at the
// last boundary before it; at 0 is now, title "" the other's and that it is a fork. It works from what
// is on disk, so the other may be running, here or elsewhere, and is on its
// own afterwards: what its log names is copied. A crash on the way leaves a
// folder without a log, which is no session.
func (m *maker) Fork(id string, at int64, title *string) (*session.Session, error) {
	from, ephemeral, err := m.folderOf(id)
	if err != nil {
		return nil, err
	}
	return m.forkFrom(id, from, ephemeral, at, title, 0)
}

// forkTitle is what a fork is called that nobody named: "x (fork)", and a fork of that
// "x (fork 2)".
func forkTitle(of string) string {
	const mark = " (fork"
	if at := strings.LastIndex(of, mark); at >= 0 {
		last := of[at+len(mark):]
		if last == ")" {
			return of[:at] + mark + " 2)"
		}
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(last, " "), ")"))
		if err == nil && n > 1 && last == fmt.Sprintf(" %d)", n) {
			return fmt.Sprintf("%s%s %d)", of[:at], mark, n+1)
		}
	}
	return of + mark + ")"
}

// forkFrom is Fork of the log in a folder; parted, if it is not 0, is the last line that the
// other one still has.
func (m *maker) forkFrom(id, from string, ephemeral bool, at int64, title *string, parted int64) (*session.Session, error) {
	cut, err := history.Boundary(history.Read(from), at)
	if err != nil {
		if at > 0 {
			return nil, &session.InvalidError{Field: "atSeq", Reason: err.Error()}
		}
		return nil, fmt.Errorf("fork session %s: %w", id, err)
	}
	done, err := m.alone()
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", id, err)
	}
	newID, dir, err := m.nextID(ephemeral)
	done() // the folder is nobody else's, and a long log takes its time
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", id, err)
	}
	f := &forking{by: m, from: from, fromID: id, to: dir, toID: newID, cut: cut, at: cmp.Or(parted, cut.Seq), artifacts: map[string]bool{}}
	own := cut.Info.Title
	if parted == 0 && own != "" { // what is brought from a server goes on under its name
		own = forkTitle(own)
	}
	if err := f.write(cmp.Or(session.CleanTitle(title), &own)); err != nil {
		return nil, errors.Join(fmt.Errorf("fork session %s: %w", id, err), m.deps.Here.Artifacts.RemoveSession(newID), m.deps.Disk.RemoveAll(dir))
	}
	s, err := session.Open(m.deps, newID, dir)
	if err != nil {
		return nil, err
	}
	m.opens(s)
	m.made(s)
	s.Introduce()
	return s, nil
}

// forking is one fork on its way.
type forking struct {
	by           *maker
	from, fromID string
	to, toID     string
	cut          *history.Transcript
	at           int64           // where the two part
	artifacts    map[string]bool // files that the copied lines name
	named        *regexp.Regexp  // how they name them
}

// write copies what is beside the log first, and the log last: it is what makes
// the folder a session.
func (f *forking) write(title *string) error {
	f.named = regexp.MustCompile(`\b` + regexp.QuoteMeta(f.fromID) + `(/|\\\\)(\d{8}T\d{6}Z_[A-Za-z0-9._-]+\.(?:txt|json))`)
	opened := f.cut.Opened
	opened.Group = session.WrittenByGroup(opened, f.by.deps.WorkspaceID, f.fromID)
	was := opened.Key
	opened.Key = key.OfSession(f.toID, f.by.deps.WorkspaceID, f.cut.Info.Agent)
	if opened.Group {
		opened.Key = key.OfGroup(f.toID, was, "fork", f.by.deps.WorkspaceID, f.cut.Info.Agent)
	}
	opened.WorkspaceURI = f.by.deps.WorkspaceURI
	opened.Parent = &history.Parent{SessionID: f.fromID, AtSeq: f.at}
	for _, folder := range []string{history.BlobFolder, history.TranscriptFolder} {
		if err := f.copyFolder(folder); err != nil {
			return err
		}
	}
	if err := f.copyFile(system.EnvironmentFile); err != nil { // else the prompt would begin otherwise, and no cache would hold
		return err
	}
	if err := f.copyChildren(opened.Key); err != nil {
		return err
	}
	whole := history.Fork{From: history.Read(f.from), Cut: f.cut, ID: f.toID, Opened: opened, Title: *title, Line: f.line, Last: f.copyArtifacts}
	return whole.Write(f.by.deps.Disk, f.to, time.Now().Truncate(time.Millisecond))
}

// line is a copied line with the places of what is copied along.
func (f *forking) line(line []byte) []byte {
	old, now := transcriptsIn(f.from), transcriptsIn(f.to)
	line = bytes.ReplaceAll(line, old, now)
	if !bytes.Contains(line, []byte(f.fromID)) {
		return line
	}
	for _, m := range f.named.FindAllSubmatch(line, -1) {
		f.artifacts[string(m[2])] = true
	}
	return f.named.ReplaceAll(line, []byte(f.toID+"${1}${2}"))
}

// transcriptsIn is the folder of a session's transcripts as a line has it.
func transcriptsIn(dir string) []byte {
	path, _ := history.Marshal(filepath.Join(dir, history.TranscriptFolder) + string(filepath.Separator)) // a string
	return bytes.Trim(path, `"`)
}

// copyArtifacts copies those that the lines name. One that has expired is not
// there, for the fork as for the other.
func (f *forking) copyArtifacts() error {
	if len(f.artifacts) == 0 {
		return nil
	}
	return f.by.deps.Here.Artifacts.Copy(f.fromID, f.toID, slices.Sorted(maps.Keys(f.artifacts)))
}

// copyFolder copies the plain files of a folder beside the log.
func (f *forking) copyFolder(name string) error {
	from, to := filepath.Join(f.from, name), filepath.Join(f.to, name)
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.by.deps.Disk.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := f.copyFile(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file beside the log, if it is there.
func (f *forking) copyFile(name string) error {
	from, err := durable.Open(filepath.Join(f.from, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if filepath.Dir(name) == history.TranscriptFolder { // its model reads there where the whole of a result is
		data = f.line(data)
	}
	return f.by.deps.Disk.WriteFile(filepath.Join(f.to, name), data, 0o600)
}

// copyChildren copies the logs of the sub-agents that had ended at the cut.
func (f *forking) copyChildren(sessionKey string) error {
	opened := func(o history.Opened) history.Opened {
		if o.Key = sessionKey; o.Mode == tool.ModeFullAccess {
			o.Mode = tool.ModeAgent
		}
		if o.Parent != nil {
			o.Parent = &history.Parent{SessionID: f.toID, CallID: o.Parent.CallID}
		}
		return o
	}
	for _, path := range f.cut.Ended {
		_, n, _ := strings.Cut(path, "#")
		from := filepath.Join(f.from, history.ChildFolder, n)
		if !validID(n) || !history.Exists(from) {
			continue
		}
		if err := history.CopyChild(f.by.deps.Disk, from, filepath.Join(f.to, history.ChildFolder, n), f.cut.Seq, opened, f.line); err != nil {
			return err
		}
	}
	return nil
}
