package history

import (
	"fmt"
	"slices"
	"strings"
)

// QuestionAsked is what the model asks the person in one call, and the data of
// question.asked.
type QuestionAsked struct {
	QuestionID string     `json:"questionId"`
	CallID     string     `json:"callId"`
	From       string     `json:"from,omitempty"` // the MCP server that asks; "" is the model
	Questions  []Question `json:"questions"`      // 1 to 4
}

// Question is one question, with the answers to choose from. The person may always answer
// in their own words, and where there are no options there is nothing else.
type Question struct {
	Question string           `json:"question"`
	Header   string           `json:"header,omitempty"` // a word or two above it
	Options  []QuestionOption `json:"options"`
	Multiple bool             `json:"multiple,omitempty"` // more than one option may be chosen
}

// QuestionOption is an answer to choose. Labels of one question differ.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// QuestionAnswered says what became of a QuestionAsked. Without answers nobody has given
// any: the person dismissed it, or By says what ended it.
type QuestionAnswered struct {
	QuestionID string           `json:"questionId"`
	CallID     string           `json:"callId"`
	Answers    []QuestionAnswer `json:"answers"` // one a question, in their order
	By         string           `json:"by"`      // client, message_request, cancel, nobody, restart
}

// QuestionAnswer is the answer to one question. The zero one is none: the person has
// answered the others only.
type QuestionAnswer struct {
	Choices []string `json:"choices"` // labels
	Text    string   `json:"text,omitempty"`
}

// Empty says that the question is not answered.
func (a QuestionAnswer) Empty() bool {
	return len(a.Choices) == 0 && strings.TrimSpace(a.Text) == ""
}

// Check says why answers are none to these questions: there is one a question, each
// chooses among what is offered, and at least one says something.
func (q QuestionAsked) Check(answers []QuestionAnswer) error {
	if len(answers) != len(q.Questions) {
		return fmt.Errorf("%d answers to %d questions", len(answers), len(q.Questions))
	}
	if !slices.ContainsFunc(answers, func(a QuestionAnswer) bool { return !a.Empty() }) {
		return fmt.Errorf("no question is answered; dismiss them instead")
	}
	for i, a := range answers {
		if err := q.Questions[i].check(a); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
	}
	return nil
}

func (q Question) check(a QuestionAnswer) error {
	if len(a.Choices) > 1 && !q.Multiple {
		return fmt.Errorf("only one option may be chosen")
	}
	for i, label := range a.Choices {
		if !slices.ContainsFunc(q.Options, func(o QuestionOption) bool { return o.Label == label }) {
			return fmt.Errorf("%q is not offered", label)
		}
		if slices.Contains(a.Choices[:i], label) {
			return fmt.Errorf("%q is chosen twice", label)
		}
	}
	return nil
}
