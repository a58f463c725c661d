package surface

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Client is the connection to an editor, as much of it as the surfaces need. None of
// its methods waits for the editor.
type Client interface {
	// Notify sends a notification.
	Notify(method string, params any) error
	// Latest sends a notification that replaces one of the same key which the client
	// has not read.
	Latest(session, key, method string, params json.RawMessage)
	// Ask sends a request.
	Ask(ctx context.Context, method string, params any) (*wire.Asking, error)
	// AskInTurn sends a request whose answer has its turn among the client's own
	// requests of that key.
	AskInTurn(ctx context.Context, method string, params any, key string) (*wire.Asking, error)
	// Background runs f in a goroutine that the connection waits for.
	Background(f func())
	// Report writes an error into the program's log.
	Report(what string, err error)
}

// Sessions finds the sessions that are shown. The store implements it.
type Sessions interface {
	Get(id string) (*session.Session, error)
	Live() []*session.Session
	Each(ctx context.Context, id string, yield func(history.Event)) error
}

// Buffers are the documents as the editor has them. The Vault implements it.
type Buffers interface {
	Buffer(uri string) (text string, version int32, ok bool)
}

// Facts are what a client shows, and what it takes.
type Facts struct {
	Locale string
	// Plugin says that the client knows us: it shows runs and questions by itself.
	Plugin bool
	// Suffix is behind the name of every command of ours.
	Suffix             string
	Approvals          bool // the client declares that it answers approvals
	Questions          bool // and that it answers questions of the model
	MessageRequest     bool
	CodeLens           bool
	LensRefresh        bool // it takes workspace/codeLens/refresh
	PublishDiagnostics bool
	Transcript         bool
	CodeActions        bool
	Literals           bool // it understands CodeAction, not only Command
	WorkDoneProgress   bool
	ShowDocument       bool
}

// CommandName is the name of a command of ours, without its prefix and suffix.
type CommandName string

// The commands that surfaces offer.
const (
	CommandAnswer    CommandName = "answer"
	CommandApprove   CommandName = "approve"
	CommandCancel    CommandName = "cancel"
	CommandReject    CommandName = "reject"
	CommandReview    CommandName = "reviewDiff"
	CommandRun       CommandName = "run"
	CommandSetRunner CommandName = "setRunner"
	CommandUseModel  CommandName = "useModel"
)

// CommandPrefix is before the name of every command of ours.
const CommandPrefix = "agent-sidecar."

// Command is the name of one of our commands for this client.
func (f *Facts) Command(name CommandName) string { return CommandPrefix + string(name) + f.Suffix }

// MessageKind is the type of a window/showMessage.
type MessageKind int

// The kinds of LSP that are used.
const (
	MessageError   MessageKind = 1
	MessageWarning MessageKind = 2
	MessageInfo    MessageKind = 3
)

// Screen is what a client can show, and the way to it.
type Screen struct {
	Client
	Facts                    // set before anything is shown
	present  context.Context // ends when the client is about to leave
	sessions Sessions        // set before anything is shown
	buffers  Buffers         // set before anything is shown

	mu    sync.Mutex // guards everything below
	words []Shown    // messages that wait for initialized
	ready bool       // initialized has come
}

// Say shows a message.
func (s *Screen) Say(kind MessageKind, words Shown) {
	if err := s.Notify("window/showMessage", messageSaid{words, kind}); err != nil {
		s.Report("say", err)
	}
}

// Later shows a warning as soon as that is allowed.
func (s *Screen) Later(words Shown) {
	s.mu.Lock()
	ready := s.ready
	if !ready {
		s.words = append(s.words, words)
	}
	s.mu.Unlock()
	if ready {
		s.Say(MessageWarning, words)
	}
}

// Ready lets messages go out.
func (s *Screen) Ready() {
	s.mu.Lock()
	s.ready = true
	words := s.words
	s.words = nil
	s.mu.Unlock()
	for _, w := range words {
		s.Say(MessageWarning, w)
	}
}

// IsReady says whether messages go out.
func (s *Screen) IsReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// askLimit is how long an editor has to answer a request that changes nothing.
const askLimit = 10 * time.Second

// request sends a request that changes nothing. Nobody waits for it; then hears what the
// editor answered, or that it did not in time.
func (s *Screen) request(method string, params, result any, then func(error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	asked, err := s.Ask(ctx, method, params)
	if err != nil {
		cancel()
		return err
	}
	s.Background(func() {
		defer cancel()
		then(asked.Wait(result))
	})
	return nil
}

// askMessage asks in a message, which has its turn among the requests of a key.
func (s *Screen) askMessage(words Shown, titles []Shown, key string) (*wire.Asking, error) {
	actions := make([]messageAction, len(titles))
	for i, title := range titles {
		actions[i].Title = title
	}
	return s.AskInTurn(context.Background(), "window/showMessageRequest", messageRequest{actions, words, MessageWarning}, key)
}

// chosen waits for what the person chose in a message, "" for nothing. What follows from
// it is over with done.
func chosen(asked *wire.Asking) (title string, done func(), err error) {
	var action *messageAction
	done, err = asked.WaitInTurn(&action)
	if action != nil {
		title = string(action.Title)
	}
	return title, done, err
}

// Show asks the editor to open a file, where it can. Nobody waits for it; told,
// where there is one, hears whether it did.
func (s *Screen) Show(path string, told func(shown bool)) {
	if told == nil {
		told = func(bool) {}
	}
	if !s.ShowDocument {
		told(false)
		return
	}
	var answer struct {
		Success bool `json:"success"`
	}
	then := func(err error) {
		if err != nil {
			s.Report("show a document", err)
		}
		told(answer.Success)
	}
	if err := s.request("window/showDocument", map[string]any{"uri": fileuri.Of(path), "takeFocus": false}, &answer, then); err != nil {
		then(err)
	}
}

// Open shows a file that a person has asked for. An editor that cannot, or says that
// it has not, is told where the file is; one with a plugin has that from the answer.
func (s *Screen) Open(path string) {
	s.Show(path, func(shown bool) {
		if !shown && !s.Plugin {
			s.Say(MessageInfo, Messages(locale.OpenByHand.In(s.Locale, control.Title(path, 0))))
		}
	})
}

// AnswersTo is the key of every answer to a question, so that the first one that was
// sent is the first one that counts.
func AnswersTo(id string) string { return "approval " + id }
