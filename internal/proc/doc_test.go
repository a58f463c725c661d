package proc

import "testing"

func TestMainLeavesOtherArgumentsAlone(t *testing.T) {
	for _, args := range [][]string{nil, {"agent-sidecar"}, {"agent-sidecar", "serve"}, {"agent-sidecar", "serve", "__guard"}} {
		if handled, _ := Main(args, nil); handled {
			t.Errorf("%q", args)
		}
	}
}
