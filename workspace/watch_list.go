package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// mostListBytes is how long one list is: what is kept is read whole.
const mostListBytes = 16 << 20

// listed are the changes of a command as they are told: the first ones one by one, the
// others as one change, whose checkpoint is the list of them (as several, where the names
// are very long). unnamed: there are further ones that have no name.
func (w *watch) listed(all []tool.Change, unnamed bool) []tool.Change {
	more := tool.Change{Path: undo.More, URI: fileuri.Of(w.v.Root()), Kind: "modified"}
	out := all
	if len(all) > commandChanges {
		out = all[:commandChanges:commandChanges]
		lists, err := w.v.keepChanges(all[commandChanges:])
		for _, more.Checkpoint = range lists {
			out = append(out, more)
		}
		what := "all of them"
		if err != nil {
			what, unnamed = "not all of the others: "+err.Error(), true
		}
		w.many = fmt.Sprintf("(%d files and directories were changed; the first %d are listed one by one, and an undo brings back %s)", len(all), commandChanges, what)
	}
	if unnamed {
		more.Checkpoint = ""
		out = append(out, more)
	}
	return out
}

// keepChanges keeps lists of changes, one change a line.
func (v *Vault) keepChanges(changes []tool.Change) (checkpoints []string, err error) {
	var list bytes.Buffer
	keep := func() error {
		id, err := v.Keep(list.Bytes())
		if err == nil {
			checkpoints = append(checkpoints, id)
		}
		list.Reset()
		return err
	}
	for _, c := range changes {
		if err := json.NewEncoder(&list).Encode(c); err != nil {
			return checkpoints, err
		}
		if list.Len() > mostListBytes {
			if err := keep(); err != nil {
				return checkpoints, err
			}
		}
	}
	if list.Len() > 0 {
		err = keep()
	}
	return checkpoints, err
}

// MoreChanges are the changes that a change stands for which has this checkpoint: those of
// a command that are not named one by one.
func (v *Vault) MoreChanges(checkpoint string) (changes []tool.Change, err error) {
	raw, err := v.Load(checkpoint)
	if err != nil {
		return nil, err
	}
	for list := json.NewDecoder(bytes.NewReader(raw)); ; {
		var c tool.Change
		switch err := list.Decode(&c); {
		case errors.Is(err, io.EOF):
			return changes, nil
		case err != nil:
			return nil, fmt.Errorf("read the list of changes %s: %w", checkpoint, err)
		}
		changes = append(changes, c)
	}
}
