package rpc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// trust asks what only a person can say, each question once a connection.
type trust struct {
	*link
	surfaces *surface.Surfaces
	approver *approver
	back     *Backend
	audit    *auditor

	mu    sync.Mutex        // guards everything below
	asked map[string]bool   // digests of the questions that were asked
	open  []<-chan struct{} // closed when what became of one of them has been said
}

// ask asks, when something is about to run in a mode and once for each text on a
// connection: that this folder is trusted, that the inline configuration may widen what
// is allowed, that memory which was changed outside is used, and that commands may run
// in the sandbox without a question. The run does not wait; a yes acts from the next
// call on.
func (s *trust) ask(mode tool.Mode) {
	if !s.surfaces.Pending.CanAnswer() {
		return
	}
	config, lang := s.back.Config, s.client.Locale
	if roots := config.Untrusted(s.back.Folders.Roots()); len(roots) > 0 {
		yes := locale.TrustIt
		if len(roots) > 1 {
			yes = locale.TrustThem
		}
		named := strings.Join(roots, ", ")
		s.put(configQuestion{
			title: locale.TrustFolder.In(lang, named), reason: locale.TrustReason.In(lang), yes: yes.In(lang), about: named, shown: strings.Join(roots, "\n"),
			accept: func() error { return trustAll(config, roots) },
			moot:   func() string { return yesWhere(len(config.Untrusted(roots)) == 0) },
		})
	}
	if held := config.Settings(); held.Held {
		s.put(configQuestion{
			title: locale.AcceptInline.In(lang), reason: locale.InlineReason.In(lang), yes: locale.UseSettings.In(lang), about: "agent-sidecar", shown: held.InlineText,
			accept: func() error { return config.AcceptInline(held.InlineHash) },
		})
	}
	for _, f := range s.back.ForeignMemory() { // until a yes the prompt goes without them
		s.put(configQuestion{
			title: locale.UseMemory.In(lang, f.Name), reason: locale.MemoryReason.In(lang), yes: locale.UseIt.In(lang), about: f.Name, shown: f.Text,
			accept: f.Accept,
		})
	}
	if mode == tool.ModeAgent && s.back.UnaskedOpen() {
		s.put(s.unasked())
	}
}

// unasked is the question whether commands may run in the sandbox without a question.
// The no is stored, too: it is asked once.
func (s *trust) unasked() configQuestion {
	config, lang := s.back.Config, s.client.Locale
	all := locale.AskUnasked.In(lang) // so that the yes is beside it also where there is one line
	return configQuestion{
		title: all, reason: locale.UnaskedReason.In(lang), yes: locale.RunUnasked.In(lang), no: locale.KeepAsking.In(lang),
		about: "sandbox.autoAllow", shown: all,
		accept: func() error { return config.AnswerUnasked(true) },
		refuse: func() error { return config.AnswerUnasked(false) },
		moot: func() string {
			switch now := config.Settings(); {
			case now.UnaskedOpen:
				return ""
			case now.Sandbox.AutoAllow == "off":
				return "reject"
			}
			return "always"
		},
	}
}

// yesWhere is the answer of a question whose yes was given elsewhere.
func yesWhere(given bool) string {
	if given {
		return "always"
	}
	return ""
}

// trustAll remembers every folder that the question named, and no other.
func trustAll(config *config.Store, roots []string) error {
	for _, root := range roots {
		if err := config.TrustWorkspace(root); err != nil {
			return err
		}
	}
	return nil
}

// configQuestion is a question of domain config in the words of the person's language.
type configQuestion struct {
	title, reason string
	yes           string // the label of the yes: "always" would mislead
	no            string // and of the no; "": not now
	about         string // what a yes is for, in a few words
	shown         string // all that a yes is for
	accept        func() error
	refuse        func() error // nil: nothing is stored
	// moot is the answer that was given elsewhere: by the editor's own trust, or in
	// another window; "" where there is none, nil where there cannot be one.
	moot func() string
}

