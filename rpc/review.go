package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// reviewText is the whole of a question, as a person reads it before a yes. What
// comes from a model, a file or a client stands in it so that it can neither hide
// nor pass for a line of ours.
func (q *openQuestion) reviewText() string {
	a := q.Approval
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# %s\n# risk: %s\n", control.Title(a.Title, 0), control.Title(a.Reason, 0), a.Risk)
	if len(a.AgentPath) > 0 {
		fmt.Fprintf(&b, "# asked by: %s\n", control.Title(strings.Join(a.AgentPath, "/"), 0))
	}
	for _, t := range a.Targets {
		fmt.Fprintf(&b, "# target: %s\n", control.Title(t, 0))
	}
	for _, o := range a.Always {
		where := ""
		if o.Workspace != "" {
			where = " (in this workspace)"
		}
		fmt.Fprintf(&b, "# `always` would store: %s%s\n", control.Title(o.Pattern, 0), where)
	}
	b.WriteByte('\n')
	switch {
	case a.Preview != nil:
		b.WriteString(q.wholePreview())
	default:
		b.WriteString(control.Lines(indentedJSON(a.Input)))
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// mostReview is how much of a review stands in an answer, in bytes: a frame of ours
// has at most 1 MiB, and escaping can take half of that.
const mostReview = 256 << 10

// reviewWithin is the review for an answer. One that is too long is cut, names
// the file that has all of it, and does not count as seen.
func (q *openQuestion) reviewWithin(most int, uri string) (words string, whole bool) {
	words = q.reviewText()
	if len(words) <= most {
		return words, true
	}
	return wire.CutText(words, most) + "\n… this is not all of it: " + uri + "\n", false
}

func indentedJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// wholePreview is a preview with what did not fit into its event.
func (q *openQuestion) wholePreview() string {
	<-q.ready // the session asks right after it has told
	if q.full != "" {
		return q.full
	}
	return q.Preview.Text
}

type reviewResult struct {
	ApprovalID string `json:"approvalId"`
	Text       string `json:"text"`
	URI        string `json:"uri,omitempty"`
}

// commandReview shows a question whole: as a document where the editor can, and
// always in the answer. From then on surfaces of one line offer a yes.
func (s *Server) commandReview(_ context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p struct {
		ApprovalID string `json:"approvalId"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, wire.ParamsError(err)
	}
	q, err := s.pick(p.ApprovalID)
	if err != nil {
		return nil, err
	}
	c.Reserve() // what the editor does with it comes behind the answer
	uri := s.openReview(q)
	words, whole := q.reviewWithin(mostReview, uri)
	if whole && s.client.marker != nil {
		s.board.review(q.ApprovalID) // it shows what the answer holds
	}
	return reviewResult{q.ApprovalID, words, uri}, nil
}

// openReview writes the review to a file and asks the editor to show it. It
// counts as seen when the editor has; one that shows no documents gets it as a
// message.
func (s *Server) openReview(q *openQuestion) (uri string) {
	path, err := s.writeReview(q)
	if err != nil {
		s.report("write a review", err)
		s.sayReview(q, path)
		return ""
	}
	again := s.board.reviewedHere(q)
	s.show(path, func(shown bool) {
		switch {
		case !shown:
			s.sayReview(q, path)
		case again || !s.board.reviewedHere(q): // else the editor has opened it, and said so
			s.board.review(q.ApprovalID)
		}
	})
	return fileuri.Of(path)
}

// reviewOpened takes notice of a review that the person opened by themselves.
func (s *Server) reviewOpened(uri string) {
	if path, ok := fileuri.Path(uri); ok {
		if q := s.reviewedIn(path); q != nil && !s.board.reviewedHere(q) {
			s.board.review(q.ApprovalID)
		}
	}
}

// reviewedIn is the open question whose review is that file, nil for another.
func (s *Server) reviewedIn(path string) *openQuestion {
	if filepath.Ext(path) != ".diff" {
		return nil
	}
	for _, q := range s.board.pending("") {
		s.board.mu.Lock()
		mine := q.file == path
		s.board.mu.Unlock()
		if mine {
			return q
		}
	}
	return nil
}

// mostSaid is how much of a review is shown as a message, in bytes. What is longer
// cannot be seen so, and what was not seen is not allowed from a line.
const mostSaid = 8 << 10

func (s *Server) sayReview(q *openQuestion, path string) {
	if s.client.marker != nil {
		return // it was given in the answer
	}
	if words := q.reviewText(); len(words) <= mostSaid {
		if path != "" { // first, because an editor may show only the beginning
			words = text.OpenByHand.In(s.client.locale, control.Title(path, 0)) + "\n" + words
		}
		s.say(messageInfo, messages(words))
		s.board.review(q.ApprovalID)
	} else {
		s.say(messageWarning, messages(text.ReviewTooLong.In(s.client.locale, path)))
	}
}

// writeReview puts the review beside the session's log, or that of a question
// without a session into a directory of this connection.
func (s *Server) writeReview(q *openQuestion) (path string, err error) {
	dir := ""
	if q.SessionID != "" {
		of, err := s.back.Sessions.Get(q.SessionID)
		if err != nil {
			return "", err
		}
		dir = filepath.Join(of.Dir(), "reviews")
	} else if dir, err = s.reviewDir(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, q.ApprovalID+".diff")
	s.board.mu.Lock()
	q.file = path
	s.board.mu.Unlock()
	return path, os.WriteFile(path, []byte(q.reviewText()), 0o600)
}

// reviewDir is made when it is needed and removed with the connection.
func (s *Server) reviewDir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reviews == "" {
		dir, err := os.MkdirTemp("", "agent-sidecar-review-*")
		if err != nil {
			return "", err
		}
		s.reviews = dir
	}
	return s.reviews, nil
}

// show asks the editor to open a file, where it can. Nobody waits for it; told,
// where there is one, hears whether it did.
func (s *Server) show(path string, told func(shown bool)) {
	if told == nil {
		told = func(bool) {}
	}
	if !s.client.showDocument {
		told(false)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	asked, err := s.conn.Ask(ctx, "window/showDocument", map[string]any{"uri": fileuri.Of(path), "takeFocus": false})
	if err != nil {
		cancel()
		s.report("show a document", err)
		told(false)
		return
	}
	s.goWork(func() {
		defer cancel()
		var answer struct {
			Success bool `json:"success"`
		}
		if err := asked.Wait(&answer); err != nil {
			s.report("show a document", err)
		}
		told(answer.Success)
	})
}

// open shows a file that a person has asked for. An editor that cannot, or says that
// it has not, is told where the file is; a marker client has that from the answer.
func (s *Server) open(path string) {
	s.show(path, func(shown bool) {
		if !shown && s.client.marker == nil {
			s.say(messageInfo, messages(text.OpenByHand.In(s.client.locale, control.Title(path, 0))))
		}
	})
}

type openResult struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
}

// commandTranscript opens the live transcript of a session, and of one that another
// process has open a copy of it.
func (s *Server) commandTranscript(ctx context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	raw, err := s.onCurrent(raw)
	if err != nil {
		return nil, err
	}
	var p sessionParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	path := ""
	of, err := s.back.Sessions.Get(p.SessionID)
	switch {
	case errors.As(err, new(*session.LockedError)):
		path, err = s.transcripts.copyOf(ctx, p.SessionID)
	case err != nil:
		return nil, err
	default:
		s.tellShown(of)
		path, err = s.transcripts.write(of)
	}
	if err != nil {
		return nil, fmt.Errorf("write the transcript: %w", err)
	}
	s.open(path)
	return openResult{fileuri.Of(path), path}, nil
}

// commandArtifact opens the full output of a call: the one that is named, else the
// last one of the current session.
func (s *Server) commandArtifact(_ context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	var p artifactParams
	if err := json.Unmarshal(raw, &p); err != nil { // Check asks for a name, which a command need not have
		return nil, wire.ParamsError(err)
	}
	if p.ref() == "" {
		var err error
		if p.ArtifactID, err = s.lastArtifact(); err != nil {
			return nil, err
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	found, path, err := s.findArtifact(p.ref())
	if err != nil {
		return nil, err
	}
	s.open(path)
	return openResult{found.FileURI, path}, nil
}

// lastArtifact is the one that the newest result of the current session points to.
func (s *Server) lastArtifact() (id string, err error) {
	current := s.currentID()
	if current == "" {
		return "", wire.InvalidParams("artifactId", "there is no current session yet")
	}
	of, err := s.back.Sessions.Get(current)
	if err == nil {
		err = of.Each(func(e history.Event) {
			if r, ok := e.Body.(history.ToolReturned); ok && r.Artifact != nil {
				id = r.Artifact.ArtifactID
			}
		})
	}
	if err == nil && id == "" {
		err = wire.InvalidParams("artifactId", "no output of the session was too large")
	}
	return id, err
}
