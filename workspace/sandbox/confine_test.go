package sandbox

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// An agent that is held to folders of which nobody has said where they are is not
// confined as one that may write everywhere.
func TestConfineNeedsTheFolders(t *testing.T) {
	here := t.TempDir()
	w := Policy{Bounds: tool.Bounds{Within: []string{"vault:/a", "vault:/b"}}}
	for n, within := range [][]string{nil, {here}, {here, here}} {
		a := Surroundings{Roots: []string{here}, Temp: &Temp{}, Within: within}
		c, err := a.Confine(Level{Name: proc.Landlock}, Settings{}, w)
		if (err == nil) != (n == 2) || err != nil && len(c.Write) > 0 {
			t.Errorf("%d of 2 folders: %v %v", n, c.Write, err)
		}
		if err := a.Temp.Remove(); err != nil {
			t.Error(err)
		}
	}
}
