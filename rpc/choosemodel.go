package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

const (
	mostChoices = 6               // models in a menu or a question
	choicesWait = 3 * time.Second // for the lists of providers, while a person waits for a word
)

// modelChoice is what a client without a view of models is offered where a run ended
// because none is set up: the first models of each provider that answers, among its
// code actions and as a question. What is chosen is stored, and the prompt that found
// none is run again.
type modelChoice struct {
	s *Server

	mu    sync.Mutex
	of    string   // the session whose prompt waits
	names []string // what is offered
}

// none tells a person that there is no model, and offers those that there are. It is
// called with the session locked and does not wait.
func (m *modelChoice) none(of string, why history.RunError) {
	m.s.goWork(func() {
		names := m.listed()
		locale := m.s.client.locale
		if m.s.questions.Err() != nil {
			return
		}
		if len(names) == 0 {
			m.s.say(messageError, message(text.RunFailed.In(locale, control.Title(why.Message+" "+why.Detail, 2*maxLastWord))))
			return
		}
		m.mu.Lock()
		m.of, m.names = of, names
		m.mu.Unlock()
		m.s.say(messageError, message(text.RunFailed.In(locale, control.Title(why.Message, maxLastWord)+" "+text.ChooseModel.In(locale, m.s.command("useModel")))))
		if m.s.client.messageRequest {
			m.s.board.inTurn(func() {
				if m.s.waitQuiet(m.s.questions) {
					m.ask(of, why.Message, names)
				}
			})
		}
	})
}

// listed are the first models of each provider that answers soon, a provider's turn
// after the other.
func (m *modelChoice) listed() (names []string) {
	if m.s.back.Lists == nil {
		return nil
	}
	ctx, end := context.WithTimeout(m.s.questions, choicesWait)
	defer end()
	lists, _ := m.s.back.Lists.Lists(ctx, "")
	lists = slices.DeleteFunc(lists, func(l model.ModelList) bool { return len(l.Models) == 0 })
	for i := 0; len(names) < mostChoices; i++ {
		before := len(names)
		for _, l := range lists {
			if i < len(l.Models) && len(names) < mostChoices {
				names = append(names, l.Provider+"/"+l.Models[i].Name)
			}
		}
		if len(names) == before {
			return names
		}
	}
	return names
}

// ask offers the models in a message. The first item uses none: what a person types at
// that moment chooses nothing.
func (m *modelChoice) ask(of, why string, names []string) {
	locale := m.s.client.locale
	titles := []shown{line(text.NotNow.In(locale), 0)}
	byTitle := map[string]string{} // a client answers with what it was shown
	for _, name := range names {
		title := line(name, 0)
		titles, byTitle[string(title)] = append(titles, title), name
	}
	asked, err := m.s.conn.AskInTurn(context.Background(), "window/showMessageRequest",
		messageRequest{Type: messageWarning, Message: message(why + " " + text.WhichModel.In(locale)), Actions: actionsOf(titles)}, "commands")
	if err != nil {
		return // the client is gone
	}
	var chosen *struct {
		Title string `json:"title"`
	}
	done, err := asked.WaitInTurn(&chosen)
	defer done()
	if err != nil || chosen == nil || byTitle[chosen.Title] == "" {
		return // the code actions are still there
	}
	if ack, of, err := m.use(byTitle[chosen.Title], of); err != nil {
		m.s.say(messageError, message(err.Error()))
	} else if ack.Owed {
		m.s.drive(of)
	}
}

// use stores a model as that of every session that names none, and runs the last prompt
// of a session again if it did not end well.
func (m *modelChoice) use(name, id string) (history.Ack, *session.Session, error) {
	m.forget()
	value, err := json.Marshal(name)
	if err != nil {
		return history.Ack{}, nil, err
	}
	if err := m.s.back.Config.Set("model", value); err != nil {
		return history.Ack{}, nil, err
	}
	m.s.auditConfig("config", "set model", "client")
	if id == "" {
		return history.Ack{}, nil, nil
	}
	of, err := m.s.back.Sessions.Get(id)
	if err != nil {
		return history.Ack{}, nil, err
	}
	ack, err := of.Retry(session.Prompt{Kind: "continuation", Model: name})
	if _, nothing := errors.AsType[*session.InvalidError](err); nothing {
		return history.Ack{}, nil, nil
	}
	return ack, of, err
}

// forget takes the offer back: a run has begun, or a model was chosen.
func (m *modelChoice) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of, m.names = "", nil
}

// choices are the offered models as code actions.
func (m *modelChoice) choices() (all []choice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range m.names {
		all = append(all, choice{line(text.UseModelOf.In(m.s.client.locale, name), 0), "agent.run", "useModel", map[string]any{"model": name, "sessionId": m.of}})
	}
	return all
}

type useModelParams struct {
	Model     string `json:"model"`
	SessionID string `json:"sessionId"`
}

func (p *useModelParams) Check() error {
	if p.Model == "" {
		return wire.Missing("model")
	}
	return nil
}

// commandUseModel stores a model and runs the prompt again that found none.
func (s *Server) commandUseModel(_ context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p useModelParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	if p.SessionID == "" {
		p.SessionID = s.currentID()
	}
	c.Reserve() // the answer names the run, so it goes out before any event does
	ack, of, err := s.modelChoice.use(p.Model, p.SessionID)
	if refused, is := errors.AsType[*config.RefusedError](err); is {
		return nil, wire.InvalidParams("model", refused.Reason)
	}
	if err != nil {
		return nil, err
	}
	if ack.Owed {
		s.drive(of)
	}
	c.Release()
	return struct {
		Model string `json:"model"`
		RunID string `json:"runId,omitempty"`
	}{p.Model, ack.RunID}, nil
}
