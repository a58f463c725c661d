package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// transcripts keeps one transcript.md a session for clients that see no events:
// what was said, each call as a line with a link, open approvals at the top. It
// lies beside the log, so that nothing in the Vault wakes a file watcher, and is
// written at most once a second (protocol §8, rulings 70, 104).
type transcripts struct {
	s *Server

	mu   sync.Mutex // guards everything below
	open map[string]*page
	over bool
}

// page is the Markdown of one session, as far as it is known.
type page struct {
	id      string
	dir     string
	body    strings.Builder
	titles  map[string]string // of calls without a result
	pending []session.Approval
	timer   *time.Timer
	dirty   bool
}

const transcriptEvery = time.Second

func newTranscripts(s *Server) *transcripts { return &transcripts{s: s, open: map[string]*page{}} }

// event follows a session. It is called with the session locked and writes no
// file itself.
func (t *transcripts) event(o session.Origin, e session.Event) {
	if !t.s.client.transcript || len(o.AgentPath) > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	p := t.open[o.Session]
	if p == nil {
		if e.Seq > 1 {
			return // resumed: written from the log when somebody opens it
		}
		p = &page{id: o.Session, titles: map[string]string{}}
		t.open[o.Session] = p
	}
	p.add(e.Body)
	p.dirty = true
	if p.timer == nil {
		p.timer = time.AfterFunc(transcriptEvery, func() { t.s.goWork(func() { t.flush(p) }) })
	}
}

// flush writes a page that has changed.
func (t *transcripts) flush(p *page) {
	t.mu.Lock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	dirty, text := p.dirty, p.markdown()
	p.dirty = false
	t.mu.Unlock()
	if !dirty {
		return
	}
	of, err := t.s.back.Sessions.Get(p.id)
	if err == nil {
		err = os.WriteFile(filepath.Join(of.Dir(), "transcript.md"), []byte(text), 0o600)
	}
	if err != nil {
		t.s.report("write the transcript", err)
	}
}

// write brings a session's transcript up to date and returns its path.
func (t *transcripts) write(of *session.Session) (string, error) {
	t.mu.Lock()
	p := t.open[of.ID()]
	t.mu.Unlock()
	path := filepath.Join(of.Dir(), "transcript.md")
	if p != nil {
		t.mu.Lock()
		text := p.markdown()
		t.mu.Unlock()
		return path, os.WriteFile(path, []byte(text), 0o600)
	}
	p = &page{id: of.ID(), titles: map[string]string{}}
	if err := of.Each(func(e session.Event) { p.add(e.Body) }); err != nil {
		return "", err
	}
	t.mu.Lock()
	t.open[of.ID()] = p
	t.mu.Unlock()
	return path, os.WriteFile(path, []byte(p.markdown()), 0o600)
}

// close writes what is left.
func (t *transcripts) close() {
	t.mu.Lock()
	t.over = true
	var pages []*page
	for _, p := range t.open {
		pages = append(pages, p)
	}
	t.mu.Unlock()
	for _, p := range pages {
		t.flush(p)
	}
}

func (p *page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Agent session %s\n\n", p.id)
	for _, a := range p.pending {
		fmt.Fprintf(&b, "> **Waiting for you** (`%s`): %s — %s\n\n", a.ApprovalID, a.Title, a.Reason)
	}
	return b.String() + p.body.String()
}

// add renders one event.
func (p *page) add(body session.Body) {
	switch e := body.(type) {
	case session.RunStarted:
		if e.Kind == "compaction" {
			break
		}
		fmt.Fprintf(&p.body, "## You\n\n%s\n\n", session.TextOf(e.Prompt))
	case session.UserMessage:
		if !e.Synthetic && !e.Ignored {
			fmt.Fprintf(&p.body, "## You (while it worked)\n\n%s\n\n", session.TextOf(e.Content))
		}
	case session.AssistantMessage:
		if e.Text != "" {
			fmt.Fprintf(&p.body, "## Agent\n\n%s\n\n", e.Text)
		}
	case session.ToolRequested:
		p.titles[e.CallID] = e.Title
	case session.ToolReturned:
		p.call(e)
		delete(p.titles, e.CallID)
	case session.Approval:
		p.pending = append(p.pending, e)
	case session.ApprovalResolved:
		for i, a := range p.pending {
			if a.ApprovalID == e.ApprovalID {
				p.pending = append(p.pending[:i], p.pending[i+1:]...)
				break
			}
		}
	case session.SubagentEnded:
		fmt.Fprintf(&p.body, "- `%s` %s, %d calls\n\n", e.Path, e.Status, e.Calls)
	case session.ContextCompacted:
		if e.OK {
			fmt.Fprintf(&p.body, "*The conversation was summarised: %d → %d tokens.*\n\n", e.Before, e.After)
		}
	case session.RunEnded:
		switch {
		case e.Error != nil:
			fmt.Fprintf(&p.body, "**Failed**: %s\n\n", e.Error.Message)
		case e.Message != "":
			fmt.Fprintf(&p.body, "**%s**\n\n", e.Message)
		case e.StopReason != "end_turn":
			fmt.Fprintf(&p.body, "*%s*\n\n", e.StopReason)
		}
	}
}

// call is one line for a call, with links to what it left behind.
func (p *page) call(e session.ToolReturned) {
	title := p.titles[e.CallID]
	if title == "" {
		title = e.Tool
	}
	fmt.Fprintf(&p.body, "- `%s` %s", control.Title(title, 160), e.Status)
	if e.ExitCode != nil {
		fmt.Fprintf(&p.body, " (exit %d)", *e.ExitCode)
	}
	for _, c := range e.Changes {
		fmt.Fprintf(&p.body, " · [%s](%s) +%d −%d", c.Path, c.URI, c.Additions, c.Deletions)
	}
	if e.Truncated && e.Artifact != nil {
		fmt.Fprintf(&p.body, " · truncated, %s · [Open full output](%s)", e.Artifact.Path, e.Artifact.FileURI)
	}
	p.body.WriteString("\n\n")
}
