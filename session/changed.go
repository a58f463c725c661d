package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// fileChange is a change as clients see it, fileChanged as the log has it.
func fileChange(callID string, c tool.Change) history.FileChange {
	return history.FileChange{URI: c.URI, Path: c.Path, Kind: c.Kind, From: c.From, Additions: c.Additions, Deletions: c.Deletions, CallID: callID}
}

func fileChanged(callID string, c tool.Change) history.FileChanged {
	return history.FileChanged{CallID: callID, Path: c.Path, Kind: c.Kind, From: c.From, Before: c.Before, After: c.After, Checkpoint: c.Checkpoint, With: c.With, Runner: c.Runner}
}

// boundChanges keeps as many changes as fit into most bytes of a line.
func boundChanges(changes []history.FileChange, most int) []history.FileChange {
	for i, c := range changes {
		raw, err := history.Marshal(c)
		if most -= len(raw) + 1; err != nil || most < 0 {
			return changes[:i]
		}
	}
	return changes
}

// boundConflicts keeps as many as fit into most bytes.
func boundConflicts(conflicts []tool.Conflict, most int) []tool.Conflict {
	for i, c := range conflicts {
		raw, err := history.Marshal(c)
		if most -= len(raw) + 1 + wordsOfConflict; err != nil || most < 0 {
			return conflicts[:i]
		}
	}
	return conflicts
}

// wordsOfConflict is the most that the words of a reason take beside its name, in
// bytes: what is answered has them in the client's language.
const wordsOfConflict = 150
