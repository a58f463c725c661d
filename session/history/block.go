package history

import (
	"slices"
	"strings"
)

// Block is one piece of a prompt. An unknown type is kept and shown to the
// model by its name.
type Block struct {
	Type       string `json:"type"` // text, image, resource_link, artifact
	Text       string `json:"text,omitempty"`
	URI        string `json:"uri,omitempty"`
	Data       string `json:"data,omitempty"` // image: base64
	MIMEType   string `json:"mimeType,omitempty"`
	Range      *Range `json:"range,omitempty"`
	ArtifactID string `json:"artifactId,omitempty"`
	Bytes      int64  `json:"bytes,omitempty"`   // of what an artifact block stands for
	Ignored    bool   `json:"ignored,omitempty"` // for people only: no model is sent it
	// Anyway is a person's word about an image: also to a model that is not known to
	// take any.
	Anyway bool `json:"anyway,omitempty"`
	// Untrusted says that others may have written it, as a program that printed it may repeat a
	// page: it taints the session. One that does not say so is trusted no more for that.
	Untrusted bool `json:"untrusted,omitempty"`
}

// Untrusted says whether a model is sent a block that others may have written.
func Untrusted(blocks []Block) bool {
	return slices.ContainsFunc(ForModel(blocks), func(b Block) bool { return b.Untrusted })
}

// ForModel are the blocks that a model is sent.
func ForModel(blocks []Block) []Block {
	if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Ignored }) {
		return blocks
	}
	return slices.DeleteFunc(slices.Clone(blocks), func(b Block) bool { return b.Ignored })
}

// Range is an LSP range.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Lines are the first and the last line, from 1. Where the range ends before the first character of a line,
// nothing of that line is in it.
func (r Range) Lines() (first, last int) {
	first, last = r.Start.Line+1, r.End.Line+1
	if r.End.Character == 0 && last > first {
		last--
	}
	return first, last
}

// Position is an LSP position, in the encoding of the connection.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// text is the type of a block of words.
const text = "text"

// Text is a prompt of one text block.
func Text(s string) []Block { return []Block{{Type: text, Text: Clean(s)}} }

// TextOf is what a person typed for the model: the text blocks joined.
func TextOf(blocks []Block) string { return ShownOf(ForModel(blocks)) }

// ShownOf is TextOf with what only people are shown.
func ShownOf(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Clean makes text fit for the log: valid UTF-8 without NUL.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

// Words are the prompt as its person wrote it, with what was attached.
func (b RunStarted) Words() []Block {
	i := slices.IndexFunc(b.Prompt, func(one Block) bool { return one.Type == text })
	if b.Typed == "" || i < 0 {
		return b.Prompt
	}
	out := slices.Clone(b.Prompt)
	out[i].Text = b.Typed
	return out
}
