package surface

import (
	"context"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Models are those that a person can choose from where none is set up.
type Models interface {
	// Choices are the first models of each provider that answers soon.
	Choices(ctx context.Context) []string
	// Use stores a model as that of every session that names none, and runs the last
	// prompt of a session again if it did not end well.
	Use(name, sessionID string) error
}

// modelChoice is what a client without a view of models is offered where a run ended
// because none is set up: the first models of each provider that answers, among its
// code actions and as a question. What is chosen is stored, and the prompt that found
// none is run again.
type modelChoice struct {
	*Screen
	asker  *Asker
	typing *typing
	from   Models

	mu    sync.Mutex
	of    string   // the session whose prompt waits
	names []string // what is offered
}

// none tells a person that there is no model, and offers those that there are. It is
// called with the session locked and does not wait.
func (m *modelChoice) none(of string, why history.RunError) {
	m.Background(func() {
		names := m.from.Choices(m.present)
		lang := m.Locale
		if m.present.Err() != nil {
			return
		}
		if len(names) == 0 {
			m.Say(MessageError, Message(locale.RunFailed.In(lang, control.Title(why.Message.String()+" "+why.Detail.String(), 2*MaxWords))))
			return
		}
		m.mu.Lock()
		m.of, m.names = of, names
		m.mu.Unlock()
		m.Say(MessageError, Message(locale.RunFailed.In(lang, control.Title(why.Message.String(), MaxWords)+" "+locale.ChooseModel.In(lang, m.Command(CommandUseModel)))))
		if m.MessageRequest {
			m.asker.inTurn(func() {
				if m.typing.waitQuiet(m.present) {
					m.ask(of, why.Message.String(), names)
				}
			})
		}
	})
}

// ask offers the models in a message. The first item uses none: what a person types at
// that moment chooses nothing.
func (m *modelChoice) ask(of, why string, names []string) {
	lang := m.Locale
	titles := []Shown{Line(locale.NotNow.In(lang), 0)}
	byTitle := map[string]string{} // a client answers with what it was shown
	for _, name := range names {
		title := Line(name, 0)
		titles, byTitle[string(title)] = append(titles, title), name
	}
	asked, err := m.askMessage(Message(why+" "+locale.WhichModel.In(lang)), titles, "commands")
	if err != nil {
		return // the client is gone
	}
	title, done, err := chosen(asked)
	defer done()
	if err != nil || byTitle[title] == "" {
		return // the code actions are still there
	}
	if err := m.from.Use(byTitle[title], of); err != nil {
		m.Say(MessageError, Message(err.Error()))
	}
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
		all = append(all, choice{Line(locale.UseModelOf.In(m.Locale, name), 0), "agent.run", CommandUseModel, map[string]any{"model": name, "sessionId": m.of}})
	}
	return all
}
