package session

import (
	"cmp"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// view is how a model is shown the transcript of a session, and how much of its window that
// takes. A new process begins with everything shown whole. Only the goroutine that works on a
// run uses it.
type view struct {
	deps    *Deps
	session string
	journal *journal.Journal
	blobs   blobs

	micro compaction.Micro // how far results are shown by name alone
	// shown is what the model saw when it last reported usage, its answer with it;
	// nil where that was in another process or before a summary.
	shown   *history.Size
	windows map[string]int64     // the real windows that overflow errors named or cut prompts showed, by model
	cuts    map[cutKey]int       // how many bytes of messages are shown that are too long
	own     config.OwnCompaction // what the agent of the run says instead of the configuration
	latest  *shown               // what shownTo gave last
	kept    model.Kept           // what was written of it

	weights    map[int64]weight // of items, by seq; what countExactly has found out
	weighedFor string           // for this model
}

// compaction is what applies to the run's agent.
func (v *view) compaction() config.Compaction {
	return v.own.Over(v.deps.Config.Settings().Compaction)
}

func (v *view) shownSize(r *run) history.Size {
	return v.shownTo(r, journal.Read(v.journal, copied)).total
}

// sawUpTo keeps how much the usage is of that the model has just reported: what
// it was asked, and its answer.
func (v *view) sawUpTo(asked history.Size) {
	for _, it := range slices.Backward(journal.Read(v.journal, copied).Items) {
		if it.Answer != nil {
			asked = asked.Plus(it.Size)
			break
		}
	}
	v.shown = &asked
}

// bounds are the numbers that decide for a model.
func (v *view) bounds(info model.Info) compaction.Bounds {
	c := v.compaction()
	k := compaction.Known{
		Window: info.Window, MaxInput: info.MaxInput, Reserve: c.OutputBudget, Trigger: c.Trigger,
		MaxTokens: c.MaxTokens, MaxChars: c.MaxChars, MicroFrom: c.Micro.MinTokens,
	}
	if window := v.window(info); window != info.Window {
		k.Window, k.MaxInput = window, min(k.MaxInput, window)
	}
	return k.Bounds()
}

// window is that of a model, or what an overflow error or a cut prompt said of it where that
// is less; 0 is not known.
func (v *view) window(info model.Info) int64 {
	if learned := v.windows[info.Name]; learned > 0 && (info.Window == 0 || learned < info.Window) {
		return learned
	}
	return info.Window
}

// learnWindow keeps what an overflow error, or a cut prompt, says of the real window. It
// says whether that is news.
func (v *view) learnWindow(name string, window int64) bool {
	if window <= 0 || v.windows[name] == window {
		return false
	}
	v.windows[name] = window
	return true
}

// measure counts sizes for a model.
func (v *view) measure(name string) compaction.Measure {
	return func(n history.Size) int64 { return v.tokens(name, n) }
}

// crowded says that the conversation is over the trigger.
func (v *view) crowded(r *run) bool {
	chars := v.shownSize(r).Plus(history.SizeOf(r.system)).Chars // of all messages, without the tools
	return v.bounds(r.model.Info()).Over(v.used(r), chars)
}

// request is what the model is asked now: the stable part first, so that
// providers can keep its prefix.
func (v *view) request(r *run) model.Request {
	out := v.blank(r)
	out.Messages = v.shownTo(r, journal.Read(v.journal, copied)).messages(r.system, v.blobs.get)
	out.Kept = &v.kept
	return out
}

// blank is a request without its messages.
func (v *view) blank(r *run) model.Request {
	out := model.Request{Params: r.params, Session: v.session}
	for _, spec := range r.tools.Specs() {
		out.Tools = append(out.Tools, model.Tool{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	return out
}

// shorten moves layer one on: older results are shown by name alone, in steps;
// by all that it can where force says so.
func (v *view) shorten(r *run, force bool) {
	info := r.model.Info()
	used, keep := v.used(r), v.compaction().Micro.KeepRecent
	t := journal.Read(v.journal, copied)
	v.micro.Resume(t.ShortTo)
	v.micro.Take(t.Items, t.Edits)
	v.micro.Advance(keep, v.bounds(info), used, force, v.measure(info.Name))
}

// recentTurns are never pruned, and stay as they are beside a summary.
func (v *view) recentTurns() int {
	return max(v.compaction().RecentTurns, 1)
}

// flushAt is in tokens; 0 where neither the window nor a cap is known.
func (v *view) flushAt(r *run) int64 {
	m, info := v.deps.Config.Settings().Memory, r.model.Info()
	return flushThreshold(cmp.Or(info.Window, info.MaxInput), v.bounds(info).Trigger, m.ReserveTokensFloor, m.SoftTokens)
}

// flushDue says that the conversation is over the threshold, which is below that
// of the automatic summary.
func (v *view) flushDue(r *run) bool {
	if at := v.flushAt(r); at > 0 {
		return v.used(r) > at
	}
	return v.shownTo(r, journal.Read(v.journal, copied)).whole.Chars*10 > v.compaction().MaxChars*9
}

// fits says that a request is within the window, as far as that is known: one that
// is sent beside the conversation must not be what the provider refuses.
func (v *view) fits(r *run, request model.Request) bool {
	info := r.model.Info()
	return v.bounds(info).Fits(v.tokens(info.Name, sizeOfRequest(request)))
}

// flushThreshold is min(window − reserve − soft, 0.9 × trigger), where reserve and
// soft are at most a quarter and a twentieth of the window.
func flushThreshold(window, trigger, reserve, soft int64) int64 {
	at := trigger * 9 / 10
	if window > 0 {
		at = min(at, window-min(reserve, window/4)-min(soft, window/20))
	}
	return at
}
