package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// texts are the documents and images that a test has.
type texts struct {
	byURI map[string]string
	wait  chan struct{} // closed when they can be had
}

func (t texts) Document(uri string) (string, bool) {
	<-t.wait
	text, is := t.byURI[uri]
	return text, is
}

func (t texts) Image(uri string) (string, bool) { return t.Document(uri) }

// shown is a session and what was sent of it, each update as one word or two.
type shown struct {
	*Show
	mu   sync.Mutex
	sent []string
	all  []v1.SessionUpdate
}

func newShown(source Source, client Client) *shown {
	s := &shown{}
	s.Show = New("0001", "/w", "", client, source, func(u v1.SessionUpdate) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, u)
		s.sent = append(s.sent, nameOfUpdate(u))
	}, func(f func()) { go f() })
	return s
}

func nameOfUpdate(u v1.SessionUpdate) string {
	switch {
	case u.AgentMessageChunk != nil:
		return "says " + u.AgentMessageChunk.Content.Text.Text
	case u.AgentThoughtChunk != nil:
		return "thinks " + u.AgentThoughtChunk.Content.Text.Text
	case u.UserMessageChunk != nil:
		return "asked " + u.UserMessageChunk.Content.Text.Text
	case u.ToolCall != nil:
		return "call " + u.ToolCall.ToolCallID
	case u.ToolCallUpdate != nil:
		return fmt.Sprintf("call %s %s", u.ToolCallUpdate.ToolCallID, u.ToolCallUpdate.Status)
	case u.SessionInfoUpdate != nil:
		return "title " + *u.SessionInfoUpdate.Title
	}
	raw, _ := json.Marshal(u)
	return string(raw)
}

func event(kind string, data any) history.WireEvent {
	raw, _ := json.Marshal(data)
	return history.WireEvent{SessionID: "0001", Type: kind, RunID: "r1", Data: raw}
}

// TestOrderOfUpdates: what comes behind a result whose texts are still fetched waits for it, and so does who
// wants to answer.
func TestOrderOfUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := texts{map[string]string{history.DocumentURI(history.CheckpointScheme, "0001", "h1", "a.txt"): "new\n"}, make(chan struct{})}
		s := newShown(source, Client{})
		s.Event(event("tool.requested", history.ToolRequested{CallID: "c1", Tool: "write", Title: "write"}))
		s.Event(event("file.changed", history.FileChanged{CallID: "c1", Path: "a.txt", Kind: "created", After: "h1"}))
		s.Event(event("tool.returned", history.ToolReturned{CallID: "c1", Tool: "write", Status: history.StatusCompleted, Text: "created"}))
		s.Event(event("message.delta", piece{"m1", "Done."}))
		settled := make(chan struct{})
		go func() { s.Settle(); close(settled) }()
		synctest.Wait()
		if want := []string{"call c1"}; !slices.Equal(s.sent, want) {
			t.Errorf("before the texts are there: %q", s.sent)
		}
		select {
		case <-settled:
			t.Error("it has settled before the texts are there")
		default:
		}
		close(source.wait)
		<-settled
		if want := []string{"call c1", "call c1 completed", "says Done."}; !slices.Equal(s.sent, want) {
			t.Errorf("%q, want %q", s.sent, want)
		}
		diff := s.all[1].ToolCallUpdate.Content[0].Diff
		if diff == nil || diff.OldText != nil || diff.NewText != "new\n" || diff.Path != "/w/a.txt" {
			t.Errorf("the diff is %+v", diff)
		}
	})
}

// TestOutputIsPaced: what a command prints is shown at most five times a second, its end always, and nothing of it
// behind the result.
func TestOutputIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		close(ready)
		s := newShown(texts{wait: ready}, Client{})
		s.Event(event("tool.requested", history.ToolRequested{CallID: "c1", Tool: "bash", Title: "bash"}))
		for i := range 50 { // a second
			s.Event(event("tool.output", output{"c1", fmt.Sprintf("line %d\n", i)}))
			<-time.After(20 * time.Millisecond)
			synctest.Wait()
		}
		<-time.After(time.Second)
		synctest.Wait()
		s.mu.Lock()
		n, last := len(s.all)-1, s.all[len(s.all)-1].ToolCallUpdate.Content[0].Content.Content.Text.Text
		s.mu.Unlock()
		if n > 6 || n < 4 || last[len(last)-8:] != "line 49\n" {
			t.Errorf("%d updates in a second, the last ends with %q", n, last[max(0, len(last)-20):])
		}
		s.Event(event("tool.output", output{"c1", "late\n"}))
		s.Event(event("tool.output", output{"c1", "later\n"}))
		s.Event(event("tool.returned", history.ToolReturned{CallID: "c1", Tool: "bash", Status: history.StatusCompleted, Text: "all"}))
		<-time.After(time.Second)
		synctest.Wait()
		if got := s.sent[len(s.sent)-1]; got != "call c1 completed" {
			t.Errorf("behind the result comes %q", got)
		}
	})
}

// TestWhatIsShown: a session that happens and the same session that is loaded. A whole answer is shown only where no piece
// of it was, an id that a model uses again is another call, and a prompt only where it is loaded.
func TestWhatIsShown(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	again := event("tool.requested", history.ToolRequested{CallID: "c1", Tool: "read", Title: "read"})
	again.RunID = "r2"
	events := []history.WireEvent{
		event("run.started", map[string]any{"kind": "prompt", "prompt": []history.Block{{Type: "text", Text: "Do it."}}}),
		event("message.delta", piece{"m1", "Look"}),
		event("message.delta", piece{"m1", "ing."}),
		event("message.assistant", map[string]any{"messageId": "m1", "text": "Looking.", "reasoning": "Hm."}),
		event("tool.requested", history.ToolRequested{CallID: "c1", Tool: "read", Title: "read"}),
		event("tool.returned", history.ToolReturned{CallID: "c1", Tool: "read", Status: history.StatusFailed, Text: "no"}),
		event("message.assistant", map[string]any{"messageId": "m2", "text": "At once."}),
		again,
		event("nobody.knows", map[string]any{}),
		{Type: "tool.returned", Data: json.RawMessage(`[]`)},
	}
	live := newShown(texts{wait: ready}, Client{})
	loaded := newShown(texts{wait: ready}, Client{})
	loaded.Load()
	for _, e := range events {
		live.Event(e)
		if e.Type != "message.delta" { // a log has none
			loaded.Event(e)
		}
	}
	loaded.Loaded()
	want := []string{"title Do it.", "says Look", "says ing.", "call c1", "call c1 failed", "says At once.", "call r2/c1"}
	if !slices.Equal(live.sent, want) {
		t.Errorf("live: %q\nwant %q", live.sent, want)
	}
	want = []string{"title Do it.", "asked Do it.", "thinks Hm.", "says Looking.", "call c1", "call c1 failed", "says At once.", "call r2/c1"}
	if !slices.Equal(loaded.sent, want) {
		t.Errorf("loaded: %q\nwant %q", loaded.sent, want)
	}
}
