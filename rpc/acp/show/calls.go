package show

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Limits of what is shown of a call.
const (
	MostDiff   = 256 << 10 // bytes of one side of a diff
	outputTail = 16 << 10  // bytes of what a command has printed last
	MostDiffs  = 20        // files of one call that are shown as diffs
	// outputEvery is how often what a command prints is shown anew.
	outputEvery = time.Second / 5
)

// toolCall is a call that the client was shown.
type toolCall struct {
	id       string // by which the client knows it
	tool     string
	ended    bool
	tail     []byte                // of its output, or the lines of what a sub-agent did
	waiting  *time.Timer           // runs while some of the tail is not shown
	shown    time.Time             // when the tail was shown last
	changes  []history.FileChanged // so far
	terminal bool                  // the client shows its output as a terminal
}

// CallID is the id by which the client knows a call, "" where it was not shown.
func (s *Show) CallID(agent []string, callID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[nameOf(agent, callID)]; c != nil {
		return c.id
	}
	return ""
}

func nameOf(agent []string, callID string) string {
	return strings.Join(append(append([]string{}, agent...), callID), "/")
}

// callRequested shows a call that is about to be judged.
func (s *Show) callRequested(e history.WireEvent) {
	var b history.ToolRequested
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	name := nameOf(e.AgentPath, b.CallID)
	s.mu.Lock()
	s.seen[name]++
	c := &toolCall{id: name, tool: b.Tool}
	if s.seen[name] > 1 { // models use the same id again in another run
		c.id = e.RunID + "/" + name
	}
	c.terminal = b.Tool == "bash" && s.client.Terminals
	s.calls[name] = c
	s.mu.Unlock()
	call := v1.ToolCall{
		ToolCallID: c.id, Title: b.Title, Kind: convert.Kind(b.Tool), Status: v1.ToolCallStatusPending,
		RawInput: b.Input, Locations: convert.Locations(s.root, b.Tool, b.Input),
	}
	if c.terminal {
		call.Content = []v1.ToolCallContent{{Terminal: &v1.Terminal{TerminalID: c.id}}}
		call.Meta = convert.Meta("terminal_info", map[string]any{"terminal_id": c.id, "cwd": s.root})
	}
	s.Send(v1.SessionUpdate{ToolCall: &call})
}

// callDecided shows that a call runs. What a person allowed is shown when they have.
func (s *Show) callDecided(e history.WireEvent) {
	var b history.ToolDecided
	if json.Unmarshal(e.Data, &b) != nil || b.Decision != "allow" || b.Answer != "" {
		return
	}
	if id := s.CallID(e.AgentPath, b.CallID); id != "" {
		s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: id, Status: v1.ToolCallStatusInProgress, RawInput: b.Input}})
	}
}

// output is a piece of what a command prints.
type output struct {
	CallID string `json:"callId"`
	Text   string `json:"text"`
}

// callOutput shows what a command has printed last, at most five times a second.
func (s *Show) callOutput(e history.WireEvent) {
	var b output
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.grew(nameOf(e.AgentPath, b.CallID), b.Text)
}

// grew adds to what is shown of a call that runs.
func (s *Show) grew(name, text string) {
	s.mu.Lock()
	c := s.calls[name]
	if c == nil || c.ended {
		s.mu.Unlock()
		return
	}
	if c.terminal {
		s.mu.Unlock()
		s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: c.id, Meta: convert.Meta("terminal_output", map[string]any{"terminal_id": c.id, "data": text})}})
		return
	}
	c.tail = convert.Tail(append(c.tail, text...), outputTail)
	now := time.Now()
	if wait := outputEvery - now.Sub(c.shown); wait > 0 {
		if c.waiting == nil {
			c.waiting = time.AfterFunc(wait, func() { s.showTail(c) })
		}
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	s.showTail(c)
}

// showTail shows the end of what a call has printed, unless its result was shown.
func (s *Show) showTail(c *toolCall) {
	s.mu.Lock()
	if c.ended {
		s.mu.Unlock()
		return
	}
	c.waiting, c.shown = nil, time.Now()
	text := string(c.tail)
	s.mu.Unlock()
	s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: c.id, Content: []v1.ToolCallContent{convert.Text(text)}}})
}

// fileChanged remembers a change until its call returns.
func (s *Show) fileChanged(e history.WireEvent) {
	var b history.FileChanged
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[nameOf(e.AgentPath, b.CallID)]; c != nil && len(c.changes) < MostDiffs && b.Path != "." {
		c.changes = append(c.changes, b)
	}
}

// callReturned shows the result. The texts of changed files are asked for first, and what
// comes behind it waits.
func (s *Show) callReturned(e history.WireEvent) {
	var b history.ToolReturned
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	c := s.calls[nameOf(e.AgentPath, b.CallID)]
	if c == nil {
		s.mu.Unlock()
		return
	}
	c.ended = true
	if c.waiting != nil {
		c.waiting.Stop()
	}
	changes, loads := c.changes, s.loads
	s.mu.Unlock()
	done := convert.Result(c.id, c.terminal, b)
	if len(changes) == 0 || loads {
		s.Send(v1.SessionUpdate{ToolCallUpdate: &done})
		return
	}
	s.Later(func() *v1.SessionUpdate {
		done.Content = append(s.diffs(changes), done.Content...)
		return &v1.SessionUpdate{ToolCallUpdate: &done}
	})
}

// diffs are the changes of a call as the two texts of each file, where they are texts and still there.
func (s *Show) diffs(changes []history.FileChanged) (out []v1.ToolCallContent) {
	for _, change := range changes {
		before, is := s.checkpoint(change.Before, change.Path)
		after, are := s.checkpoint(change.After, change.Path)
		if !is || !are || len(before) > MostDiff || len(after) > MostDiff {
			continue // the result says what was changed
		}
		diff := &v1.Diff{Path: convert.Absolute(s.root, change.Path), NewText: after}
		if change.Before != "" {
			diff.OldText = &before
		}
		out = append(out, v1.ToolCallContent{Diff: diff})
	}
	return out
}

// checkpoint is the text of a file with a hash, as this session has had or made it; that of no file is empty.
func (s *Show) checkpoint(hash, path string) (string, bool) {
	if hash == "" {
		return "", true
	}
	return s.source.Document(history.DocumentURI(history.CheckpointScheme, s.id, hash, path))
}
