package session

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxCallID and maxProviderID bound the ids of calls, in bytes: what is longer
// than the first gets an id of ours, and the provider's comes back to it; what is
// longer than the second is not kept at all.
const (
	maxCallID     = 80
	maxProviderID = 16 << 10
)

// callNames gives the calls of one answer their ids: the same while they are
// streamed and when they are in the log.
type callNames struct {
	journal *journal.Journal
	given   map[int]string // callId, by the call's place in the answer
}

func newCallNames(j *journal.Journal) *callNames { return &callNames{j, map[int]string{}} }

// of is the id of the call at index: the provider's where it is one, short and
// unique in the session, else ours.
func (n *callNames) of(index int, provider string) string {
	if id, known := n.given[index]; known {
		return id
	}
	id := history.Clean(provider)
	if id == "" || len(id) > maxCallID || n.taken(id) {
		id = n.journal.NewID("c")
	}
	n.given[index] = id
	return id
}

func (n *callNames) taken(id string) bool {
	for _, other := range n.given {
		if other == id {
			return true
		}
	}
	return journal.Read(n.journal, func(t *history.Transcript) bool { return t.CallIDs.Has(id) })
}

// callsOf are the calls of an answer as the log has them: with our ids, and the
// name of the tool that each means.
func callsOf(book *placeholder.Redactor, session string, r *run, calls []model.Call, names *callNames) []history.Call {
	var out []history.Call
	back := map[string]bool{} // ids that go back to the provider: each once
	for i, c := range calls {
		call := history.Call{CallID: names.of(i, c.ID), Extra: compactOrNil(c.Extra)}
		call.Tool, call.Said = toolOf(r.tools, c.Name)
		call.Input, call.Raw = inputOf(c.Arguments)
		spec := tool.Spec{}
		if t, known := r.tools.Lookup(call.Tool); known && call.Said == "" {
			spec = t.Spec()
		}
		call.Input, call.Raw = understood(spec, call.Input, call.Raw, func(text json.RawMessage) json.RawMessage {
			return book.RedactJSON(text, writerOf(session, call.CallID))
		})
		if id := history.Clean(c.ID); len(id) > maxCallID && len(id) <= maxProviderID && !back[id] {
			call.ProviderID, back[id] = id, true
		}
		out = append(out, call)
	}
	return out
}

// maxSaid bounds the name of a call as the model wrote it, in bytes.
const maxSaid = 200

// noName is what a model said that gave a call no name at all.
const noName = "(no name)"

// toolOf is the tool that a model means by a name. A name that no provider would
// take back is made plain, and said is what the model wrote: such a call never
// runs, even where the plain name happens to be that of a tool.
func toolOf(tools tool.Set, name string) (plain, said string) {
	name = cutText(history.Clean(name), maxSaid)
	if t, known := tools.Lookup(name); known {
		return t.Spec().Name, ""
	}
	if plain = model.PlainName(name); plain == name {
		return name, ""
	}
	return plain, cmp.Or(strings.TrimSpace(name), noName)
}
