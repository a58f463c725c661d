package surface

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// progressScene is a progress table in front of a client that is read by hand.
type progressScene struct {
	*editor
	table *Progress
}

func startProgress(t *testing.T) progressScene {
	l := startEditor(t)
	s := shownBy(t, played{l.conn}, Facts{WorkDoneProgress: true})
	return progressScene{l, s.Progress}
}

// kinds are the new messages, each by its method or kind of progress, and the
// client's yes to every create among them.
func (p progressScene) kinds() (kinds []string) {
	p.t.Helper()
	for _, body := range p.news() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Token string `json:"token"`
				Value struct {
					Kind string `json:"kind"`
				} `json:"value"`
			} `json:"params"`
		}
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Fatal(err)
		}
		if m.Method == "window/workDoneProgress/create" {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID))
			kinds = append(kinds, "create")
			continue
		}
		kinds = append(kinds, m.Params.Value.Kind)
	}
	return kinds
}

// played is the connection to a client that is played by hand, which waits for no work.
type played struct{ *wire.Conn }

func (played) Background(f func())  { go f() }
func (played) Report(string, error) {}

func startOf(history.Origin) history.Event {
	return history.Event{Seq: 2, Run: "r", Body: history.RunStarted{Prompt: history.Text("work"), Kind: "prompt"}}
}

func childOf(n int) history.Origin {
	return history.Origin{Session: "0001", AgentPath: []string{fmt.Sprintf("explore#%d", n)}}
}

// At most four sub-agents have a line of their own at the same time; when one
// ends, the next one that lives long enough has its turn.
func TestProgressOfManySubAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startProgress(t)
		for n := range 6 {
			p.table.event(childOf(n), startOf(childOf(n)))
		}
		<-time.After(subAgentDelay - time.Millisecond)
		if got := p.kinds(); got != nil {
			t.Errorf("before half a second: %v", got)
		}
		<-time.After(time.Millisecond)
		if got := p.kinds(); strings.Join(got, " ") != "create create create create" {
			t.Errorf("after half a second: %v", got)
		}
		if got := p.kinds(); strings.Join(got, " ") != "begin begin begin begin" {
			t.Errorf("after the answers: %v", got)
		}
		for n := range 6 {
			p.table.event(childOf(n), history.Event{Run: "r", Body: history.RunEnded{StopReason: "end_turn"}})
		}
		if got := p.kinds(); strings.Join(got, " ") != "end end end end" {
			t.Errorf("at the end: %v", got)
		}
		p.table.event(childOf(7), startOf(childOf(7)))
		<-time.After(subAgentDelay)
		if got := p.kinds(); !slices.Equal(got, []string{"create"}) {
			t.Errorf("the next one: %v", got)
		}
		p.leave()
	})
}

// A line reports five times a second at most, and the last thing that happened is
// always told.
func TestProgressRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startProgress(t)
		of := history.Origin{Session: "0001"}
		p.table.event(of, startOf(of))
		p.kinds() // answers create
		if got := p.kinds(); !slices.Equal(got, []string{"begin"}) {
			t.Fatalf("begin: %v", got)
		}
		reports := 0
		for n := range 100 { // two seconds
			p.table.event(of, history.Event{Run: "r", Body: history.ToolRequested{Title: fmt.Sprintf("call %d", n)}})
			<-time.After(20 * time.Millisecond)
			reports += len(p.kinds())
		}
		if reports < 8 || reports > 10 {
			t.Errorf("%d reports in two seconds", reports)
		}
		<-time.After(reportEvery)
		p.kinds()
		if l := p.table.lines[lineKey(of)]; l.shown != "call 99" {
			t.Errorf("the last report is %q", l.shown)
		}
		p.leave()
	})
}