// put makes an approval of domain config: it belongs to no session, its
// events have no seq, and its answer is always or reject. The same one is made
// once a connection.
func (s *trust) put(c configQuestion) {
	sum := sha256.Sum256([]byte(c.title + "\x00" + c.shown))
	digest := hex.EncodeToString(sum[:])
	over := make(chan struct{})
	s.mu.Lock()
	skip := s.asked[digest] || s.leaving.Err() != nil
	if !skip {
		s.asked[digest] = true
		s.open = append(s.open, over)
	}
	s.mu.Unlock()
	if skip {
		return
	}
	no := cmp.Or(c.no, locale.NotNow.In(s.client.Locale))
	a := history.Approval{
		ApprovalID: "config-" + digest[:16], AgentPath: []string{}, CreatedAt: history.Stamp(time.Now()), Title: said.Plain(control.Title(c.title, 200)), Reason: said.Plain(c.reason),
		Risk: "write", Domain: tool.DomainConfig, Targets: []string{}, Input: []byte("{}"), Always: []control.Offer{},
		Rule:    control.RuleRef{Pattern: "*", Source: "built-in"},
		Preview: &history.ApprovalPreview{Kind: "text", Text: control.Lines(c.shown)}, Decisions: []string{"always", "reject"},
		Answerable: history.Answerable{Digest: digest, Labels: map[string]string{"always": c.yes, "reject": no}, Subject: c.about},
	}
	s.tell(a)
	ctx, withdraw := context.WithCancel(s.leaving)
	answers := s.approver.Approve(ctx, a)
	s.Background(func() {
		defer close(over)
		defer withdraw()
		s.listen(ctx, withdraw, a, answers, c)
	})
}

// listen waits for the word of a person, for a change of the configuration that answers
// the question, or for the end of the connection.
func (s *trust) listen(ctx context.Context, withdraw func(), a history.Approval, answers <-chan session.Answer, c configQuestion) {
	resolve := func(decision, by string) {
		s.tell(history.ApprovalResolved{ApprovalID: a.ApprovalID, Decision: decision, By: by})
		withdraw()
		s.surfaces.Asker.Withdraw(a.ApprovalID)
	}
	for {
		changed := s.back.Config.Changed()
		if c.moot != nil {
			if given := c.moot(); given != "" {
				resolve(given, "rule")
				return
			}
		}
		select {
		case answer := <-answers:
			if !s.surfaces.Pending.CanAnswer() {
				resolve("cancelled", "cancel")
				return
			}
			if s.take(answer, a, c) {
				resolve(answer.Decision, answer.By)
				s.audit.note(answer.Decision, a.Title.String(), answer.By)
				answer.Settle(session.Outcome{Status: "applied"})
				return
			}
		case <-changed:
		case <-ctx.Done():
			resolve("cancelled", "cancel")
			return
		}
	}
}

// take stores what an answer has to store. False leaves the question open.
func (s *trust) take(answer session.Answer, a history.Approval, c configQuestion) bool {
	if answer.Digest != "" && answer.Digest != a.Digest {
		answer.Settle(session.Outcome{Status: "stale", Approval: &a})
		return false
	}
	store := c.refuse
	if answer.Decision == "always" {
		store = c.accept
	}
	if store == nil {
		return true
	}
	err := store()
	if err != nil {
		s.Report("store the answer", err)
		s.surfaces.Say(surface.MessageError, surface.Message(err.Error()))
		answer.Settle(session.Outcome{Status: "not_found"})
	}
	return err == nil
}

// cancelAll ends the questions, and lets no new one begin. They
// belong to no session, so nothing else orders what it says of them: when it returns
// that is in the outbox, in front of how the runs end and of the response to
// shutdown.
func (s *trust) cancelAll(ctx context.Context) {
	s.mu.Lock()
	s.leave()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lastGrace) // a yes may wait for a file; the runs need the rest
	defer cancel()
	for _, over := range open {
		select {
		case <-over:
		case <-ctx.Done():
			return
		}
	}
}

// tell shows an event that belongs to no session.
func (s *trust) tell(b history.Body) {
	e := history.Event{Time: time.Now(), Body: b}
	if !s.client.wants(e.Type()) {
		return
	}
	if w, err := e.Wire(history.Origin{}); err == nil {
		if err := s.Notify(wire.EventMethod, w); err != nil {
			s.Report("show a question", err)
		}
	}
}
