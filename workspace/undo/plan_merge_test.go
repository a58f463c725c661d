package undo

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Where nothing can be merged, asking for it changes neither what is done nor the
// reason that is given: of what nobody has kept, and of a file that was moved, which
// comes back with its names or not at all.
func TestMergingNothing(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, `\`, "\n") }
	moved, _ := story("a ⇒ b: 1")
	moved[0].Before, moved[0].After = HashOf([]byte(lines(`1\2\3`))), HashOf([]byte(lines(`1\2\3`)))
	edited := tool.Change{Path: "b", Kind: "modified", Before: moved[0].After, After: HashOf([]byte(lines(`I\2\3`))), Checkpoint: moved[0].After}
	f := forest{files: map[string]string{"x": "x", "b": lines(`I\2\mine`)}, kept: []string{lines(`1\2\3`), lines(`I\2\3`)}}
	for name, changes := range map[string][]tool.Change{
		"changed, left and before unknown": {{Path: "x", Kind: "modified"}},
		"created, left unknown":            {{Path: "x", Kind: "created"}},
		"moved and changed since":          moved[:1],
		"moved, changed and changed since": {moved[0], edited},
	} {
		with, without := Make(changes, f, true), Make(changes, f, false)
		if len(with.Steps)+len(without.Steps) > 0 || len(without.Conflicts) != 1 || !reflect.DeepEqual(with.Conflicts, without.Conflicts) {
			t.Errorf("%s: merging %+v, not merging %+v", name, with, without)
		}
	}
}
