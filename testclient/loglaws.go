package testclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxLogLine bounds a line of the log, in bytes.
const maxLogLine = 200 << 10

// eventLog is one events.jsonl.
type eventLog struct {
	name   string // relative to the sidecar's home
	torn   bool   // it does not end in a newline
	size   int    // bytes
	lines  [][]byte
	events []event
}

// event is a line of the log or an agent/event, as far as the laws need it.
type event struct {
	SessionID string          `json:"sessionId"`
	Seq       *int64          `json:"seq"`
	AfterSeq  *int64          `json:"afterSeq"`
	SubSeq    *int64          `json:"subSeq"`
	Time      string          `json:"time"`
	RunID     string          `json:"runId"`
	Path      []string        `json:"agentPath"`
	Parent    string          `json:"parentCallId"`
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`

	body eventBody
	bad  string // why it is no event
}

// eventBody is the union of what the laws read in data.
type eventBody struct {
	CallID     string   `json:"callId"`
	ApprovalID string   `json:"approvalId"`
	AgentPath  []string `json:"agentPath"` // of a sub-agent's approval, which is the root's event
	MessageID  string   `json:"messageId"`
	Kind       string   `json:"kind"`
	ItemID     string   `json:"itemId"`
	Status     string   `json:"status"`
	StopReason string   `json:"stopReason"`
	Text       string   `json:"text"`
	Before     int64    `json:"before"` // of a summary, in tokens
	After      int64    `json:"after"`
	OK         bool     `json:"ok"`
	Calls      []struct {
		CallID string `json:"callId"`
	} `json:"calls"`
	Artifact json.RawMessage `json:"artifact"`
	Parent   struct {
		AtSeq int64 `json:"atSeq"`
	} `json:"parent"`
}

func parseEvent(raw []byte) event {
	var e event
	if !utf8.Valid(raw) {
		e.bad = "is not UTF-8"
		return e
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Type == "" {
		e.bad = "is not an event: " + shorten(string(raw), 100)
		return e
	}
	// Members of another type than here (calls is a number in subagent.ended)
	// are left at zero, one by one.
	var members map[string]json.RawMessage
	if json.Unmarshal(e.Data, &members) != nil {
		return e
	}
	for name, into := range map[string]any{
		"callId": &e.body.CallID, "approvalId": &e.body.ApprovalID, "agentPath": &e.body.AgentPath, "messageId": &e.body.MessageID,
		"kind": &e.body.Kind, "itemId": &e.body.ItemID, "status": &e.body.Status, "stopReason": &e.body.StopReason, "text": &e.body.Text,
		"calls": &e.body.Calls, "artifact": &e.body.Artifact, "parent": &e.body.Parent,
		"before": &e.body.Before, "after": &e.body.After, "ok": &e.body.OK,
	} {
		if v, ok := members[name]; ok {
			_ = json.Unmarshal(v, into) // see above
		}
	}
	return e
}

func parseLog(name string, data []byte) eventLog {
	l := eventLog{name: name, torn: len(data) > 0 && data[len(data)-1] != '\n', size: len(data)}
	if len(data) == 0 {
		return l
	}
	l.lines = bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for _, line := range l.lines {
		l.events = append(l.events, parseEvent(line))
	}
	return l
}

// child is true for the log of a sub-agent.
func (l eventLog) child() bool { return strings.Contains(l.name, "/sub/") }

// of is the session whose log, or whose sub-agent's log, this is.
func (l eventLog) of(session string) bool {
	root, _, _ := strings.Cut("/"+l.name, "/sub/")
	return session != "" && strings.HasSuffix(strings.TrimSuffix(root, "/events.jsonl"), "/"+session)
}

// grew gives what is wrong with the log beside what it was when the process was
// killed: it is only ever appended to, and only a torn line is cut.
func (l eventLog) grew(killed []eventLog) []string {
	for _, was := range killed {
		if was.name != l.name {
			continue
		}
		whole := was.lines
		if was.torn {
			whole = whole[:len(whole)-1]
		}
		for i, line := range whole {
			if i >= len(l.lines) || !bytes.Equal(l.lines[i], line) {
				return []string{fmt.Sprintf("line %d is not what it was before the restart: a log is only appended to", i+1)}
			}
		}
	}
	return nil
}

// check holds the log against the laws of a log. With open the process was
// killed after it was written: then the last run, its calls and approvals may
// be open, and the last line torn.
func (l eventLog) check(open bool) []string {
	c := &logCheck{open: open, child: l.child(), runs: map[string]runState{}, items: map[string]string{}, made: map[string]bool{}, calls: newCalls()}
	if l.torn && !open {
		c.bad("does not end in a newline")
	}
	for i, e := range l.events {
		c.at = i + 1
		last := i == len(l.events)-1
		switch {
		case e.bad != "":
			if !(last && l.torn && open) {
				c.bad("%s", e.bad)
			}
			continue
		case len(l.lines[i]) > maxLogLine:
			c.bad("is %d bytes", len(l.lines[i]))
		case e.Seq == nil || *e.Seq != int64(i+1):
			c.bad("seq is %s, want %d: it rises by 1", number(e.Seq), i+1)
		}
		if i == 0 && !l.child() && e.Type != "session.opened" {
			c.bad("the first line is %s, want session.opened", e.Type)
		}
		c.event(e)
	}
	c.at = len(l.events) + 1
	c.end()
	return c.problems
}

// readLogs reads every events.jsonl under the roots, such as the sidecar's home
// and the temporary directory (ephemeral sessions), in the order of their paths. A worker that
// outlives who was killed still removes its own files meanwhile.
func readLogs(roots ...string) ([]eventLog, error) {
	var logs []eventLog
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || d.Name() != "events.jsonl" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			logs = append(logs, parseLog(filepath.ToSlash(name), data))
			return nil
		})
		if err != nil {
			return logs, err
		}
	}
	return logs, nil
}
