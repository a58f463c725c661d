// Package locale is the words that people read on an editor's surface or in a terminal,
// in every language there is. English words are the keys: those of surfaces are in en.go,
// those of sentences that other packages say are where they are said. Each further
// language is a JSON file, English words to its own. Wire names and texts for models are
// not here.
package locale

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Message is one text, as its English words. Its verbs are those of package fmt.
type Message string

// In is the text in the language of a locale ("zh-cn", "en-US", "zh_CN.UTF-8"); English
// where there is no other.
func (m Message) In(locale string, args ...any) string {
	form := m.Form(locale)
	if len(args) == 0 {
		return form
	}
	return fmt.Sprintf(form, args...)
}

// Form is the text in the language of a locale, with its verbs.
func (m Message) Form(locale string) string {
	if translated, ok := language(locale)[m]; ok {
		return translated
	}
	return string(m)
}

// Say is a sentence in the language of a locale; words that are in no table are as
// they are.
func Say(locale string, t said.Text) string {
	return t.In(func(form string) string { return Message(form).Form(locale) })
}

// Said is Say for what is passed on as a sentence.
func Said(locale string, t said.Text) said.Text {
	if language(locale) == nil {
		return t
	}
	return said.Plain(Say(locale, t))
}

// Tag is the language of a locale as pages name it.
func Tag(locale string) string {
	if language(locale) == nil {
		return "en"
	}
	return "zh-Hans"
}

// language is the table of a locale, nil for English.
func language(locale string) map[Message]string {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return simplifiedChinese()
	}
	return nil
}

//go:embed zh.json
var zh []byte

// simplifiedChinese is read when it is first needed: an editor waits for the start.
var simplifiedChinese = sync.OnceValue(func() (table map[Message]string) {
	if err := json.Unmarshal(zh, &table); err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	return table
})

// Calls is how many tool calls there were.
func Calls(locale string, n int) string { return counted(oneCall, callsSoFar, locale, n) }

// DoneWith says that a run is done and how many files it changed.
func DoneWith(locale string, files int) string { return counted(doneFile, doneFiles, locale, files) }

// Undone says how many files an undo brought back.
func Undone(locale string, files int) string { return counted(undoneFile, undoneFiles, locale, files) }

// Status is how a call, a task or a run ended, or where it is; one that has no words is
// its name.
func Status[W ~string](locale string, name W) string {
	if m, known := statuses[string(name)]; known {
		return m.In(locale)
	}
	return strings.ReplaceAll(string(name), "_", " ")
}

func counted(one, many Message, locale string, n int) string {
	if n == 1 {
		return one.In(locale)
	}
	return many.In(locale, n)
}
