package surface

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Transcripts keeps one transcript.md a session for clients that see no events:
// what was said, each call as a line with a link, open approvals at the top. It
// is beside the log, so that nothing in the Vault wakes a file watcher, is
// written at most once a second and opened once.
type Transcripts struct {
	*Screen
	annotations *annotations
	reviews     *reviews

	writing sync.Mutex // one file at a time; taken before mu

	mu   sync.Mutex // guards everything below
	open map[string]*page
	over bool
}

// page is the Markdown of one session, as far as it is known.
type page struct {
	id      string
	lang    string
	body    strings.Builder
	titles  map[string]string // of calls without a result
	pending []history.Approval
	full    bool            // nothing is asked from here on
	loaded  bool            // the log up to seq is in the body
	seq     int64           // of the last event in the body
	news    []history.Event // behind it
	timer   *time.Timer     // runs while something is not written
	shown   bool            // the editor was asked to open it
}

func newPage(lang, id string) *page { return &page{id: id, lang: lang, titles: map[string]string{}} }

const transcriptEvery = time.Second

func newTranscripts(s *Screen, m *annotations, r *reviews) *Transcripts {
	return &Transcripts{Screen: s, annotations: m, reviews: r, open: map[string]*page{}}
}

// event follows a session. It is called with the session locked and writes no
// file itself.
func (t *Transcripts) event(o history.Origin, e history.Event) {
	if !t.Transcript || len(o.AgentPath) > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	p := t.pageLocked(o.Session)
	p.news = append(p.news, e)
	if p.timer == nil {
		p.timer = time.AfterFunc(transcriptEvery, func() { t.flush(p) })
	}
}

// pageLocked is the page of a session. That of a session which was resumed
// takes what came before from the log when it is written.
func (t *Transcripts) pageLocked(id string) *page {
	p := t.open[id]
	if p == nil {
		p = newPage(t.Locale, id)
		t.open[id] = p
	}
	return p
}

// flush writes a page that has changed and lets the editor open it once.
func (t *Transcripts) flush(p *page) {
	of, err := t.sessions.Get(p.id)
	if err != nil {
		return // deleted meanwhile
	}
	path, err := t.writePage(of, p)
	if err != nil {
		t.Report("write the transcript", err)
		return
	}
	t.mu.Lock()
	show := !p.shown && !t.over
	p.shown = true
	t.mu.Unlock()
	if show {
		t.Show(path, nil)
	}
}

// Write brings a session's transcript up to date and returns its path.
func (t *Transcripts) Write(of *session.Session) (string, error) {
	t.mu.Lock()
	p := t.pageLocked(of.ID())
	p.shown = true // anyone who asked for it shows it
	t.mu.Unlock()
	return t.writePage(of, p)
}

func (t *Transcripts) writePage(of *session.Session, p *page) (path string, err error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	news, loaded := p.news, p.loaded
	p.news = nil
	t.mu.Unlock()
	if !loaded { // only who holds writing touches the body
		if err := of.Each(p.add); err != nil {
			return "", err
		}
	}
	for _, e := range news {
		p.add(e)
	}
	t.mu.Lock()
	p.loaded = true
	t.mu.Unlock()
	path = filepath.Join(of.Dir(), "transcript.md")
	if err := os.WriteFile(path, []byte(p.markdown()), 0o600); err != nil {
		return path, err
	}
	uri := fileuri.Of(path)
	t.annotations.transcript(p.id, uri, anchorsOf(uri, p.pending))
	return path, nil
}

// CopyOf writes the transcript of a session that another process has open, as it
// stands now: beside the log stands that of the other process. The file goes with the
// connection.
func (t *Transcripts) CopyOf(ctx context.Context, id string) (path string, err error) {
	p := newPage(t.Locale, id)
	if err := t.sessions.Each(ctx, id, p.add); err != nil {
		return "", err
	}
	dir, err := t.reviews.directory()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "session-"+id+".md")
	return path, os.WriteFile(path, []byte(p.markdown()), 0o600)
}

// Forget drops the page of a session that is deleted.
func (t *Transcripts) Forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.open[id]; p != nil && p.timer != nil {
		p.timer.Stop()
	}
	delete(t.open, id)
}

// Close writes what is left.
func (t *Transcripts) Close() {
	t.mu.Lock()
	t.over = true
	var pages []*page
	for _, p := range t.open {
		if len(p.news) > 0 {
			pages = append(pages, p)
		}
	}
	t.mu.Unlock()
	for _, p := range pages {
		t.flush(p)
	}
}

// Where the open questions are in a transcript: the first in this line, from 0,
// each of the others so many lines further.
const (
	transcriptHead = 2
	transcriptStep = 2
)

func (p *page) markdown() string {
	var b strings.Builder
	b.WriteString("# " + locale.PageTitle.In(p.lang, p.id) + "\n\n")
	for _, a := range p.pending {
		fmt.Fprintf(&b, "> **%s** (`%s`): %s — %s\n\n", locale.PageWaits.In(p.lang), a.ApprovalID, codeSpan(locale.Say(p.lang, a.Title)+whose(a)), codeSpan(locale.Say(p.lang, a.Reason)))
	}
	if p.full { // behind the questions, which are found by their lines
		b.WriteString("> " + locale.PageFullAccess.In(p.lang) + "\n\n")
	}
	return b.String() + p.body.String()
}

// codeSpan is text of somebody else in one line of Markdown: it ends where we say,
// and nothing in it is a link or a heading.
func codeSpan(s string) string {
	s = control.Title(s, 400)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) == 1 && !strings.HasPrefix(s, " ") {
		return fence + s + fence
	}
	return fence + " " + s + " " + fence
}

