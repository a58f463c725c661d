package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control/truncation"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// refit makes a run fit a window that has turned out to be smaller than it has counted on:
// tools that there is no room for are left out, and results that were cut for a larger one
// are cut anew. It says whether something is smaller now.
func (w *worker) refit(r *run) bool {
	r.fitted = fitNow(w.view, r)
	tools, left := w.view.fitting(r, r.tools)
	if len(left) > 0 {
		r.tools = tools
		r.fixed = history.Size{Bytes: 3 * w.view.fixedTokens(r, model.RawTokens)}
		r.counted = 0
		w.tellLeftOut(r, left)
	}
	return w.room.cutAnew(r) || len(left) > 0
}

// shrunk says that the window of the model of a run is known to be smaller than when it was
// last made to fit, and that the conversation is too long for it. Another model may be asked
// for a moment only: what is cut is cut for good.
func shrunk(v *view, r *run) bool {
	now := fitNow(v, r)
	return now.model == r.fitted.model && now.window > 0 && (r.fitted.window == 0 || now.window < r.fitted.window) && v.crowded(r)
}

// fitNow is what a run has to fit.
func fitNow(v *view, r *run) fittedTo {
	info := r.model.Info()
	return fittedTo{info.Name, v.window(info)}
}

// How much of a window the system prompt and the tools may take, in percent, before a run ends
// because of it: where nobody has refused anything, where a request was too long for the
// provider, and where nothing has helped.
const (
	roomUnasked  = 100
	roomRefused  = 90
	roomHopeless = 50
)

// roomless is why no conversation fits, where the system prompt and the tools alone take so
// many percent of the window, or more; else nil. detail is what the provider has said.
func (w *worker) roomless(r *run, percent int64, detail string) error {
	info := r.model.Info()
	window := w.view.window(info)
	full := func(n int64) bool { return window > 0 && n*100 >= window*percent }
	if !full(w.view.fixedTokens(r, model.RawTokens)) {
		return nil
	}
	n := w.view.fixedTokens(r, func(text string) int64 { return w.deps.Models.Exact(info.Name, text) })
	if !full(n) {
		return nil
	}
	return &noRoom{said.That("The window of %s is %d tokens, and the system prompt and the tools alone take %d percent of it. %s", info.Name, window, n*100/window, wider(info.Server, larger)), detail}
}

// overflowed makes a run fit after the provider has said that a request was too long, as far
// as that is possible without a summary, and says whether asking again is worth it.
func (w *worker) overflowed(r *run, err error) (again bool, hopeless error) {
	failure, _ := errors.AsType[*model.Error](err)
	if failure.Window == 0 && fitNow(w.view, r).model != r.fitted.model { // another one is asked for a moment, maybe
		return false, nil
	}
	w.view.learnWindow(r.model.Info().Name, failure.Window)
	again = w.refit(r) && w.view.bounds(r.model.Info()).Fits(w.view.used(r))
	return again, w.roomless(r, roomRefused, failure.Error())
}

// cutAnew cuts the results that were cut for a larger window, or not at all, for that of now,
// and says whether there were any. Where no window is known half of what was refused counts.
// What is cut is recorded: it is shown so from now on.
func (k *compactor) cutAnew(r *run) bool {
	tokens := k.view.measure(r.model.Info().Name)
	b := k.view.bounds(r.model.Info())
	b.Usable = cmp.Or(b.Usable, k.view.used(r)/2)
	t := journal.Read(k.journal, copied)
	var cuts []shorter
	for from := range t.Items {
		if from > 0 && t.Items[from-1].Result != nil {
			continue // it is a part of the batch before
		}
		var taken history.Size
		batch := resultsFrom(t.Items[from:])
		for i := range batch {
			cut := k.cutTo(r, &batch[i], shareIn(b, tokens, r.fixed, taken, len(batch)-i))
			if cut == nil {
				taken = taken.Plus(compaction.Short(&batch[i], k.view.micro.UpTo()).Size)
				continue
			}
			size := history.SizeOf(cut.text).Framed(0)
			taken = taken.Plus(size)
			cut.gain = tokens(batch[i].Size.Minus(size))
			cuts = append(cuts, *cut)
		}
	}
	for _, body := range inLines(cuts) {
		recordOrCancel(k.journal, r, body)
	}
	return len(cuts) > 0
}

// shorter is what is shown of a result from now on.
type shorter struct {
	callID string
	text   string
	kept   *tool.ArtifactRef // the artifact that was made of it; nil: it had one, or there is none
	gain   int64             // tokens
}

// inLines are the events that record cuts, so few that each fits into a line of the log.
func inLines(cuts []shorter) (bodies []history.ContextPruned) {
	room := 0 // in the last of them
	for _, cut := range cuts {
		size := encodedSize(cut.text)
		if room -= size; room < 0 {
			bodies = append(bodies, history.ContextPruned{Artifacts: map[string]tool.ArtifactRef{}, Texts: map[string]string{}})
			room = maxInline - size
		}
		body := &bodies[len(bodies)-1]
		body.CallIDs = append(body.CallIDs, cut.callID)
		body.Texts[cut.callID] = cut.text
		body.Tokens += cut.gain
		if cut.kept != nil {
			body.Artifacts[cut.callID] = *cut.kept
		}
	}
	return bodies
}

// resultsFrom are the results that items begin with.
func resultsFrom(items []history.Item) []history.Item {
	n := 0
	for n < len(items) && items[n].Result != nil {
		n++
	}
	return items[:n]
}

// cutTo is what is shown of a result that is longer than so many bytes; nil where it stays as
// it is. All of it is in an artifact.
func (k *compactor) cutTo(r *run, it *history.Item, most int) *shorter {
	text := it.Result.Text
	if it.Pruned || it.Seq <= k.view.micro.UpTo() || len(text) <= most {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	out := truncation.Output{
		Tool: it.Result.Tool, CallID: it.Result.CallID, TaskAvailable: has(r.tools, taskName), Text: text, TooLong: true,
		SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(text)), Chars: int64(utf8.RuneCountInString(text)), Lines: truncation.CountLines(text),
	}
	cut := &shorter{callID: out.CallID}
	if ref := it.Result.Artifact; ref != nil {
		out.ArtifactPath = &ref.Path
		out.Bytes = ref.Bytes
		out.Chars = ref.Bytes // nobody has counted them
		out.Lines = ref.Lines
		out.SHA256 = ref.SHA256
		out.Capped = ref.Capped
	} else if ref, path, err := k.root.place().keep(k.root.id, out.Tool, out.CallID, text); err == nil {
		cut.kept = ref
		out.ArtifactPath = &ref.Path
		out.FullPath = path
	} else {
		k.deps.Log.Error().Err(err).Str("session", k.id).Msg("artifact cannot be written")
	}
	cut.text, _ = truncation.Truncate(out, truncation.Limits{MaxLines: k.deps.Config.Settings().Truncation.MaxLines, MaxBytes: most})
	return cut
}
