package convert

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Title is a question in one line, with the server that asks before it.
func Title(q history.QuestionAsked, one history.Question) string {
	if q.From != "" {
		return q.From + ": " + one.Question
	}
	return one.Question
}

// Form is a form for questions that belong together: a field for each, and one beside it for a person's own words.
func Form(lang string, q history.QuestionAsked) v1.ElicitationSchema {
	schema := v1.ElicitationSchema{Properties: map[string]v1.ElicitationPropertySchema{}}
	for i, one := range q.Questions {
		schema.Properties[fieldOf(i)] = propertyOf(one)
		if len(one.Options) > 0 {
			schema.Properties[fieldOf(i)+other] = v1.ElicitationPropertySchema{String: &v1.StringPropertySchema{Title: locale.OtherAnswer.In(lang)}}
		}
	}
	return schema
}

// other is behind the name of a field, for what a person types in the place of an option.
const other = "_other"

func fieldOf(i int) string { return fmt.Sprintf("answer_%d", i+1) }

// Answers are what a filled form says, one for each question; nil where it says nothing.
func Answers(q history.QuestionAsked, content map[string]json.RawMessage) (answers []history.QuestionAnswer) {
	some := false
	for i, one := range q.Questions {
		a := answerIn(content, fieldOf(i), one)
		some = some || !a.Empty()
		answers = append(answers, a)
	}
	if !some {
		return nil
	}
	return answers
}

// propertyOf is a question as a field: one of the options, some of them, or a text.
func propertyOf(q history.Question) v1.ElicitationPropertySchema {
	var options []v1.EnumOption
	for _, o := range q.Options {
		title := o.Label
		if o.Description != "" {
			title += ": " + o.Description
		}
		options = append(options, v1.EnumOption{Const: o.Label, Title: title})
	}
	switch {
	case len(options) == 0:
		return v1.ElicitationPropertySchema{String: &v1.StringPropertySchema{Title: q.Question}}
	case q.Multiple:
		return v1.ElicitationPropertySchema{Array: &v1.MultiSelectPropertySchema{Title: q.Question, Items: v1.MultiSelectItems{Titled: &v1.TitledMultiSelectItems{AnyOf: options}}}}
	}
	return v1.ElicitationPropertySchema{String: &v1.StringPropertySchema{Title: q.Question, OneOf: options}}
}

// answerIn is what a form says to a question: what was chosen among its options, and what was typed.
func answerIn(content map[string]json.RawMessage, field string, q history.Question) history.QuestionAnswer {
	a := history.QuestionAnswer{Choices: []string{}}
	var one string
	var some []string
	switch {
	case json.Unmarshal(content[field], &one) == nil && one != "" && len(q.Options) == 0:
		a.Text = one
	case json.Unmarshal(content[field], &one) == nil && one != "":
		some = []string{one}
	default:
		_ = json.Unmarshal(content[field], &some) // what is neither is no answer
	}
	for _, chosen := range some {
		if slices.ContainsFunc(q.Options, func(o history.QuestionOption) bool { return o.Label == chosen }) {
			a.Choices = append(a.Choices, chosen)
		}
	}
	if len(a.Choices) > 1 && !q.Multiple {
		a.Choices = a.Choices[:1]
	}
	if json.Unmarshal(content[field+other], &one) == nil && len(q.Options) > 0 {
		a.Text = one
	}
	return a
}
