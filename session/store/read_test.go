package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Reading takes nothing over: whoever has a session open, and whoever opens it
// next, does not notice that its log was read.
func TestReadingTakesNothing(t *testing.T) {
	st := newStore(t)
	s, other := begin(t, st), Open(st.deps)
	read := func() history.Page {
		t.Helper()
		page, err := other.Events(t.Context(), s.ID(), history.PageQuery{})
		if err != nil || len(page.Events) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		return page
	}
	if page := read(); page.LockedBy == nil || page.LockedBy.PID != os.Getpid() {
		t.Errorf("held by %+v", page.LockedBy)
	}
	if page, err := st.Events(t.Context(), s.ID(), history.PageQuery{}); err != nil || page.LockedBy != nil {
		t.Errorf("whoever has it open: %+v, %v", page.LockedBy, err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page := read(); page.LockedBy != nil || len(other.Live()) > 0 {
		t.Errorf("held by %+v, %d open", page.LockedBy, len(other.Live()))
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "owner")); err == nil {
		t.Error("reading left a mark")
	}
	third := Open(st.deps)
	if _, err := third.Get(s.ID()); err != nil {
		t.Errorf("opened behind the reader: %v", err)
	}
	if held := other.HeldBy(s.ID() + ".1"); held == nil {
		t.Error("a sub-agent is not held by whoever has its session")
	}
	for _, id := range []string{"0099", "../w/0001", "", "0001.1"} {
		var none *session.NotFoundError
		if _, err := other.Events(t.Context(), id, history.PageQuery{}); !errors.As(err, &none) {
			t.Errorf("%q: %v", id, err)
		}
	}
	var invalid *session.InvalidError
	for _, path := range []string{"explore#1", "explore", "#", "x#../..", "explore#-1"} {
		if _, err := other.Events(t.Context(), s.ID(), history.PageQuery{Agent: []string{path}}); !errors.As(err, &invalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// Whoever waits remembers what of the log was read, however many others are followed
// meanwhile: reading all of each ten times a second was half a processor for 40 sessions.
func TestAwaitReadsOnlyWhatIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStore(t)
		s, other := begin(t, st), Open(st.deps)
		page, err := other.Events(t.Context(), s.ID(), history.PageQuery{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		news := make(chan bool)
		go func() { news <- other.Await(ctx, s.ID(), nil, page) }()
		synctest.Wait()
		path := filepath.Join(s.Dir(), history.LogFile)
		line, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line[10] = '\n' // two lines, for who begins anew
		if err := os.WriteFile(path, line, 0o600); err != nil {
			t.Fatal(err)
		}
		for n := range mostReaders {
			other.reader(filepath.Join(st.dir, fmt.Sprintf("%04d", n+2)))
		}
		if <-news {
			t.Error("the log was read again from its beginning")
		}
		if err := st.Close(t.Context()); err != nil && !errors.Is(err, durable.ErrForeign) {
			t.Error(err)
		}
	})
}

// A wait ends with its context also behind half a line, which is looked at each time:
// an end that counted as news was asked for again without a pause.
func TestAwaitEndsBehindHalfALine(t *testing.T) {
	st := newStore(t)
	s, other := begin(t, st), Open(st.deps)
	page, err := other.Events(t.Context(), s.ID(), history.PageQuery{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(s.Dir(), history.LogFile), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"seq":2,"time":"2000-01`)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if other.Await(ctx, s.ID(), nil, page) {
		t.Error("there is nothing to read")
	}
	if err := st.Close(t.Context()); err != nil && !errors.Is(err, durable.ErrForeign) {
		t.Error(err)
	}
}

// A prompt that is too long for its line is read again, wherever its session is open:
// what a person said is theirs to edit.
func TestLongPromptIsReadAgain(t *testing.T) {
	st := newStore(t)
	st.deps.Models = named{}
	s := begin(t, st)
	long := strings.Repeat("A line of a long prompt – with “words”.\n", 3000)
	if _, err := s.Prompt(session.Prompt{Request: history.Request{Prompt: history.Text(long)}}); err != nil {
		t.Fatal(err)
	}
	page, err := st.Events(t.Context(), s.ID(), history.PageQuery{Types: []string{"run.started"}})
	if err != nil || len(page.Events) != 1 {
		t.Fatal(page, err)
	}
	var started history.RunStarted
	if err := json.Unmarshal(page.Events[0].Data, &started); err != nil {
		t.Fatal(err)
	}
	block := started.Prompt[0]
	if block.Type != "artifact" || block.Bytes != int64(len(long)) {
		t.Fatalf("the log has %+v", block)
	}
	for _, reader := range []*Store{st, Open(st.deps)} {
		if text, err := reader.PromptText(t.Context(), s.ID(), block.ArtifactID); err != nil || string(text) != long {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	}
	none, err := st.PromptText(t.Context(), begin(t, st).ID(), block.ArtifactID)
	if !errors.Is(err, ErrNoText) || none != nil {
		t.Errorf("of another session: %d bytes, %v", len(none), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := st.PromptText(ended, s.ID(), block.ArtifactID); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// named are models of which only a name is known.
type named struct{ session.None }

func (named) DefaultModel() string { return "m" }

func (named) Cheapest(string) string { return "" }
