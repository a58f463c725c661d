package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// initialize takes the client in and builds the backend for its workspace. It
// does not wait for the network.
func (s *Server) initialize(_ context.Context, _ *wire.Call, p initializeParams) (*protocol.InitializeResult, error) {
	var inline initializationOptions
	if len(p.InitializationOptions) > 0 {
		_ = json.Unmarshal(p.InitializationOptions, &inline) // the configuration layer reports what is wrong with it
	}
	p.Locale = cmp.Or(p.Locale, s.opt.Locale)
	var known bool
	if s.client, known = clientOf(p, inline); !known {
		s.surfaces.Later(surface.Message(locale.MarkerVersion.In(p.Locale)))
	}
	s.SetTrace(p.Trace)
	folders, ignored := foldersOf(p)
	for _, uri := range ignored {
		s.surfaces.Later(surface.Message(locale.FolderIgnored.In(p.Locale, uri)))
	}
	var own []HostTool
	if m := s.client.marker; m != nil {
		var refused []said.Text
		own, refused = hostTools(m.Tools, m.Tasks)
		s.tellRefused(refused)
	}
	w := Workspace{
		Folders: folders, Inline: p.InitializationOptions, Marker: s.client.marker != nil, HostTools: own,
		Approver: s.approver, Notifier: s.notifier, Editor: &Editor{s.link},
	}
	if w.Marker {
		w.Trusted = clientTrust(p.InitializationOptions)
	}
	back, err := s.opt.Open(w)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	// The person's own file may say where questions are shown; the editor says it last.
	if json.Unmarshal(back.Config.Settings().Surfaces, &inline.Surfaces) == nil {
		s.client, _ = clientOf(p, inline)
	}
	s.furnish(back)
	s.documents.begin(folders)
	s.surfaces.Begin(s.client.Facts, back.Sessions, back.Documents, s.chooser, s.commands.placer)
	watch := &configWatch{link: s.link, surfaces: s.surfaces, conf: back.Config, lists: back.Lists, audit: s.settings.audit, warned: map[string]bool{}, marked: map[string]bool{}}
	s.Background(watch.follow(back.Config.Changed()))
	watch.warn()
	if s.client.wants(runnerChangedType) {
		away := &runnerWatch{link: s.link, all: back.Runners}
		s.Background(away.follow(back.Runners.Changed()))
	}
	s.Background(s.signIns.follow(back.MCP.Changed()))
	if len(back.Problems) > 0 {
		s.surfaces.Later(surface.Message(locale.ConfigProblems.In(p.Locale, control.Title(strings.Join(back.Problems, "; "), surface.MaxWords))))
	}
	s.watch(p.ProcessID)
	return s.about.initialized()
}

// tellRefused says to the person which declarations of the client cannot be used.
func (s *Server) tellRefused(refused []said.Text) {
	if len(refused) > mostRefused {
		refused = append(refused[:mostRefused:mostRefused], said.That("The editor offers %d more tools that are not used.", len(refused)-mostRefused))
	}
	for _, why := range refused {
		s.surfaces.Later(surface.Message(locale.Say(s.client.Locale, why)))
	}
}

// furnish makes the parts that need the backend.
func (s *Server) furnish(back *Backend) {
	l := s.link
	on := s.surfaces
	audit := &auditor{l, back.Audit}
	s.back = back
	s.notifier.store = back.Sessions
	s.approver.store = back.Sessions
	s.about = &about{link: l, signIns: &signIns{peer: l, all: back.MCP, surfaces: on, pending: map[string]context.CancelFunc{}, offered: map[string]bool{}}, opt: s.opt, back: back, open: on.Pending, methods: Methods(), started: s.started}
	s.artifacts = &artifacts{back.Sessions, back.Artifacts}
	s.documents = &documents{link: l, open: back.Documents, conf: back.Config, workspace: back.Folders, surfaces: on}
	s.sessions = &sessions{link: l, store: back.Sessions, bundles: back.Bundles, transcripts: on.Transcripts, audit: audit}
	s.settings = &settings{conf: back.Config, workspace: back.Folders, audit: audit}
	s.spendings = &spendings{link: l, ledger: back.Ledger, store: back.Sessions, workspace: back.Folders}
	s.trust = &trust{link: l, surfaces: on, approver: s.approver, back: back, audit: audit, asked: map[string]bool{}}
	s.undos = &undos{l, back.Sessions, on}
	s.views = &views{l, back.Sessions, on, s.artifacts, back.Own, back.Folders, back.Documents}
	s.runs = &runs{link: l, store: back.Sessions, surfaces: on, documents: s.documents, artifacts: s.artifacts, trust: s.trust, own: back.Own}
	s.chooser = &chooser{link: l, lists: back.Lists, conf: back.Config, store: back.Sessions, surfaces: on, audit: audit}
	s.commands = &commands{link: l, store: back.Sessions, surfaces: on, approver: s.approver, artifacts: s.artifacts, chooser: s.chooser, placer: &placer{s.runs, s.sessions, back.Runners}, runs: s.runs, sessions: s.sessions, spendings: s.spendings, undos: s.undos}
}

// inputGrace is how long the end of the input has to come before the death of
// the editor decides by itself.
const inputGrace = 2 * time.Second

// watch ends the server when the editor dies. What the editor said before is still
// answered: an editor that says shutdown and dies leaves code 0 behind. All of it is
// over within five seconds.
func (s *Server) watch(pid *int) {
	n := s.opt.ClientProcessID
	if n == 0 && pid != nil {
		n = *pid
	}
	if n <= 0 {
		return
	}
	if stop, watching := wire.WatchParent(n, func() { time.AfterFunc(inputGrace, s.End) }); watching {
		s.unwatch = stop
	}
}
