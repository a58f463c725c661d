package tool

// LanguageKind is a question that a language server can answer.
type LanguageKind string

// The questions.
const (
	LanguageDefinition LanguageKind = "definition"
	LanguageReferences LanguageKind = "references"
	LanguageSymbols    LanguageKind = "symbols" // of one document, or by name in the whole workspace
	LanguageHover      LanguageKind = "hover"
	LanguageRename     LanguageKind = "rename"
)

// LanguageQuestion is what an editor asks its language servers. It changes nothing, not
// even a rename: the answer says what would change.
type LanguageQuestion struct {
	Kind     LanguageKind
	Document Document // Version 0 is one that is not open; the zero Document: the whole workspace
	Offset   int      // bytes of the document's text, where it is about a name there
	Query    string   // of symbols in the whole workspace
	NewName  string   // of a rename
}

// LanguageAnswer is what came back, in the order in which it came and at most so much as
// the asker can use. All of it is as little to be trusted as a document: a place may be
// anywhere, or nowhere.
type LanguageAnswer struct {
	// Nobody says that no language server answers for the document.
	Nobody  bool
	Places  []LanguagePlace
	Symbols []LanguageSymbol
	Hover   string
	Changes []LanguageChange
	More    bool // there were more places or symbols
}

// LanguagePlace is a line of a document.
type LanguagePlace struct {
	URI  string
	Line int // from 1
}

// LanguageSymbol is something that has a name.
type LanguageSymbol struct {
	Name, Kind string // Kind is a word such as "function", "" of one that is not known
	Container  string // what it is in, "" where that is not said
	Depth      int    // how many symbols of its document it is in
	LanguagePlace
}

// LanguageChange is what a rename makes of a document.
type LanguageChange struct {
	URI     string
	Version int32 // of the text that it is for; 0 is not known
	Edits   []LanguageEdit
}

// LanguageEdit puts Text in the place of what is between two places, as the editor counts.
type LanguageEdit struct {
	Start, End LanguagePosition
	Text       string
}

// LanguagePosition is a place in a text as the editor counts: lines from 0, and
// characters of the encoding that was agreed on.
type LanguagePosition struct{ Line, Character uint32 }
