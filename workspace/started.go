package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// startedBytes is the largest file of which a yes covers the content.
const startedBytes = 4 << 20

// Read answers control what a file contains that a command would start: of the workspace
// only, by its name or by what a link leads to. Of a large file that a link leads out to
// it is only where that is. Unsaved text in the editor does not
// count, as no command sees it (satisfies control.Reader).
func (w *places) Read(path string) (text string, there, whole bool) {
	p, err := w.Path(path)
	if err != nil || !slices.ContainsFunc(p.Objects(), func(o string) bool { return strings.HasPrefix(o, "vault") }) {
		return "", false, false
	}
	f, info, err := p.open()
	var odd openat.NotFile
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &odd) && odd.Kind == "a directory":
		return "", false, false
	case err != nil:
		_, gone := os.Lstat(p.abs)
		return "", gone == nil, false
	}
	defer f.Close()
	if info.Size() > startedBytes {
		if !p.InVault() { // a large program of the system: what leads to it is what counts
			return "-> " + p.abs, true, true
		}
		return "", true, false
	}
	data, err := io.ReadAll(io.LimitReader(f, startedBytes+1))
	return string(data), true, err == nil && len(data) <= startedBytes
}

// OwnProgram is the file of the workspace that a bare name finds in the PATH of commands, ""
// where it finds another one (satisfies control.Reader).
func (e *environment) OwnProgram(name string) string {
	path, _ := e.inPath(name)
	if path == "" || !slices.ContainsFunc(e.Roots(), func(root string) bool { return pathname.Inside(root, path) }) {
		return ""
	}
	return path
}

// Names are what is in a directory of the workspace (satisfies control.Reader).
func (w *places) Names(dir string) (names []string) {
	p, err := w.Path(dir)
	if err != nil || !p.InVault() {
		return nil
	}
	entries, err := os.ReadDir(p.abs)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// StartedHash names the content of a file of which a yes may cover a part, "" where
// there is none that could be covered. What an editor holds of it unsaved counts, too:
// an edit of the agent's is saved by the person.
func (v *Vault) StartedHash(object string) string {
	abs, err := v.absolute(object)
	if err != nil {
		return ""
	}
	text, _, whole := v.Read(abs)
	if !whole {
		return ""
	}
	if p, err := v.Path(abs); err == nil {
		if open, unsaved := v.buffers.unsaved(p); unsaved {
			text += "\x00" + open.Text
		}
	}
	return hashOf([]byte(text))
}

// KeepStarted keeps the content of a file like that of one which is changed. Without it
// a question only cannot show what is different later.
func (v *Vault) KeepStarted(object string) {
	if abs, err := v.absolute(object); err == nil {
		if text, _, whole := v.Read(abs); whole {
			_, _ = v.Keep([]byte(text))
		}
	}
}

// StartedDiff is what is different in a file since it had the content that a hash
// names, "" where that content was not kept or is no text.
func (v *Vault) StartedDiff(object, was string) string {
	from, isText, _, err := v.CheckpointText(was)
	if err != nil || !isText {
		return ""
	}
	p, err := v.Path(object)
	if err != nil {
		return ""
	}
	data, _, whole := v.Read(p.abs)
	now, notText := decodeDoc([]byte(data))
	if !whole || notText != nil {
		return ""
	}
	diff, _ := unified(p, from, now.text, false, false, maxDiffLines)
	return diff
}
