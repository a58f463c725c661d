package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// view is what a session remembers of how its model is shown the transcript.
// Nothing of it is logged: a new process begins with everything shown whole. Only
// the run's goroutine uses it.
type view struct {
	shortTo int64 // results up to this seq are shown by name alone (layer one)
	// shown is what the model saw when it last reported usage, its answer with it;
	// nil where that was in another process or before a summary.
	shown   *history.Size
	windows map[string]int64 // the real windows that overflow errors named, by model
	cuts    map[cutKey]int   // how many bytes of messages are shown that are too long
}

// shownLocked is the conversation as the model is shown it now.
func (s *Session) shownLocked(r *run) *history.Transcript {
	t := *s.t
	t.Items = compaction.Shortened(t.Items, s.view.shortTo)
	if r.lastOnly {
		t.Items = t.Items[t.LastTurn():]
	}
	s.fitPrompts(&t, r)
	return &t
}

func (s *Session) shownSize(r *run) history.Size {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shownLocked(r).Total()
}

// sawUpTo keeps how much the usage is of that the model has just reported: what
// it was asked, and its answer.
func (s *Session) sawUpTo(asked history.Size) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range slices.Backward(s.t.Items) {
		if it.Answer != nil {
			asked = asked.Plus(it.Size)
			break
		}
	}
	s.view.shown = &asked
}

// bounds are the numbers that decide for a model.
func (s *Session) bounds(info model.Info) compaction.Bounds {
	c := s.deps.Config.Settings().Compaction
	k := compaction.Known{
		Window: info.Window, MaxInput: info.MaxInput, Reserve: c.OutputBudget, Trigger: c.Trigger,
		MaxTokens: c.MaxTokens, MaxChars: c.MaxChars, MicroFrom: c.Micro.MinTokens,
	}
	if window := s.view.windows[info.Name]; window > 0 && (k.Window == 0 || window < k.Window) {
		k.Window, k.MaxInput = window, min(k.MaxInput, window)
	}
	return k.Bounds()
}

// learnWindow keeps what an overflow error says of the real window (session §6).
func (s *Session) learnWindow(name string, window int64) {
	if window <= 0 {
		return
	}
	if s.view.windows == nil {
		s.view.windows = map[string]int64{}
	}
	s.view.windows[name] = window
}

// measure counts sizes for a model.
func (s *Session) measure(name string) compaction.Measure {
	return func(n history.Size) int64 { return s.tokens(name, n) }
}

// crowded says that the conversation is over the trigger (session §6).
func (s *Session) crowded(r *run) bool {
	return s.bounds(r.model.Info()).Over(s.used(r), s.shownSize(r).Chars)
}

// shorten moves layer one on (session §6.1): older results are shown by name
// alone, in steps; by all that it can where force says so.
func (s *Session) shorten(r *run, force bool) {
	info := r.model.Info()
	used, keep := s.used(r), s.deps.Config.Settings().Compaction.Micro.KeepRecent
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.shortTo = compaction.Advance(s.t.Items, s.view.shortTo, keep, s.bounds(info), used, force, s.measure(info.Name))
}

// prune takes old results out of the conversation for good (session §6.2), and
// says whether it did. One that lies nowhere else is written as an artifact
// first; where that cannot be, it stays.
func (s *Session) prune(r *run) bool {
	info := r.model.Info()
	tokens := s.measure(info.Name)
	s.mu.Lock()
	results, gain := compaction.Prune(s.t, s.deps.Config.Settings().Compaction.RecentTurns, s.bounds(info), tokens)
	s.mu.Unlock()
	body := history.ContextPruned{CallIDs: []string{}, Tokens: gain}
	for _, result := range results {
		if result.Artifact == nil {
			ref, _, err := s.keep(result.Tool, result.CallID, result.Text)
			if err != nil {
				s.deps.Log.Error().Err(err).Str("session", s.id).Msg("result cannot be pruned")
				body.Tokens -= tokens(history.SizeOf(result.Text)) - tokens(history.PrunedSize(result))
				continue
			}
			if body.Artifacts == nil {
				body.Artifacts = map[string]tool.ArtifactRef{}
			}
			body.Artifacts[result.CallID] = *ref
		}
		body.CallIDs = append(body.CallIDs, result.CallID)
	}
	if len(body.CallIDs) == 0 {
		return false
	}
	s.must(r, body)
	return true
}

// bytesFor is how many bytes of text so many tokens are.
func bytesFor(n int64, tokens compaction.Measure) int64 {
	const sample = 30_000
	return n * sample / max(tokens(history.Size{Bytes: sample}), 1)
}

// share is how many bytes the result of a call may show so that it fits the
// window together with the others of its batch; 0 is no limit of this kind.
func (s *Session) share(r *run) int {
	info := r.model.Info()
	tokens := s.measure(info.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch history.Size
	for k := len(s.t.Items) - 1; k >= 0 && s.t.Items[k].Answer == nil; k-- {
		batch = batch.Plus(s.t.Items[k].Size)
	}
	share := s.bounds(info).Share(tokens(r.fixed), tokens(batch), len(s.t.OpenCalls))
	if share == 0 {
		return 0
	}
	most := bytesFor(share, tokens)
	return inSteps(most)
}

// inSteps is the largest of 2, 3, 4, 6, 8, 12 … KiB that is not over most, and 2
// KiB at least: a word more in the description of a tool changes nothing.
func inSteps(most int64) int {
	bytes := int64(leastResult)
	for bytes*2 <= most {
		bytes *= 2
	}
	if bytes*3/2 <= most {
		bytes = bytes * 3 / 2
	}
	return int(bytes)
}
