package rpc

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// outcome is how a run ended, in a few words.
func (s *Server) outcome(b history.RunEnded) string {
	locale := s.client.locale
	switch {
	case b.Error != nil:
		return control.Title(text.Failed.In(locale, b.Error.Message), maxReport)
	case b.StopReason == "cancelled":
		return text.Cancelled.In(locale)
	case b.Message != "":
		return control.Title(b.Message, maxReport)
	case len(b.Changes) > 0:
		files := map[string]bool{}
		for _, c := range b.Changes {
			files[c.Path] = true
		}
		return text.DoneWith(locale, len(files))
	default:
		return text.Done.In(locale)
	}
}

// maxLastWord is how much of an answer a message shows, in characters; the whole
// is in the transcript.
const maxLastWord = 400

// tell says the last word of a run to a client that has no other view of it. It
// is called with the session locked and does not wait.
func (s *Server) tell(o history.Origin, e history.Event) {
	if s.client.marker != nil || len(o.AgentPath) > 0 {
		return
	}
	switch b := e.Body.(type) {
	case history.RunStarted:
		s.setLastWord(o.Session, "")
		s.modelChoice.forget()
	case history.AssistantMessage:
		s.setLastWord(o.Session, control.Title(strings.TrimSpace(b.Text), maxLastWord))
	case history.ContextCompacted:
		s.setLastWord(o.Session, s.summarised(b))
	case history.Changed:
		if b.AutoCompact != nil && !*b.AutoCompact {
			s.say(messageWarning, message(text.AutoCompactOff.In(s.client.locale)))
		}
	case history.RunEnded:
		if !strings.HasPrefix(e.Run, o.Session+"-") { // a fork ends what goes on in the other session
			return
		}
		if b.Error != nil && b.Error.Kind == string(model.KindNotSet) {
			s.setLastWord(o.Session, "")
			s.modelChoice.none(o.Session, *b.Error)
			return
		}
		kind, words := s.lastWord(b, s.setLastWord(o.Session, ""))
		s.say(kind, message(words))
	}
}

// summarised is what came of a summary: the whole answer to somebody who asked for
// nothing else.
func (s *Server) summarised(b history.ContextCompacted) string {
	locale := s.client.locale
	switch {
	case b.OK:
		return text.Summarised.In(locale)
	case b.Reason == history.NothingToCompact:
		return text.NothingToSummarise.In(locale)
	}
	return text.NotSummarised.In(locale, control.Title(b.Reason, maxLastWord))
}

// lastWord is the message at the end of a run, and its type.
func (s *Server) lastWord(b history.RunEnded, answer string) (kind int, words string) {
	locale := s.client.locale
	switch {
	case b.Error != nil:
		return messageError, text.RunFailed.In(locale, control.Title(b.Error.Message, maxLastWord))
	case b.StopReason == "cancelled":
		return messageInfo, text.RunFailed.In(locale, text.Cancelled.In(locale))
	case b.Message != "":
		return messageWarning, text.RunFailed.In(locale, control.Title(b.Message, maxLastWord))
	case b.StopReason != "end_turn":
		return messageWarning, text.RunStopped.In(locale, b.StopReason)
	default:
		return messageInfo, strings.TrimSpace(text.RunDone.In(locale, answer))
	}
}

// setLastWord remembers what the model said last in a session, and returns what
// that was before. "" forgets it.
func (s *Server) setLastWord(id, words string) (before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.lastWords[id]
	if words == "" {
		delete(s.lastWords, id)
	} else {
		s.lastWords[id] = words
	}
	return before
}
