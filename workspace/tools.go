package workspace

import "github.com/agent-sidecar/agent-sidecar/tool"

// ToolNames are the tools of a Vault. Where there is no shell, bash and what belongs to it
// are not made, and without an editor whose language servers can be asked no symbols,
// references and rename.
var ToolNames = []string{
	"read", "ls", "glob", "grep", "write", "edit", "apply_patch", "move", "delete", "memory", "memory_search", "bash", "job_output", "job_kill",
	"symbols", "references", "rename",
}

// Owner is the session that tools are made for.
type Owner struct {
	Session string
	Folder  string // of the session, where what was read is kept for the next process; "": it is forgotten
	// MayRead tells what the session may read without a question, as things are when it is
	// called: of a search below base, or of anything where that is "". nil: everything.
	MayRead func(base string) func(object string) bool
}

// Tools makes the tools of one session. Call it once a session: the tools
// remember what was read in it, and write and edit over a file need that.
func (v *Vault) Tools(of Owner) []tool.Tool { return v.toolsAt(newToolset(v, of)) }

// ToolsToExplain are the same tools for plans that are judged and never run: a
// change of a file that was not read, or cannot be made, still says what it
// touches.
func (v *Vault) ToolsToExplain(of Owner) []tool.Tool {
	d := newToolset(v, of)
	d.explains = true
	return v.toolsAt(d)
}

func (v *Vault) toolsAt(d *toolset) []tool.Tool {
	languages := linguist{d}
	tools := []tool.Tool{
		newRead(d), newLs(d), newGlob(d), newGrep(d, languages.namedLike),
		newWrite(d), newEdit(d), newApplyPatch(d), newMove(d), newDelete(d), newMemory(d), newMemorySearch(d),
	}
	if languages.answers(tool.LanguageSymbols) {
		tools = append(tools, newSymbols(d))
	}
	if languages.answers(tool.LanguageReferences) || languages.answers(tool.LanguageDefinition) {
		tools = append(tools, newReferences(d))
	}
	if languages.answers(tool.LanguageRename) {
		tools = append(tools, newRename(d))
	}
	if bash := newBash(v, d.session); bash != nil {
		tools = append(tools, bash, newJobOutput(v, d.session), newJobKill(v, d.session))
	}
	return tools
}
