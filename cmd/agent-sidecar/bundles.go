package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/bundle"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
)

// bundles makes bundles of the sessions of one workspace, and sessions of bundles.
type bundles struct {
	w        *wiring
	config   *config.Store
	vault    *workspace.Vault
	sessions *store.Store
	folders  []rpc.Folder
}

// write writes the bundle of a session as it stands on disk.
func (x *bundles) write(to io.Writer, id string, redact bool) error {
	dir, err := x.sessions.Folder(id)
	if err != nil {
		return err
	}
	from := bundle.Source{ID: id, Dir: dir, Program: version}
	kept, err := x.vault.Artifacts().List(id)
	if err != nil {
		return fmt.Errorf("list the artifacts: %w", err)
	}
	for _, ref := range kept {
		if _, path, _, err := x.vault.Artifacts().Find(ref.URI); err == nil {
			from.Artifacts = append(from.Artifacts, bundle.Artifact{Ref: ref, Path: path})
		}
	}
	var hide *bundle.Private
	if redact {
		p := x.private()
		hide = &p
	}
	if err := bundle.Write(to, from, hide); err != nil {
		return fmt.Errorf("export session %s: %w", id, err)
	}
	return nil
}

// untilCancelled is a writer that gives up when a request is cancelled.
type untilCancelled struct {
	ctx context.Context
	io.Writer
}

func (w untilCancelled) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// Export writes it into an artifact of the session (rpc.Backend.Export).
func (x *bundles) Export(ctx context.Context, id string, redact bool) (tool.ArtifactRef, error) {
	spill, err := x.vault.Artifacts().Create(id, "export", "session", "text/plain")
	if err != nil {
		return tool.ArtifactRef{}, err
	}
	err = x.write(untilCancelled{ctx, spill}, id, redact)
	ref, path, closed := spill.Close()
	if err = errors.Join(err, closed); err == nil && ref.Capped {
		err = &rpc.TooLargeError{Limit: artifact.Cap}
	}
	if err != nil {
		if path != "" {
			_ = os.Remove(path) // half a bundle is none
		}
		return tool.ArtifactRef{}, err
	}
	return ref, nil
}

// restore makes a new session out of a bundle.
func (x *bundles) restore(b *bundle.Bundle) (*session.Session, error) {
	agent, group := "", true
	if opened, ok := b.Opened(); ok {
		agent, group = opened.Agent, session.WrittenByGroup(opened, x.vault.WorkspaceID(), b.Session)
	}
	return x.sessions.Adopt(agent, func(p store.Place) error {
		to := bundle.Target{Disk: x.w.disk, ID: p.ID, Dir: p.Dir, Key: p.Key, Agent: p.Agent, Title: b.Title, WorkspaceID: x.vault.WorkspaceID(), Root: x.vault.Root(),
			Keep: func(toolName, callID, mime string) (tool.Spill, error) {
				return x.vault.Artifacts().Create(p.ID, toolName, callID, mime)
			}}
		if group { // whose group is the bundle's word alone, so that it gets the name of none here
			to.Group, to.Key = true, key.OfGroup(p.ID, "", "bundle", to.WorkspaceID, p.Agent)
		}
		if len(x.folders) > 0 {
			to.WorkspaceURI = x.folders[0].URI
		}
		return b.Restore(to)
	})
}

// private is what no bundle tells: keys of the configuration and of the
// environment, and the names of places and of the person.
func (x *bundles) private() bundle.Private {
	p := bundle.Private{Secrets: append(x.config.Settings().SecretValues(x.w.env), x.w.signIns().Secrets()...), WorkspaceID: x.vault.WorkspaceID(), Sidecar: spellings(x.w.home), Home: spellings(x.w.userHome), User: x.w.env("USER")}
	if p.User == "" && x.w.userHome != "" {
		p.User = filepath.Base(x.w.userHome)
	}
	for i, root := range x.vault.Roots() {
		names := spellings(root)
		if i < len(x.folders) && x.folders[i].Path != root && resolved(x.folders[i].Path) == root {
			names = append(names, x.folders[i].Path)
		}
		p.Roots = append(p.Roots, names)
	}
	if x.w.environ == nil {
		return p
	}
	for _, entry := range x.w.environ() {
		name, value, _ := strings.Cut(entry, "=")
		if !config.SecretName(name) || len(value) < 8 || strings.EqualFold(value, "disabled") {
			continue
		}
		if _, err := os.Stat(value); err != nil { // the name of a file with a key in it is none
			p.Secrets = append(p.Secrets, value)
		}
	}
	return p
}

// spellings of a path: as it is given, and where it leads.
func spellings(path string) []string {
	if path == "" {
		return nil
	}
	if real := resolved(path); real != path {
		return []string{path, real}
	}
	return []string{path}
}
