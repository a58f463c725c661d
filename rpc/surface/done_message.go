package surface

import (
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
)

// endings say how runs ended to a client that has no other view of them.
type endings struct {
	*Screen
	models *modelChoice

	mu   sync.Mutex        // guards everything below
	last map[string]string // what the model said last, by session
}

// tell says the last word of a run to a client that has no other view of it. It
// is called with the session locked and does not wait.
func (s *endings) tell(o history.Origin, e history.Event) {
	if s.Plugin || len(o.AgentPath) > 0 {
		return
	}
	switch b := e.Body.(type) {
	case history.RunStarted:
		s.setLastWord(o.Session, "")
		s.models.forget()
	case history.AssistantMessage:
		s.setLastWord(o.Session, control.Title(strings.TrimSpace(b.Text), MaxWords))
	case history.ContextCompacted:
		s.setLastWord(o.Session, s.summarised(b))
	case history.Changed:
		if b.AutoCompact != nil && !*b.AutoCompact {
			s.Say(MessageWarning, Message(locale.AutoCompactOff.In(s.Locale)))
		}
	case history.RunEnded:
		if !strings.HasPrefix(e.Run, o.Session+"-") { // a fork ends what goes on in the other session
			return
		}
		if b.Error != nil && b.Error.Kind == string(model.KindNotSet) {
			s.setLastWord(o.Session, "")
			s.models.none(o.Session, *b.Error)
			return
		}
		kind, words := s.doneMessage(b, s.setLastWord(o.Session, ""))
		s.Say(kind, Message(words))
	}
}

// summarised is what came of a summary: the whole answer to somebody who asked for
// nothing else.
func (s *endings) summarised(b history.ContextCompacted) string {
	lang := s.Locale
	switch {
	case b.OK:
		return locale.Summarised.In(lang)
	case b.Reason == history.NothingToCompact:
		return locale.NothingToSummarise.In(lang)
	}
	return locale.NotSummarised.In(lang, control.Title(b.Reason, MaxWords))
}

// lastWord is the message at the end of a run, and its type.
func (s *endings) doneMessage(b history.RunEnded, answer string) (kind MessageKind, words string) {
	lang := s.Locale
	switch {
	case b.Error != nil:
		return MessageError, locale.RunFailed.In(lang, control.Title(b.Error.Message.String(), MaxWords))
	case b.StopReason == history.StopCancelled:
		return MessageInfo, locale.RunFailed.In(lang, locale.Cancelled.In(lang))
	case !b.Message.IsZero():
		return MessageWarning, locale.RunFailed.In(lang, control.Title(b.Message.String(), MaxWords))
	case b.StopReason != history.StopEndTurn:
		return MessageWarning, locale.RunStopped.In(lang, b.StopReason)
	default:
		return MessageInfo, strings.TrimSpace(locale.RunDone.In(lang, answer))
	}
}

// setLastWord remembers what the model said last in a session, and returns what
// that was before. "" forgets it.
func (s *endings) setLastWord(id, words string) (before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.last[id]
	if words == "" {
		delete(s.last, id)
	} else {
		s.last[id] = words
	}
	return before
}

// outcome is how a run ended, in a few words, and what it has cost where that is known.
func outcome(lang string, b history.RunEnded) string {
	words := ending(lang, b)
	if c := b.Usage.Cost; c != nil {
		words += " · " + ledger.Dollars(c.Amount, c.Estimated)
	}
	return words
}

func ending(lang string, b history.RunEnded) string {
	switch {
	case b.Error != nil:
		return control.Title(locale.Failed.In(lang, b.Error.Message.String()), maxReport)
	case b.StopReason == history.StopCancelled:
		return locale.Cancelled.In(lang)
	case !b.Message.IsZero():
		return control.Title(b.Message.String(), maxReport)
	case len(b.Changes) > 0:
		files := map[string]bool{}
		for _, c := range b.Changes {
			files[c.Path] = true
		}
		return locale.DoneWith(lang, len(files))
	default:
		return locale.Done.In(lang)
	}
}
