package bundle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Events calls each with every event of every log in the order in which a client
// would have seen them: those of a sub-agent behind the line of the root that they
// were written after.
func (b *Bundle) Events(each func(history.Origin, history.Event)) {
	paths := b.childPaths()
	var sent history.Sent
	next := map[int]int{} // how many events of a child were shown
	children := b.Logs[1:]
	flush := func(upTo int64) {
		for i, log := range children {
			o := history.Origin{Session: b.Session, AgentPath: []string{paths[log.Child]}}
			for next[i] < len(log.Lines) && (upTo < 0 || log.Lines[next[i]].After <= upTo) {
				o.ParentCall = sent.Call(o.AgentPath[0], log.Lines[next[i]].After)
				each(o, log.Lines[next[i]].Event)
				next[i]++
			}
		}
	}
	for _, l := range b.Root().Lines {
		if s, ok := l.Body.(history.SubagentStarted); ok {
			sent = sent.With(l.Seq, s)
		}
		each(history.Origin{Session: b.Session}, l.Event)
		flush(l.Seq)
	}
	flush(-1)
}

// childPaths are the names of sub-agents as the root's log gives them, "explore#1".
func (b *Bundle) childPaths() map[int]string {
	paths := map[int]string{}
	for _, log := range b.Logs[1:] {
		agent := "agent"
		if opened, ok := log.Lines[0].Body.(history.Opened); ok {
			agent = opened.Agent
		}
		paths[log.Child] = fmt.Sprintf("%s#%d", agent, log.Child)
	}
	for _, l := range b.Root().Lines {
		if s, ok := l.Body.(history.SubagentStarted); ok {
			for n := range maps.Keys(paths) {
				if strings.HasSuffix(s.Path, fmt.Sprintf("#%d", n)) {
					paths[n] = s.Path
				}
			}
		}
	}
	return paths
}

// Opened is the first line of the root's log.
func (b *Bundle) Opened() (history.Opened, bool) {
	opened, ok := b.Root().Lines[0].Body.(history.Opened)
	return opened, ok
}

// WriteEvents writes every event as a client saw it, one JSON object a line.
func (b *Bundle) WriteEvents(w io.Writer) error {
	out := bufio.NewWriter(w)
	var failed error
	b.Events(func(o history.Origin, e history.Event) {
		wire, err := e.Wire(o)
		if err != nil {
			failed = err
			return
		}
		raw, err := history.Marshal(wire)
		failed = errors.Join(failed, err)
		out.Write(append(raw, '\n'))
	})
	return errors.Join(failed, out.Flush())
}
