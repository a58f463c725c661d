package session

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

//go:embed compact.md
var compactPrompt string

// mostFailures in a row switch automatic summaries off (session §6).
const mostFailures = 3

var errNothing = errors.New("nothing_to_compact")

// makeRoom compacts before the next request where the model asked for it or the
// window fills up. A summary that fails is recorded, and the run goes on; one
// that is needed again and again ends it.
func (s *Session) makeRoom(r *run) (stop, bool) {
	s.mu.Lock()
	focus := r.compactFocus
	r.compactFocus = nil
	auto := s.t.AutoCompact && s.deps.Config.Settings().Compaction.Auto
	s.mu.Unlock()
	switch {
	case focus != nil:
		_ = s.compact(r, "manual", *focus) // recorded either way
	case auto && s.crowded(r):
		_ = s.compact(r, "auto", "")
	}
	switch {
	case r.ctx.Err() != nil:
		return s.stopFor(r, r.ctx.Err()), true
	case r.churns():
		return stop{reason: "limit", message: "Stopped: the conversation was compacted three times in five turns and does not get smaller. Split the task, start a new session, or name fewer and smaller files."}, true
	}
	return stop{}, false
}

// mostCompactions in so many iterations are too many: what fills the window
// cannot be summarised away (session §6).
const mostCompactions, churnWindow = 3, 5

func (r *run) churns() bool {
	n := len(r.compacted)
	return n >= mostCompactions && r.compacted[n-1]-r.compacted[n-mostCompactions] < churnWindow
}

// crowded says that the conversation is over the trigger (session §6).
func (s *Session) crowded(r *run) bool {
	trigger := s.trigger(r)
	if trigger == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.t.Total().Chars > s.deps.Config.Settings().Compaction.MaxChars
	}
	return s.used(r) > trigger
}

// trigger is in tokens; 0 where the window is unknown and no cap is set.
func (s *Session) trigger(r *run) int64 {
	c := s.deps.Config.Settings().Compaction
	trigger := int64(float64(usable(r.model.Info())) * c.Trigger)
	if c.MaxTokens > 0 && (trigger == 0 || c.MaxTokens < trigger) {
		trigger = c.MaxTokens
	}
	return trigger
}

// compactOnRequest is the whole of a run of kind compaction.
func (s *Session) compactOnRequest(r *run) stop {
	err := s.compact(r, "manual", history.TextOf(r.prompt.Prompt))
	if r.ctx.Err() != nil {
		return s.stopFor(r, err)
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return s.stopFor(r, err)
	}
	return stop{reason: "end_turn"}
}

// compact replaces what is older by a summary that the model writes. It accepts
// only one that gains ten percent; everything else leaves the conversation as it
// is, and says why in the log.
func (s *Session) compact(r *run, trigger, focus string) error {
	s.mu.Lock()
	cut := s.cutPoint(r, trigger)
	s.mu.Unlock()
	if cut == 0 {
		return s.nothingToCompact(r, trigger)
	}
	before := s.used(r)
	if s.older(r, cut)*10 < before { // not even the shortest summary would gain enough
		return s.nothingToCompact(r, trigger)
	}
	s.show(r.id, "run.state", RunState{State: "compacting", Iteration: r.iteration})
	saved, err := s.saveTranscript(r)
	if err != nil {
		return s.compactFailed(r, trigger, before, saved, err)
	}
	summary, err := s.summarise(r, cut, focus)
	if err != nil {
		return s.compactFailed(r, trigger, before, saved, err)
	}
	s.mu.Lock()
	body := s.compacted(trigger, cut, summary, saved)
	s.mu.Unlock()
	s.mu.Lock()
	added := history.SizeOf(body.Summary).Plus(history.SizeOfBlocks(s.t.CarriedBy(cut)))
	s.mu.Unlock()
	body.Before, body.After = before, before-s.older(r, cut)+s.tokens(r.model.Info().Name, added)
	if body.After > before*9/10 {
		return s.compactFailed(r, trigger, before, saved, errors.New("the summary gains less than a tenth"))
	}
	s.failures = 0
	s.must(r, body)
	r.compacted = append(r.compacted, r.iteration+1)
	s.mu.Lock()
	unanswered := s.t.Unanswered()
	s.mu.Unlock()
	if !unanswered && trigger != "manual" {
		s.must(r, history.UserMessage{MessageID: s.newID("m"), Content: history.Text("Continue if you have next steps."), Synthetic: true})
	}
	return nil
}

// nothingToCompact answers who asked for a summary; the automatic one says
// nothing and tries again when there is more.
func (s *Session) nothingToCompact(r *run, trigger string) error {
	if trigger == "manual" {
		s.must(r, history.ContextCompacted{Trigger: trigger, DroppedTools: []string{}, Reason: errNothing.Error()})
	}
	return errNothing
}

