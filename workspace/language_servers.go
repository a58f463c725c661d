package workspace

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Languages asks the language servers of an editor. The zero Vault has none.
type Languages interface {
	// Answers says whether the editor can ask them this.
	Answers(kind tool.LanguageKind) bool
	// AskLanguage sends a question and returns; answer, which must be called once, waits
	// until ctx ends and returns its cause then.
	AskLanguage(ctx context.Context, q tool.LanguageQuestion) (answer func() (tool.LanguageAnswer, error))
	// LanguageEdits are edits of a text in bytes, in order and apart, or an error.
	LanguageEdits(text string, edits []tool.LanguageEdit) ([]tool.TextEdit, error)
}
