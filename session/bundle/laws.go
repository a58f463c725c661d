package bundle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// laws holds the events of one log to the laws of a log as they come: a log
// that breaks them would give a conversation that no model takes.
type laws struct {
	t      *history.Transcript
	events int
}

func newLaws() *laws { return &laws{t: history.NewTranscript()} }

func (l *laws) take(e history.Event) error {
	l.events++
	opened, first := e.Body.(history.Opened)
	if first != (l.events == 1) {
		return errors.New("a log begins with session.opened, and has one")
	}
	if first && (opened.Version < 1 || opened.Version > history.Version) {
		return fmt.Errorf("the log is of version %d; this program reads version %d", opened.Version, history.Version)
	}
	switch b := e.Body.(type) {
	case history.RunStarted:
		if l.t.Run != nil {
			return fmt.Errorf("run %q starts while run %q is under way", e.Run, l.t.Run.ID)
		}
	case history.AssistantMessage:
		if len(l.t.OpenCalls) > 0 {
			return fmt.Errorf("an answer comes before the result of call %q", l.t.OpenCalls[0].CallID)
		}
		for i, c := range b.Calls {
			if c.CallID == "" || l.t.CallIDs.Has(c.CallID) || slices.ContainsFunc(b.Calls[:i], func(o history.Call) bool { return o.CallID == c.CallID }) {
				return fmt.Errorf("call %q has no id of its own", c.CallID)
			}
		}
	case history.ToolReturned:
		if len(l.t.OpenCalls) == 0 || l.t.OpenCalls[0].CallID != b.CallID {
			return fmt.Errorf("the result of call %q is in the wrong place", b.CallID)
		}
	case history.ContextCompacted:
		if b.OK && l.splits(b.KeepFrom) {
			return errors.New("a summary separates a call from its result")
		}
	case history.RunEnded:
		if l.t.Run != nil && l.t.Run.ID == e.Run && len(l.t.OpenCalls) > 0 {
			return fmt.Errorf("the run ends before the result of call %q", l.t.OpenCalls[0].CallID)
		}
	}
	return l.t.Apply(e)
}

// splits says that a result would stay whose call a summary replaces.
func (l *laws) splits(keep int64) bool {
	at := slices.IndexFunc(l.t.Items, func(i history.Item) bool { return i.Seq >= keep })
	return len(l.t.OpenCalls) > 0 || at >= 0 && l.t.Items[at].Result != nil
}
