package surface

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Surfaces are all the places of an editor where its person sees what happens, and
// answers.
type Surfaces struct {
	*Screen
	Pending     *Approvals
	Asker       *Asker
	Questions   *Questions
	Menu        *Menu
	Diagnostics *Diagnostics
	Progress    *Progress
	Transcripts *Transcripts
	typing      *typing
	places      *places
	annotations *annotations
	reviews     *reviews
	full        *fullAccess
	whereabouts *whereabouts
	models      *modelChoice
	endings     *endings
}

// New makes the surfaces of one connection. present ends when the client is
// about to leave.
func New(present context.Context, c Client) *Surfaces {
	s := &Surfaces{Screen: &Screen{Client: c, present: present}, typing: &typing{}, full: &fullAccess{}, whereabouts: &whereabouts{}}
	s.Pending = newApprovals(s.Screen)
	s.places = &places{Screen: s.Screen, approvals: s.Pending}
	s.Diagnostics = newDiagnostics(s.Screen)
	s.annotations = newAnnotations(s.Screen, s.Pending, s.places, s.Diagnostics)
	s.reviews = &reviews{Screen: s.Screen, approvals: s.Pending}
	s.Asker = &Asker{Screen: s.Screen, approvals: s.Pending, annotations: s.annotations, reviews: s.reviews, typing: s.typing}
	s.Questions = &Questions{Screen: s.Screen, asker: s.Asker, open: map[string]*openQuestion{}}
	s.models = &modelChoice{Screen: s.Screen, asker: s.Asker, typing: s.typing}
	s.Menu = &Menu{Screen: s.Screen, approvals: s.Pending, annotations: s.annotations, places: s.places, models: s.models, questions: s.Questions}
	s.Progress = newProgress(s.Screen, s.full, s.whereabouts)
	s.Transcripts = newTranscripts(s.Screen, s.annotations, s.reviews)
	s.endings = &endings{Screen: s.Screen, models: s.models, last: map[string]string{}}
	return s
}

// Begin says what the client shows, and where sessions, documents, models and runners are. It
// is called once, before anything is shown.
func (s *Surfaces) Begin(facts Facts, sessions Sessions, buffers Buffers, models Models, elsewhere Elsewhere) {
	s.Facts, s.sessions, s.buffers, s.models.from, s.Menu.elsewhere = facts, sessions, buffers, models, elsewhere
}

// Close removes what was kept in files for this connection alone.
func (s *Surfaces) Close() { s.reviews.close() }

// Event follows a durable event, which the client has in its outbox: every surface
// shows what happens. It is called with the session locked and does not block.
func (s *Surfaces) Event(o history.Origin, e history.Event) {
	if r, resolved := e.Body.(history.ApprovalResolved); resolved {
		s.Asker.Withdraw(r.ApprovalID)
	}
	if q, answered := e.Body.(history.QuestionAnswered); answered {
		s.Questions.withdraw(q.QuestionID)
	}
	begins, ends := s.full.follow(o, e)
	s.whereabouts.follow(o, e)
	s.Transcripts.event(o, e)
	s.Progress.event(o, e)
	s.endings.tell(o, e)
	s.TellMode(o.Session, begins, ends)
}

// Ephemeral follows what is shown and not kept.
func (s *Surfaces) Ephemeral(o history.Origin, e history.Ephemeral) {
	s.Progress.ephemeral(o, e)
	if c, is := e.Data.(session.SyncChange); is && c.Fork != "" && !s.Plugin {
		s.Say(MessageWarning, Message(locale.WentOnElsewhere.In(s.Locale, o.Session, c.Fork)))
	}
}

// Found says that a session is about to work which may be one of an earlier process.
func (s *Surfaces) Found(of *session.Session) { s.whereabouts.learn(of.ID(), of.Info().Runner) }

// Typed says that the person has changed a document, and in which line, from 0; below 0
// is not known.
func (s *Surfaces) Typed(uri string, line int) {
	s.typing.typed()
	s.annotations.seen(uri, line)
}

// SetFolders takes over the client's folders, as URIs.
func (s *Surfaces) SetFolders(uris []string) { s.places.follow(uris) }

// ForgetModels takes back what was offered: a model was chosen.
func (s *Surfaces) ForgetModels() { s.models.forget() }

// WriteReview keeps the text of a question in a file.
func (s *Surfaces) WriteReview(q *PendingApproval) (path string, err error) {
	return s.reviews.write(q)
}
