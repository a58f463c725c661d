package main

import (
	"io"
	"os"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
)

// artifacts are those of this machine, and those of the runners that are reached now.
type artifacts struct {
	*artifact.Store
	away *runners
}

// onRunner begins the path of an artifact that is on another machine; the runner's name and a
// colon follow.
const onRunner = "runner:"

// Find implements rpc.Artifacts.
func (a artifacts) Find(ref string) (tool.ArtifactRef, string, string, error) {
	found, path, session, err := a.Store.Find(ref)
	if err == nil {
		return found, path, session, nil
	}
	for name, there := range a.away.reachedNow() {
		if found, path, session, err := there.Find(ref); err == nil {
			return found, onRunner + name + ":" + path, session, nil
		}
	}
	return found, path, session, err
}

// List implements rpc.Artifacts.
func (a artifacts) List(session string) ([]tool.ArtifactRef, error) {
	all, err := a.Store.List(session)
	for _, there := range a.away.reachedNow() {
		more, failed := there.List(session)
		if failed == nil {
			all = append(all, more...)
		}
	}
	return all, err
}

// Named implements rpc.Artifacts.
func (a artifacts) Named(session string, ids []string) []tool.ArtifactRef {
	all := a.Store.Named(session, ids)
	for _, there := range a.away.reachedNow() {
		all = append(all, there.Named(session, ids)...)
	}
	return all
}

// Open reads an artifact that Find has found.
func (a artifacts) Open(path string) (interface {
	io.ReaderAt
	io.Closer
}, error) {
	at, elsewhere := strings.CutPrefix(path, onRunner)
	if !elsewhere {
		return os.Open(path)
	}
	name, path, _ := strings.Cut(at, ":")
	there := a.away.reachedNow()[name]
	if there == nil {
		return nil, os.ErrNotExist
	}
	return there.Open(path)
}

// reachedNow are the artifacts of the runners that there is a connection to.
func (e *runners) reachedNow() map[string]*runner.Artifacts {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := map[string]*runner.Artifacts{}
	for name, at := range e.places {
		if at.hands.Reached() {
			out[name] = at.hands.Artifacts()
		}
	}
	return out
}
