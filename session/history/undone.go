package history

import (
	"slices"
	"strconv"
	"strings"
)

// UndoName is what an undo is called in place of a call, before its number.
const UndoName = "undo#"

// undo remembers what an undo brought back. It works outside every run.
func (t *Transcript) undo(e Event, b FileChanged) {
	number, ok := strings.CutPrefix(b.CallID, UndoName)
	n, err := strconv.Atoi(number)
	if !ok || err != nil || e.Run != "" {
		return
	}
	t.Undos = max(t.Undos, n)
	before, after := b.Before, b.After
	if before == "" && after == "" {
		before, after = aDirectory, aDirectory
	}
	switch b.Kind {
	case "created":
		before = ""
	case "deleted":
		after = ""
	case "moved":
		t.knew(b.From, before)
		t.isNow(b.From, "", false)
		before = ""
	case "modified":
		if before == after { // its mode, which nobody compares
			before = aMode
		}
	}
	t.knew(b.Path, before)
	t.isNow(b.Path, after, true)
}

// What stands for a content where there is no hash.
const (
	aDirectory = "directory"
	aMode      = "mode"
)

// knew notes what the model knows to be at a path, "" for nothing.
func (t *Transcript) knew(path, content string) {
	if _, known := t.told[path]; known && content != aMode {
		return
	}
	if t.told == nil {
		t.told = map[string]string{}
	}
	t.told[path] = content
}

// isNow names a file among those of which the model has to be told, unless it is
// what the model knows: an undo that was taken back is no news. The place that a file
// has moved away from is not named, the one where it is now says enough.
func (t *Transcript) isNow(path, content string, name bool) {
	at := slices.Index(t.Undone, path)
	switch news := t.told[path] != content; {
	case news && name && at < 0:
		t.Undone = append(t.Undone, path)
	case !news && at >= 0:
		t.Undone = slices.Delete(t.Undone, at, at+1)
	}
}
