package history

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Origin says whose event it is: the root session and, for a sub-agent, the
// way down to it.
type Origin struct {
	Session    string
	AgentPath  []string
	ParentCall string
}

// Ephemeral is an event that is shown and not kept.
type Ephemeral struct {
	Type  string
	Run   string
	After int64 // the last durable seq of the root
	Data  any
}

// WireEvent is the params of agent/event.
type WireEvent struct {
	SessionID  string          `json:"sessionId"`
	Seq        int64           `json:"seq,omitempty"`
	AfterSeq   *int64          `json:"afterSeq,omitempty"`
	SubSeq     int64           `json:"subSeq,omitempty"`
	Time       string          `json:"time"`
	RunID      string          `json:"runId,omitempty"`
	AgentPath  []string        `json:"agentPath,omitempty"`
	ParentCall string          `json:"parentCallId,omitempty"`
	Type       string          `json:"type"`
	Data       json.RawMessage `json:"data"`
}

// Wire gives a durable event as agent/event shows it: a root's line with its
// seq, a sub-agent's with afterSeq and subSeq.
func (e Event) Wire(o Origin) (WireEvent, error) {
	w := WireEvent{SessionID: o.Session, Time: Stamp(e.Time), RunID: e.Run, AgentPath: o.AgentPath, ParentCall: o.ParentCall, Type: e.Type()}
	if len(o.AgentPath) == 0 {
		w.Seq = e.Seq
	} else {
		after := e.After
		w.AfterSeq, w.SubSeq = &after, e.Seq
	}
	if u, ok := e.Body.(Unknown); ok {
		var l line
		if err := json.Unmarshal(u.Raw, &l); err != nil {
			return w, err
		}
		w.Data = tool.WholeRunes(l.Data)
		return w, nil
	}
	data, err := Marshal(e.Body)
	w.Data = data
	return w, err
}
