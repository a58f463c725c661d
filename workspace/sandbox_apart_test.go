//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A session that has text from outside leaves nothing for the commands of others, in
// caches, home or /tmp, and finds nothing of theirs. All of it is gone with the session.
func TestBypassTaintedSessionLeavesSomething(t *testing.T) {
	for name, l := range levelsHere(t) {
		if l.Name != proc.Namespaces {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			run := func(session, apart, command string) string {
				p := bashPlan(t, newBash(w.v, session), map[string]any{"command": command})
				r, err := p.Run(t.Context(), tool.Grant{Origin: tool.Origin{Apart: apart}}, &outputtest.Kept{})
				if err != nil {
					t.Fatal(err)
				}
				return r.Text
			}
			const leave = `for d in "$XDG_CACHE_HOME" "$GOCACHE" "$npm_config_cache" "$HOME" /tmp; do mkdir -p "$d" && echo `
			const look = `cat "$XDG_CACHE_HOME/left" "$GOCACHE/left" "$npm_config_cache/left" ~/left /tmp/left 2>/dev/null | tr -d '\n'; true`
			if out := run("0001", "", leave+"shared > \"$d\"/left; done"); strings.Contains(out, "exit code 1") {
				t.Fatal(out)
			}
			run("0002", "0002", leave+"two > \"$d\"/left; done")
			run("0002.1", "0002", look+"; chmod -R a-w \"$GOCACHE\"") // its sub-agent; as a module cache leaves it
			for _, row := range []struct{ session, apart, want string }{
				{"0001", "", strings.Repeat("shared", 5)}, {"0003", "", strings.Repeat("shared", 5)},
				{"0002", "0002", strings.Repeat("two", 5)}, {"0002.1", "0002", strings.Repeat("two", 5)}, {"0004", "0004", ""},
			} {
				if out := run(row.session, row.apart, look); !strings.HasPrefix(out, row.want) || row.want == "" && strings.Contains(out, "shared") {
					t.Errorf("%s apart as %q sees %q", row.session, row.apart, out)
				}
			}
			dir, err := w.v.temps.Of("0002").Dir()
			if err != nil {
				t.Fatal(err)
			}
			w.v.EndJobs("0002.1") // a sub-agent ends, and its session goes on
			if _, err := os.Stat(dir); err != nil {
				t.Error("it went with a sub-agent:", err)
			}
			w.v.EndJobs("0002")
			if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
				t.Error("it is still there:", err)
			}
			if out := run("0002", "0002", look); strings.Contains(out, "two") {
				t.Errorf("the next one finds %q", out)
			}
		})
	}
}
