package workspace

import "github.com/agent-sidecar/agent-sidecar/tool"

// Tools makes the tools of one session. Call it once a session: the tools
// remember what was read in it, and write and edit over a file need that.
func (v *Vault) Tools(sessionID string) []tool.Tool { return v.ToolsIn(sessionID, "") }

// ToolsIn are Tools whose memory of what was read is also kept in the session's folder,
// for the next process.
func (v *Vault) ToolsIn(sessionID, folder string) []tool.Tool {
	return v.toolsAt(newToolset(v, sessionID, folder))
}

// ToolsToExplain are the same tools for plans that are judged and never run: a
// change of a file that was not read, or cannot be made, still says what it
// touches.
func (v *Vault) ToolsToExplain(sessionID string) []tool.Tool {
	d := newToolset(v, sessionID, "")
	d.explains = true
	return v.toolsAt(d)
}

func (v *Vault) toolsAt(d *toolset) []tool.Tool {
	tools := []tool.Tool{
		newRead(d), newLs(d), newGlob(d), newGrep(d),
		newWrite(d), newEdit(d), newApplyPatch(d), newMove(d), newDelete(d), newMemory(d), newMemorySearch(d),
	}
	if bash := newBash(v, d.session); bash != nil {
		tools = append(tools, bash, newJobOutput(v, d.session), newJobKill(v, d.session))
	}
	return tools
}
