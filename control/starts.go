package control

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Starts are the files of the workspace that the command of a plan starts, by the name
// they were started with and by each that a link on the way leads to.
func Starts(f Facts, plan *tool.Plan) (out []tool.StartedFile) {
	files, ok := f.Resolver.(Reader)
	if !ok || plan.Command == "" {
		return nil
	}
	for _, s := range shell.Starts(plan.Command, shell.Place{Dir: plan.Dir, Home: f.UserHome, Roots: f.Roots, Walk: newWalks(f).forShell}, files) {
		if s.Path == "" {
			out = append(out, tool.StartedFile{Command: s.Command})
			continue
		}
		objects := f.Resolver.Walk("", s.Path).Objects
		if !slices.ContainsFunc(objects, func(o string) bool { return strings.HasPrefix(o, "vault") }) {
			continue
		}
		sum := sha256.Sum256([]byte(s.Text))
		for _, o := range objects {
			out = append(out, tool.StartedFile{Command: s.Command, Object: o, Hash: hex.EncodeToString(sum[:])})
		}
	}
	return out
}
