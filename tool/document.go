package tool

// Document is a document that is open in the editor, as it was last seen. Text
// is what the editor has, byte for byte.
type Document struct {
	URI     string // as the editor spells it
	Version int32  // the editor's
	Text    string
}

// TextEdit puts Text in the place of the bytes [Start, End) of a document. Edits
// of one document do not overlap, and are in the order of their places.
type TextEdit struct {
	Start, End int
	Text       string
}

// Problem is one diagnostic that an editor has for a document. Its texts come
// from whatever the editor asks about it, and are as little to be trusted as the
// document.
type Problem struct {
	Line, Column int    // from 1; the column counts as the client does
	Severity     string // "error", "warning", "information", "hint"
	Message      string
	Source, Code string // "" where the editor names none
}
