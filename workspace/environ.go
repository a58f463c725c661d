package workspace

import (
	"os"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// HookEnv is the environment of the user's hooks that start in dir: that of a
// command, and where the workspace is.
func (v *Vault) HookEnv(dir string) []string {
	return append(v.environ(v.keepEnv(), dir), "AGENT_SIDECAR_WORKSPACE="+v.Root())
}

// environ is the environment of whatever starts in dir: what is known to be good, and
// what keep names.
func (v *Vault) environ(keep []string, dir string) []string {
	return proc.Scrub(os.Environ(), keep, v.secretEnv(), dir)
}