// add renders an event that the body does not have yet.
func (p *page) add(event history.Event) {
	if event.Seq <= p.seq {
		return
	}
	p.seq = event.Seq
	switch e := event.Body.(type) {
	case history.RunStarted:
		if e.Kind == "compaction" {
			break
		}
		p.section(locale.PageYou, history.ShownOf(e.Words()))
	case history.UserMessage:
		if report, sent := strings.CutPrefix(history.TextOf(e.Content), history.ByUser); sent && e.Synthetic {
			p.section(locale.PageSubagent, strings.TrimSpace(report))
			break
		}
		if !e.Synthetic && !e.Ignored {
			p.section(locale.PageYouMeanwhile, history.ShownOf(e.Content))
		}
	case history.Changed:
		p.mode(e.Mode)
	case history.AssistantMessage:
		if e.Text != "" {
			p.section(locale.PageAgent, e.Text)
		}
	case history.ToolRequested:
		p.titles[e.CallID] = e.Title
	case history.ToolReturned:
		p.call(e)
		delete(p.titles, e.CallID)
	case history.Approval:
		p.pending = append(p.pending, e)
	case history.ApprovalResolved:
		for i, a := range p.pending {
			if a.ApprovalID == e.ApprovalID {
				p.pending = append(p.pending[:i], p.pending[i+1:]...)
				break
			}
		}
	case history.QuestionAsked:
		for i, q := range e.Questions {
			p.section(locale.PageAsks, codeSpan(questionText(q, i, len(e.Questions))))
		}
	case history.QuestionAnswered:
		for _, a := range e.Answers {
			if !a.Empty() {
				p.section(locale.PageYou, strings.TrimSpace(strings.Join(append(slices.Clone(a.Choices), a.Text), "\n\n")))
			}
		}
	case history.SubagentEnded:
		fmt.Fprintf(&p.body, "- `%s` %s, %s\n\n", e.Path, locale.Status(p.lang, e.Status), locale.Calls(p.lang, e.Calls))
	case history.ContextCompacted:
		switch {
		case e.OK:
			p.line(locale.PageSummarised, e.Before, e.After)
		case e.Reason != history.NothingToCompact:
			p.line(locale.PageNotSummarised, codeSpan(e.Reason))
		}
	case history.PlanUpdated:
		p.plan(e)
	case history.ModelSwitched:
		p.line(locale.PageOtherModel, codeSpan(e.To), codeSpan(e.From), codeSpan(e.Reason))
	case history.RunEnded:
		switch {
		case e.Error != nil:
			p.line(locale.PageFailed, locale.Say(p.lang, e.Error.Message))
			if !e.Error.Detail.IsZero() {
				fmt.Fprintf(&p.body, "%s\n\n", codeSpan(locale.Say(p.lang, e.Error.Detail)))
			}
		case !e.Message.IsZero():
			fmt.Fprintf(&p.body, "**%s**\n\n", locale.Say(p.lang, e.Message))
		case e.StopReason != history.StopEndTurn:
			fmt.Fprintf(&p.body, "*%s*\n\n", locale.Status(p.lang, e.StopReason))
		}
	}
}

// section is what somebody said, below who it was.
func (p *page) section(who locale.Message, words string) {
	fmt.Fprintf(&p.body, "## %s\n\n%s\n\n", who.In(p.lang), words)
}

// line is a paragraph of ours.
func (p *page) line(words locale.Message, about ...any) {
	p.body.WriteString(words.In(p.lang, about...) + "\n\n")
}

// mode says where full access begins and ends.
func (p *page) mode(mode *tool.Mode) {
	if mode == nil || p.full == (*mode == tool.ModeFullAccess) {
		return
	}
	if p.full = !p.full; p.full {
		p.line(locale.PageFullBegins)
	} else {
		p.line(locale.PageFullEnds)
	}
}

// plan is the task list as it is from here on.
func (p *page) plan(e history.PlanUpdated) {
	for _, item := range e.Items {
		box := "[ ]"
		if item.Status == "completed" {
			box = "[x]"
		}
		line := codeSpan(item.Text)
		if item.Status == "in_progress" || item.Status == "cancelled" {
			line += " (" + locale.Status(p.lang, item.Status) + ")"
		}
		fmt.Fprintf(&p.body, "- %s %s\n", box, line)
	}
	if len(e.Items) > 0 {
		p.body.WriteString("\n")
	}
}

// call is one line for a call, with links to what it left behind.
func (p *page) call(e history.ToolReturned) {
	title := p.titles[e.CallID]
	if title == "" {
		title = e.Tool
	}
	fmt.Fprintf(&p.body, "- %s %s", codeSpan(control.Title(title, 160)), locale.Status(p.lang, e.Status))
	if e.ExitCode != nil {
		p.body.WriteString(locale.PageExit.In(p.lang, *e.ExitCode))
	}
	for _, c := range e.Changes {
		fmt.Fprintf(&p.body, " · [%s](<%s>) +%d −%d", codeSpan(c.Path), c.URI, c.Additions, c.Deletions)
	}
	if e.Truncated && e.Artifact != nil {
		fmt.Fprintf(&p.body, " · %s, %s · [%s](<%s>)", locale.PageTruncated.In(p.lang), codeSpan(e.Artifact.Path), locale.PageOpenOutput.In(p.lang), e.Artifact.FileURI)
	}
	p.body.WriteString("\n\n")
}

// anchorsOf are the lines of a transcript at which its open questions stand.
func anchorsOf(uri string, open []history.Approval) []anchor {
	var out []anchor
	for i, a := range open {
		line := transcriptHead + transcriptStep*i
		out = append(out, anchor{uri, line, line + 1, a.ApprovalID})
	}
	return out
}
