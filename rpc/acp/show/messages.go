package show

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func chunk(id, text string) *v1.ContentChunk {
	return &v1.ContentChunk{MessageID: id, Content: v1.ContentBlock{Text: &v1.TextContent{Text: text}}}
}

// piece is a piece of a message that is being written.
type piece struct {
	MessageID string `json:"messageId"`
	Text      string `json:"text"`
}

func (s *Show) delta(e history.WireEvent) {
	var b piece
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	s.said[b.MessageID] = true
	s.mu.Unlock()
	s.Send(v1.SessionUpdate{AgentMessageChunk: chunk(b.MessageID, b.Text)})
}

func (s *Show) thought(e history.WireEvent) {
	var b piece
	if json.Unmarshal(e.Data, &b) == nil {
		s.Send(v1.SessionUpdate{AgentThoughtChunk: chunk(b.MessageID, b.Text)})
	}
}

// message shows a whole answer where no piece of it was shown: of a model that does not stream, to a
// client that was too slow, and of a session that is loaded.
func (s *Show) message(e history.WireEvent) {
	var b struct {
		piece
		Reasoning string `json:"reasoning"`
	}
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	shown, loads := s.said[b.MessageID], s.loads
	delete(s.said, b.MessageID)
	s.mu.Unlock()
	if loads && b.Reasoning != "" {
		s.Send(v1.SessionUpdate{AgentThoughtChunk: chunk(b.MessageID, b.Reasoning)})
	}
	if !shown && b.Text != "" {
		s.Send(v1.SessionUpdate{AgentMessageChunk: chunk(b.MessageID, b.Text)})
	}
}

// prompted shows a prompt of a session that is loaded; of one that was just given the client knows. The
// first one gives the session its title.
func (s *Show) prompted(e history.WireEvent) {
	var b struct {
		Prompt []history.Block
		Kind   string
		Typed  string
	}
	if json.Unmarshal(e.Data, &b) != nil || b.Kind != "prompt" {
		return
	}
	if b.Typed != "" && len(b.Prompt) > 0 {
		b.Prompt[0].Text = b.Typed
	}
	s.mu.Lock()
	first := s.title == ""
	if first {
		s.title = history.TitleOf(b.Prompt)
	}
	title := s.title
	s.mu.Unlock()
	if first && title != "" {
		s.Send(v1.SessionUpdate{SessionInfoUpdate: &v1.SessionInfoUpdate{Title: &title, UpdatedAt: &e.Time}})
	}
	s.showBlocks(e.RunID, b.Prompt)
}

// steered shows what the person has said to a run under way.
func (s *Show) steered(e history.WireEvent) {
	var b history.UserMessage
	if json.Unmarshal(e.Data, &b) == nil && !b.Synthetic {
		s.showBlocks(b.MessageID, b.Content)
	}
}

// showBlocks shows what a person has sent, while a session is loaded.
func (s *Show) showBlocks(id string, blocks []history.Block) {
	s.mu.Lock()
	loads := s.loads
	s.mu.Unlock()
	if !loads {
		return
	}
	for _, b := range blocks {
		block := v1.ContentBlock{Text: &v1.TextContent{Text: b.Text}}
		switch b.Type {
		case "resource_link":
			block = convert.Link(b)
		case "image":
			data, is := s.source.Image(b.URI)
			if !is {
				continue
			}
			block = v1.ContentBlock{Image: &v1.ImageContent{Data: data, MIMEType: b.MIMEType, URI: b.URI}}
		}
		s.Send(v1.SessionUpdate{UserMessageChunk: &v1.ContentChunk{MessageID: id, Content: block}})
	}
}