// compactFailed records a summary that was not accepted.
func (s *Session) compactFailed(r *run, trigger string, before int64, saved string, err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	s.must(r, history.ContextCompacted{Trigger: trigger, Before: before, After: before, DroppedTools: []string{}, Transcript: saved, Reason: err.Error()})
	s.failures++
	s.mu.Lock()
	auto := s.t.AutoCompact
	s.mu.Unlock()
	if s.failures >= mostFailures && auto {
		off := false
		s.must(r, history.Changed{AutoCompact: &off})
		s.show(r.id, "notice", Notice{Severity: "warning", Title: "Three summaries in a row have failed: the session is not compacted by itself any more.", Kind: "auto_compact_off"})
	}
	return err
}

// cutPoint is the index of the first item that stays: the last turns whole; where
// they are too big, fewer of them; where the last is too big alone, its last
// steps. 0 is nothing to summarise. A person who asks for it gets the last turns
// whole, whatever their size.
func (s *Session) cutPoint(r *run, trigger string) int {
	keep := max(s.deps.Config.Settings().Compaction.RecentTurns, 1)
	turns := s.t.TurnStarts()
	if trigger == "manual" {
		if len(turns) <= keep {
			return 0
		}
		return turns[len(turns)-keep]
	}
	budget := s.trigger(r)
	if budget == 0 || trigger == "overflow" {
		budget = s.tokens(r.model.Info().Name, s.t.Total())
	}
	budget = budget * 4 / 10
	for n := min(keep, len(turns)-1); n >= 1; n-- {
		if cut := turns[len(turns)-n]; s.tailTokens(r, cut) <= budget {
			return cut
		}
	}
	for i := s.t.LastTurn() + 1; i < len(s.t.Items); i++ {
		if s.t.Divides(i) && s.tailTokens(r, i) <= budget {
			return i
		}
	}
	return s.lastStep()
}

func (s *Session) tailTokens(r *run, from int) int64 {
	var n history.Size
	for _, it := range s.t.Items[from:] {
		n = n.Plus(it.Size)
	}
	return s.tokens(r.model.Info().Name, n)
}

// lastStep is where the newest answer with its results begins.
func (s *Session) lastStep() int {
	for i := len(s.t.Items) - 1; i > 0; i-- {
		if s.t.Items[i].Answer != nil && s.t.Divides(i) {
			return i
		}
	}
	return 0
}

// compacted is the event of an accepted summary: the model's words, and behind
// them what code knows better.
func (s *Session) compacted(trigger string, cut int, summary, saved string) history.ContextCompacted {
	prefix := s.deps.Config.Settings().Compaction.SummaryPrefix
	body := history.ContextCompacted{Trigger: trigger, OK: true, Transcript: saved, KeepFrom: s.t.Seq + 1, DroppedTools: []string{}}
	if cut < len(s.t.Items) {
		body.KeepFrom = s.t.Items[cut].Seq
	}
	var files []string
	var last string
	for _, it := range s.t.Items[:cut] {
		switch {
		case it.Prompt:
			last = history.TextOf(it.Blocks)
		case it.Result != nil:
			body.DroppedTools = append(body.DroppedTools, it.Result.Tool)
			for _, c := range it.Result.Changes {
				files = append(files, c.Kind+" "+c.Path)
			}
			if it.Result.Artifact != nil {
				files = append(files, "artifact "+it.Result.Artifact.Path)
			}
		}
	}
	slices.Sort(files)
	slices.Sort(body.DroppedTools)
	body.DroppedTools = slices.Compact(body.DroppedTools)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n[conversation compacted; transcript: %s]\n\n%s\n", prefix, saved, summary)
	if files = slices.Compact(files); len(files) > 0 {
		fmt.Fprintf(&b, "\nFiles changed and artifacts kept:\n- %s\n", strings.Join(files, "\n- "))
	}
	for _, p := range s.t.Plan {
		if p.Status == "pending" || p.Status == "in_progress" {
			fmt.Fprintf(&b, "\nOpen task (%s): %s\n", p.Status, p.Text)
		}
	}
	if last != "" && s.t.CarriedBy(cut) == nil { // else it stands behind the summary
		fmt.Fprintf(&b, "\nThe last message of the user before this point, word for word:\n%s\n", last)
	}
	body.Summary = b.String()
	return body
}

// older is how many tokens a summary would replace: the items before cut and the
// summary before it.
func (s *Session) older(r *run, cut int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := history.SizeOf(s.t.Summary).Plus(history.SizeOfBlocks(s.t.Carried))
	for _, it := range s.t.Items[:cut] {
		n = n.Plus(it.Size)
	}
	return s.tokens(r.model.Info().Name, n)
}

// saveTranscript keeps what the model saw, beside the log.
func (s *Session) saveTranscript(r *run) (string, error) {
	var b strings.Builder
	for _, m := range s.request(r).Messages {
		line, err := history.Marshal(m)
		if err != nil {
			return "", err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	name := fmt.Sprintf("%s_%s.jsonl", s.id, time.Now().UTC().Format("20060102T150405.000Z"))
	path := filepath.Join(s.root().dir, "transcripts", name) // where a sub-agent may read it too
	if err := s.deps.Disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, s.deps.Disk.WriteFile(path, []byte(b.String()), 0o600)
}
