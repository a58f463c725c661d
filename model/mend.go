package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ofShape are the quirks of the history, and of what tools are described with. A long
// request can have several: each is found once in it, beside the one parameter that may be
// left out.
var ofShape = []string{quirkContent, quirkCallIDs, quirkOneCall, quirkSignature, quirkReasoningBack, quirkItemIDs, quirkThoughts, quirkSystem, quirkTools, quirkSchema}

var (
	namesMessage = anyOf(`\b(?:messages|input)(?:\[|\.|['"],\s*|\s+at\s+index\s+)(\d{1,6})\b`)
	refusesShape = anyOf(
		`\broles?\b`, `alternat`, `\btool.?(calls?|messages?|results?|use)\b`, `\btool_(call_id|use_id)\b`, `\bfunction.?calls?(_output)?\b`,
		`\b(assistant|user|tool|last|first|previous|preceding) messages?\b`, `\b(chat.?template|jinja)`, `\breasoning\b`, `\bthinking\b`,
	)
	// What a template says that gives up; servers answer 500 to that.
	templateFails = anyOf(`roles? must alternate`, `only user and assistant roles`, `raise_exception`, `(render|apply|pars)ing[^.]{0,40}template`, `template[^.]{0,40}(error|exception)`)
)

// mending is what was changed about one request on the way.
type mending struct {
	param   string   // the one parameter that was left out
	shape   []string // quirks of the history
	moved   bool     // to the other API
	tried   []string // quirks that are a guess: they are learned where they helped
	refused *failure // of the history as it was
}

// next names the quirk to try after a failure, "" for none. The last resort is the
// plainest form, once; it is remembered only where it helped.
func (m *mending) next(f *failure, sent []string) string {
	name := fixable(f, sent)
	switch {
	case slices.Contains(ofShape, name):
		if slices.Contains(m.shape, name) {
			return ""
		}
		m.shape = append(m.shape, name)
		if name == quirkSystem && !refusesSystem().MatchString(unescaped(f.body)) {
			m.tried = append(m.tried, name)
		}
		return name
	case name == quirkResponses && !m.moved: // another door: what is refused behind it is the one quirk
		m.moved = true
		return name
	case name != "" && m.param == "":
		m.param = name
		return name
	case name == "" && m.refused == nil && f.isOfShape() && (slices.Contains(sent, quirkPlain) || slices.Contains(sent, outOfTurn) && mustAlternate().MatchString(unescaped(f.body))):
		m.refused = f
		m.shape, m.tried = append(m.shape, quirkPlain), append(m.tried, quirkPlain)
		return quirkPlain
	}
	return ""
}

// learned are the quirks that were found on the way.
func (m *mending) learned() []string {
	if m.param == "" {
		return m.shape
	}
	return append([]string{m.param}, m.shape...)
}

// failed is the failure to tell: that of the history as it was, where its plainest
// form was refused as well.
func (m *mending) failed(last *failure) *failure {
	if m.refused != nil && (last.class == classBadRequest || last.class == classHistory) {
		return m.refused
	}
	return last
}

// isOfShape says that a provider refuses the history for the messages in it.
func (f *failure) isOfShape() bool {
	text := unescaped(f.body)
	switch f.class {
	case classHistory:
		return true
	case classBadRequest:
		return namesMessage().MatchString(text) || refusesShape().MatchString(text)
	case classServer:
		return f.err.Status >= 500 && templateFails().MatchString(text)
	}
	return false
}

// about says in words which message of the question a refusal names, "" where it
// names none.
func (q wireRequest) about(f *failure) string {
	if f.class != classBadRequest && f.class != classHistory {
		return ""
	}
	named := namesMessage().FindStringSubmatch(unescaped(f.body))
	if named == nil {
		return ""
	}
	at, err := strconv.Atoi(named[1])
	var body struct {
		Messages []struct {
			Role  string `json:"role"`
			Calls []struct {
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Input []struct {
			Type string `json:"type"`
			Role string `json:"role"`
			Name string `json:"name"`
		} `json:"input"`
	}
	if err != nil || json.Unmarshal(q.body.whole(), &body) != nil {
		return ""
	}
	what := ""
	switch {
	case at < len(body.Messages):
		m := body.Messages[at]
		what = whose[m.Role]
		names := []string{}
		for _, c := range m.Calls {
			names = append(names, c.Function.Name)
		}
		if len(names) > 0 {
			what = "an answer of the model that calls " + clip(strings.Join(names, ", "), 200)
		}
	case at < len(body.Input):
		i := body.Input[at]
		what = whose[i.Role] + whose[i.Type]
		if i.Name != "" {
			what += " of " + i.Name
		}
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf(" (message %d of the conversation is meant: %s)", at+1, what)
}

// whose are the messages of chat completions by their role, and the items of the
// other API by their type.
var whose = map[string]string{
	"system": "the system prompt", "user": "words of the user", "assistant": "an answer of the model", "tool": "the result of a call",
	"function_call": "a call", "function_call_output": "the result of a call", "reasoning": "reasoning of the model",
}
