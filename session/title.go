package session

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

//go:embed title.md
var titlePrompt string

const (
	titleTime   = time.Minute
	titleTokens = 2000 // of which a model that reasons needs most
	titleWidth  = 60   // characters
)

// titler lets a model name the session, beside the first run that was answered. Nothing
// waits for it, and nothing is said where it fails: the session keeps the first line of its
// first prompt as its title.
type titler struct {
	deps    *Deps
	origin  history.Origin
	root    *root
	journal *journal.Journal
	session *activity

	asked sync.Once
	ctx   context.Context // ends with the session
	stop  context.CancelFunc
	done  sync.WaitGroup
}

func newTitler(deps *Deps, origin history.Origin, root *root, in *journal.Journal, of *activity) *titler {
	ctx, stop := context.WithCancel(context.Background())
	return &titler{deps: deps, origin: origin, root: root, journal: in, session: of, ctx: ctx, stop: stop}
}

// begin asks once in a process, for a session that still has the title of its first prompt.
func (n *titler) begin(r *run) {
	if n.session.above != nil {
		return
	}
	n.asked.Do(func() {
		begun := journal.Read(n.journal, copied)
		name := n.modelFor(r)
		if name == "" || begun.Opened.Ephemeral || !unnamed(begun, r) || placeholder.In(begun.FirstPrompt) {
			return
		}
		n.done.Go(func() { n.name(name, begun.FirstPrompt, begun.Info.Title) })
	})
}

// unnamed says that the title of a session is the first line of its first prompt.
func unnamed(t history.Transcript, r *run) bool {
	return t.FirstPrompt != "" && (t.Info.Title == control.Title(t.FirstPrompt, titleWidth) || t.Info.Title == history.TitleOf(r.prompt.Words()))
}

// modelFor is the model that is asked, "" for none. What an agent may work with is all that
// sees what it works on, and its restriction names no model for this.
func (n *titler) modelFor(r *run) string {
	titles := n.deps.Config.Settings().Titles
	if !titles.Enabled || r.agent.AllowedModels != nil {
		return ""
	}
	if titles.Model != "" {
		return titles.Model
	}
	about := r.model.Info()
	return n.deps.Models.Cheapest(about.Provider + "/" + about.Name)
}

// name asks for a title, and gives it to the session unless somebody has named that meanwhile.
func (n *titler) name(model, prompt, before string) {
	ctx, cancel := context.WithTimeout(n.ctx, titleTime)
	defer cancel()
	title, err := n.ask(ctx, model, prompt)
	if err != nil && ctx.Err() == nil {
		n.deps.Log.Warn().Err(err).Str("model", model).Msg("title")
	}
	if err != nil || title == "" || placeholder.In(title) {
		return
	}
	x := n.journal.Begin()
	defer x.End()
	if x.State.Info.Title == before && !n.session.closing && !x.Closed() {
		_ = x.Append("", history.Changed{Title: &title}) // a log that cannot be written has been reported
	}
}

func (n *titler) ask(ctx context.Context, name, prompt string) (string, error) {
	m, err := n.deps.Models.OpenModel(name, nil)
	if err != nil {
		return "", err
	}
	most := int64(titleTokens)
	request := model.Request{Session: n.root.id, Params: model.Params{MaxTokens: &most}, Messages: []model.Message{
		{Role: "system", Text: strings.TrimSpace(titlePrompt)},
		{Role: "user", Text: "<conversation>\n" + prompt + "\n</conversation>"},
	}}
	if efforts := m.Info().Efforts; len(efforts) > 0 {
		request.Params.Effort = efforts[0]
	}
	for part, err := range m.Stream(ctx, request) {
		if err != nil {
			return "", err
		}
		if done, ok := part.(model.Done); ok {
			n.root.spend(n.deps, n.origin, done)
			return titleIn(n.root.redactor.RedactAgain(done.Text)), nil
		}
	}
	return "", errors.New("the model's stream ended without an answer")
}

// titleIn is the first line of an answer, without what models put around a title.
func titleIn(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), "Title:"))
	line = strings.TrimRight(strings.Trim(line, "\"'`*“”„«»「」 "), ".。")
	return control.Title(strings.TrimSpace(history.Clean(line)), titleWidth)
}

// end lets go of a title that has not come.
func (n *titler) end() {
	n.stop()
	n.done.Wait()
}
