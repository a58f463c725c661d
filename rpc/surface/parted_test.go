package surface

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Who has no plugin is told once where what was done here is when another machine went on, too.
func TestPartedIsTold(t *testing.T) {
	for _, plugin := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := startEditor(t)
			s := shownBy(t, played{l.conn}, Facts{Plugin: plugin})
			o := history.Origin{Session: "0001"}
			for _, change := range []session.SyncChange{{SyncState: "syncing"}, {SyncState: "conflict", Fork: "0002"}, {SyncState: "synced"}} {
				s.Ephemeral(o, history.Ephemeral{Type: session.SyncChangeType, Data: change})
			}
			var told []string
			for _, body := range l.news() {
				told = append(told, string(body))
			}
			if plugin && len(told) != 0 || !plugin && (len(told) != 1 || !strings.Contains(told[0], "session 0002")) {
				t.Errorf("with a plugin %t: %q", plugin, told)
			}
			l.leave()
		})
	}
}
