package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Restore says to which prompt a person goes back.
type Restore struct {
	SessionID string
	Seq       int64 // of the prompt
	Title     *string
	DryRun    bool
	Digest    string // of the answer that the person has seen; "" where it does not matter
	Anyway    bool   // also where files stay as they are
}

// Restored is what came of it, or would.
type Restored struct {
	session.Undone
	Session *session.Session // the fork; nil where nothing was done
	Digest  string           // of what Undone says, and of where the two part
}

// Restore forks a session at the last boundary before a prompt, and brings back the files
// that it has changed since: what is said there and what the files are fit together. Both
// are done or nothing is. first is called before the first event.
func (st *Store) Restore(ctx context.Context, r Restore, first func()) (Restored, error) {
	of, err := st.Get(r.SessionID)
	if err != nil {
		return Restored{}, err
	}
	at, err := cutBefore(history.Read(of.Dir()), r.Seq)
	if err != nil {
		return Restored{}, err
	}
	var out Restored
	undone, _, err := of.Restore(ctx, session.Restoring{
		To: session.UndoTo{Seq: &at},
		Accept: func(would session.Undone) bool {
			out.Digest = digestOf(at, would)
			return !r.DryRun && (r.Digest == "" || r.Digest == out.Digest) && (r.Anyway || len(would.Conflicts) == 0)
		},
		Then: func() (err error) {
			first()
			out.Session, err = st.Fork(r.SessionID, at, r.Title)
			return err
		},
	}, first)
	out.Undone = undone
	return out, err
}

// cutBefore is the last boundary before a prompt of a person.
func cutBefore(log *history.Log, seq int64) (int64, error) {
	var found bool
	err := log.Each(seq, func(e history.Event) error {
		found = history.IsPrompt(e.Body)
		return history.ErrStop
	})
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, &session.InvalidError{Field: "seq", Reason: fmt.Sprintf("%d is no prompt of this session", seq)}
	}
	cut, err := history.Boundary(log, seq-1)
	if err != nil {
		return 0, &session.InvalidError{Field: "seq", Reason: err.Error()}
	}
	return cut.Seq, nil
}

// Prompt is one that a person can go back to.
type Prompt struct {
	Seq   int64
	Title string // its first words
}

// Prompts are those of a session, in order, as its log is on disk.
func (st *Store) Prompts(ctx context.Context, id string) (all []Prompt, err error) {
	err = st.Each(ctx, id, func(e history.Event) {
		if !history.IsPrompt(e.Body) {
			return
		}
		var words []history.Block
		switch b := e.Body.(type) {
		case history.RunStarted:
			words = b.Prompt
		case history.UserMessage:
			words = b.Content
		}
		all = append(all, Prompt{e.Seq, history.TitleOf(words)})
	})
	return all, err
}

// digestOf tells one preview from another one.
func digestOf(at int64, u session.Undone) string {
	changes := slices.Clone(u.Changes)
	for i := range changes {
		changes[i].CallID = "" // the name of an undo, which may be another one when it is done
	}
	raw, _ := json.Marshal(struct { // of our own types
		At        int64
		Changes   []history.FileChange
		Conflicts []tool.Conflict
	}{at, changes, u.Conflicts})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
