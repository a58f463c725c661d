package surface

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
)

// Prompts that are in files: a line with `@agent …`, and the whole of a file
// `*.prompt.md`. They are only offered, where a person asks what can be done or looks
// at such a file; a file cannot run itself. What is offered is the text that is sent,
// and nothing in it is hidden: who wrote the file is not known.

const (
	agentMention = "@agent"
	promptFile   = ".prompt.md"
	// mostOffered is how many lines of one selection are offered.
	mostOffered = 5
	// mostPromptFile is how long a prompt file may be, in bytes: its text travels with
	// the lens.
	mostPromptFile = 64 << 10
)

// promptLine is a prompt in a line of a document.
type promptLine struct {
	line int // from 0
	text string
}

// mentionsIn are the prompts in the lines from first to last of a text.
func mentionsIn(text string, first, last int) (out []promptLine) {
	for n := 0; n <= last && text != "" && len(out) < mostOffered; n++ {
		line, rest := text, ""
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			line, rest = text[:end], text[end+1:]
		}
		if n >= first {
			if prompt := mentioned(line); prompt != "" {
				out = append(out, promptLine{n, prompt})
			}
		}
		text = rest
	}
	return out
}

// mentioned is what a line asks of the agent, "" for nothing, and for more than a
// title shows: what a person cannot read whole in the menu is not sent from it.
func mentioned(line string) string {
	words := strings.Join(strings.Fields(behindMention(line)), " ") // a gap could push the rest out of sight
	for _, end := range []string{"*/", "-->"} {                     // of the comment in which it is
		words = strings.TrimSpace(strings.TrimSuffix(words, end))
	}
	words = control.Title(words, 0)
	if utf8.RuneCountInString(words) > longTitle {
		return ""
	}
	return words
}

// behindMention is what follows `@agent ` in a line, where that is a word of its own
// and no part of an address.
func behindMention(line string) string {
	for line != "" {
		before, after, _ := strings.Cut(line, agentMention)
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if unicode.IsSpace(next) && !strings.ContainsRune("@._-", last) && !unicode.IsLetter(last) && !unicode.IsDigit(last) {
			return after
		}
		line = after
	}
	return ""
}

// wholePrompt is the text of a prompt file as it would be sent, "" where there is
// none to send.
func wholePrompt(uri, text string) string {
	if !isPromptFile(uri, text) {
		return ""
	}
	return strings.TrimSpace(control.Lines(strings.ReplaceAll(text, "\r\n", "\n")))
}

func isPromptFile(uri, text string) bool {
	return strings.HasSuffix(strings.ToLower(uri), promptFile) && len(text) <= mostPromptFile
}

// fileText is what the editor shows of a file of the workspace. What it does not show,
// and what we show of a session, contains no prompts.
func (m *Menu) fileText(uri string) string {
	path, ok := fileuri.Path(uri)
	if !ok || !m.places.inFolders(path) {
		return ""
	}
	if m.places.ofSession(path) {
		return ""
	}
	text, _, _ := m.buffers.Buffer(uri)
	return text
}

// fileChoices offer the prompts in the lines that a person has asked about, and the
// prompt that the whole file is.
func (m *Menu) fileChoices(p protocol.CodeActionParams) (out []choice) {
	uri := string(p.TextDocument.URI)
	shown := m.fileText(uri)
	for _, said := range mentionsIn(shown, int(p.Range.Start.Line), int(p.Range.End.Line)) {
		at := map[string]any{"line": said.line, "character": 0}
		out = append(out, choice{Line(locale.RunMention.In(m.Locale, said.text), 0), "agent.run", CommandRun, map[string]any{
			"prompt":  said.text,
			"context": map[string]any{"textDocument": map[string]any{"uri": uri}, "selection": map[string]any{"start": at, "end": at}},
		}})
	}
	if c, ok := m.promptFileChoice(uri, shown); ok {
		c.title = Line(locale.RunPromptFile.In(m.Locale), 0)
		out = append(out, c)
	}
	return out
}

// promptFileChoice runs a prompt file.
func (m *Menu) promptFileChoice(uri, shown string) (choice, bool) {
	prompt := wholePrompt(uri, shown)
	return choice{Line(locale.RunPrompt.In(m.Locale), 0), "agent.run", CommandRun, map[string]any{
		"prompt":  prompt,
		"context": map[string]any{"textDocument": map[string]any{"uri": uri}},
	}}, prompt != ""
}

// promptLens is on the first line of a prompt file.
func (m *Menu) promptLens(uri string) []protocol.CodeLens {
	c, ok := m.promptFileChoice(uri, m.fileText(uri))
	if !ok {
		return nil
	}
	return []protocol.CodeLens{{Command: m.asCommand(c)}}
}
