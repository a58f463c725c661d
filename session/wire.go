package session

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Block is one piece of a prompt (protocol §3 ContentBlock). An unknown type is
// kept and shown to the model by its name.
type Block struct {
	Type       string `json:"type"` // text, image, resource_link, artifact
	Text       string `json:"text,omitempty"`
	URI        string `json:"uri,omitempty"`
	Data       string `json:"data,omitempty"` // image: base64
	MIMEType   string `json:"mimeType,omitempty"`
	Range      *Range `json:"range,omitempty"`
	ArtifactID string `json:"artifactId,omitempty"`
}

// Range is an LSP range.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is an LSP position, in the encoding of the connection.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Text is a prompt of one text block.
func Text(s string) []Block { return []Block{{Type: "text", Text: clean(s)}} }

// TextOf is what a person typed: the text blocks joined.
func TextOf(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Usage is what a run or a session has cost (protocol §3).
type Usage struct {
	InputTokens  int64   `json:"inputTokens"`
	OutputTokens int64   `json:"outputTokens"`
	CachedTokens int64   `json:"cachedTokens"`
	Context      Context `json:"context"`
	Cost         *Cost   `json:"cost,omitempty"`
}

// Context is how full the model's window is. Window and Percent are null when
// the window is unknown; Generation counts compactions.
type Context struct {
	Used       int64    `json:"used"`
	Window     *int64   `json:"window"`
	Percent    *float64 `json:"percent"` // 0–100
	Generation int      `json:"generation"`
}

// Cost is money, where the provider says so.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// TokenCount is what the provider reported for one answer.
type TokenCount struct {
	InputTokens  int64    `json:"inputTokens"`
	OutputTokens int64    `json:"outputTokens"`
	CachedTokens int64    `json:"cachedTokens,omitempty"`
	Cost         *float64 `json:"cost,omitempty"`
}

func (u *Usage) add(t *TokenCount) {
	if t == nil {
		return
	}
	u.InputTokens += t.InputTokens
	u.OutputTokens += t.OutputTokens
	u.CachedTokens += t.CachedTokens
	if t.Cost != nil {
		if u.Cost == nil {
			u.Cost = &Cost{Currency: "USD"}
		}
		u.Cost.Amount += *t.Cost
	}
}

// Limits bound one run; nil members are the configuration's (protocol §3).
type Limits struct {
	MaxTurns     *int   `json:"maxTurns,omitempty"`
	MaxToolCalls *int   `json:"maxToolCalls,omitempty"`
	MaxTokens    *int64 `json:"maxTokens,omitempty"`
	WallMs       *int64 `json:"wallMs,omitempty"`
}

// Info is a session as lists show it (session §2 SessionInfo).
type Info struct {
	ID              string  `json:"id"`
	SessionKey      string  `json:"sessionKey"`
	Title           string  `json:"title"`
	Agent           string  `json:"agent"`
	Mode            string  `json:"mode"`
	Model           string  `json:"model"`
	RuntimeMode     string  `json:"runtimeMode"`
	SyncState       string  `json:"syncState"`
	State           string  `json:"state"` // idle, running, waiting_approval, interrupted, closed
	CompactionCount int     `json:"compactionCount"`
	Usage           Usage   `json:"usage"`
	CreatedAt       string  `json:"createdAt"`
	UpdatedAt       string  `json:"updatedAt"`
	Parent          *Parent `json:"parent,omitempty"`
}

// QueueItem is a prompt that waits (ruling 14).
type QueueItem struct {
	ItemID          string  `json:"itemId"`
	RunID           string  `json:"runId"`
	Prompt          []Block `json:"prompt"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	CreatedAt       string  `json:"createdAt"`
}

// Origin says whose event it is: the root session and, for a sub-agent, the
// way down to it.
type Origin struct {
	Session    string
	AgentPath  []string
	ParentCall string
}

// Ephemeral is an event that is shown and not kept (protocol §5).
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
// seq, a sub-agent's with afterSeq and subSeq (ruling 5).
func (e Event) Wire(o Origin) (WireEvent, error) {
	w := WireEvent{SessionID: o.Session, Time: e.Time.UTC().Format(timeLayout), RunID: e.Run, AgentPath: o.AgentPath, ParentCall: o.ParentCall, Type: e.Type()}
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
		w.Data = l.Data
		return w, nil
	}
	data, err := marshal(e.Body)
	w.Data = data
	return w, err
}

// clean makes text fit for the log: valid UTF-8 without NUL (session §4).
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
