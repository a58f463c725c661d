package model

import (
	"slices"
	"strings"
)

// Texts that take the place of a result that is not there, and begin one that cannot
// be sent as a result.
const (
	noResult   = "(there is no result)"
	lostResult = "[The result of a call that is not here any more; it is not from the user]"
	// calledBefore begins what a call returned where it is told in words.
	calledBefore = "[What the call returned; it is not from the user]"
)

// The shape of a history is which messages it has, in which order. What is here
// gives every history the one shape that all providers take, and where a provider
// wants less, a plainer one.

// groupAt is where the group of messages ends that begins at a place of a
// conversation: a call with all of its results, or one message. whole says that it
// is written in the same way whatever follows but a result.
func groupAt(all []Message, at int) (end int, whole bool) {
	end = at + 1
	if all[at].isResult() || len(all[at].Calls) == 0 {
		return end, true
	}
	for end < len(all) && all[end].isResult() {
		end++
	}
	return end, end > at+1
}

func (m *Message) isResult() bool { return m.Role == "tool" }

// paired is a group with the one result of each call behind its message, in the order of
// the calls: a result that is missing is said to be, one without a call is told. With
// the quirk, each call is a message of its own with its result behind it. Calls that end
// the conversation need no result.
func (w *writer) paired(group []Message, last bool) []Message {
	m := group[0]
	if m.isResult() { // nothing before it has a call
		w.note(quirkPlain)
		return []Message{told(m)}
	}
	if len(m.Calls) == 0 {
		return group
	}
	if w.note(quirkPlain); last && len(group) == 1 {
		return group
	}
	results, lost := matched(m.Calls, group[1:])
	out := make([]Message, 0, len(group)+len(m.Calls))
	switch {
	case len(m.Calls) > 1 && w.may(quirkOneCall):
		fallthrough
	case len(m.Calls) == 1:
		out = append(append(out, m), results...)
	default:
		for i := range m.Calls {
			one := Message{Role: m.Role, Calls: m.Calls[i : i+1]}
			if i == 0 {
				one.Text, one.Opaque = m.Text, m.Opaque
			} else if m.Opaque != nil && len(m.Calls[i].Extra) > 0 { // whose state its extra is
				one.Opaque = &Opaque{Provider: m.Opaque.Provider}
			}
			out = append(out, one, results[i])
		}
	}
	for _, r := range lost {
		out = append(out, told(r))
	}
	return out
}

// matched gives each call its result, and the results that belong to none.
func matched(calls []Call, results []Message) (found, lost []Message) {
	lost = slices.Clone(results)
	found = make([]Message, 0, len(calls))
	for _, c := range calls {
		i := slices.IndexFunc(lost, func(m Message) bool { return m.CallID == c.ID })
		if i < 0 {
			found = append(found, Message{Role: "tool", CallID: c.ID, Text: noResult})
			continue
		}
		found = append(found, lost[i])
		lost = slices.Delete(lost, i, i+1)
	}
	return found, lost
}

// told is a result as a text of the user.
func told(m Message) Message {
	return Message{Role: "user", Text: lostResult + "\n" + orElse(m.Text, noOutput), Images: m.Images}
}

// plainest is the conversation with nothing in it but texts, the user's and the
// assistant's in turn: calls and results are told, reasoning is left out.
func plainest(all []Message) []Message {
	return toldIn(all, func(c Call) string {
		return "[I called " + PlainName(c.Name) + " with " + sentArguments(c.Arguments) + "]"
	}, func(string) string { return calledBefore })
}

// toldIn is a conversation whose calls are written as call does, behind the text of their
// answer; above is the line over the result of a call of a tool.
func toldIn(all []Message, call func(Call) string, above func(tool string) string) []Message {
	out := make([]Message, 0, len(all))
	called := map[string]string{} // the tool, by the id of its call
	for _, m := range all {
		said := Message{Role: m.Role, Text: m.Text, Images: m.Images}
		switch m.Role {
		case "assistant":
			parts := []string{}
			if !IsBlank(m.Text) {
				parts = append(parts, m.Text)
			}
			if len(parts)*len(m.Calls) > 0 {
				parts[0] = strings.TrimRight(m.Text, " \r\n")
			}
			for _, c := range m.Calls {
				parts = append(parts, call(c))
				called[c.ID] = PlainName(c.Name)
			}
			said.Text = strings.Join(parts, "\n\n")
		case "tool":
			said.Role, said.Text = "user", above(called[m.CallID])+"\n"+orElse(m.Text, noOutput)
		}
		last := len(out) - 1
		switch {
		case IsBlank(said.Text) && len(said.Images) == 0:
		case last >= 0 && out[last].Role == said.Role && said.Role != "system":
			out[last].Text = strings.TrimPrefix(out[last].Text+"\n\n"+said.Text, "\n\n")
			out[last].Images = slices.Concat(out[last].Images, said.Images)
		default:
			out = append(out, said)
		}
	}
	return out
}

// systemless is the conversation with the system prompt before the first words of the user, for
// templates that know no such role.
func systemless(all []Message) []Message {
	text, n := leadingSystem(all)
	if text == "" {
		return all
	}
	out := slices.Clone(all[n:])
	if len(out) == 0 || out[0].Role != "user" {
		return slices.Insert(out, 0, Message{Role: "user", Text: text})
	}
	if !IsBlank(out[0].Text) {
		text += "\n\n" + out[0].Text
	}
	out[0].Text = text
	return out
}
