package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Deed is a place in a session's history from which changes can be undone: a call,
// a run or a file that a call has changed.
type Deed struct {
	Seq  int64 // in the root's log; of a sub-agent's line the root's last one then
	Call string
	Run  string       // set where a run of the root begins
	File *FileChanged // set where a file was changed
	Own  bool         // it happened in this session, and was not copied into it
	// Lost is the tool of a call that was allowed and whose process died, and of which
	// nobody could say later what it had changed.
	Lost string

	child int
	sub   int64
	at    time.Time
}

// ImportedFrom is how the parent's id of a session begins that was a bundle.
const ImportedFrom = "bundle:"

// Deeds reads them out of the log of a folder and of its sub-agents', up to tail,
// in the order in which things happened: what a sub-agent changed counts where its
// root's log was then. Of what a fork or a bundle brought along the session can
// undo nothing (Own): a bundle's lines may say anything, and a fork's are another
// session's. What such lines say of sub-agents is not read at all.
func Deeds(ctx context.Context, dir string, tail int64) ([]Deed, error) {
	var deeds []Deed
	from := int64(0) // what was copied ends here
	kids := map[int]int64{}
	begun := begunCalls{}
	err := Read(dir).eachOf(ctx, func(e Event) error {
		if e.Seq > tail {
			return ErrStop
		}
		m := Deed{Seq: e.Seq, Own: e.Seq > from, at: e.Time}
		switch b := e.Body.(type) {
		case Opened:
			from = max(from, copiedTo(b, tail))
			return nil
		case SubagentStarted:
			if _, number, ok := strings.Cut(b.Path, "#"); ok && m.Own {
				if n, err := strconv.Atoi(number); err == nil && n > 0 {
					kids[n] = e.Seq
				}
			}
			return nil
		}
		if begun.fill(&m, e) {
			deeds = append(deeds, m)
		}
		return nil
	}, "session.opened", "run.started", "tool.requested", "tool.decided", "tool.returned", "file.changed", "subagent.started")
	for n, began := range kids {
		if err != nil {
			return nil, err
		}
		begun := begunCalls{}
		err = Read(filepath.Join(dir, ChildFolder, strconv.Itoa(n))).eachOf(ctx, func(e Event) error {
			m := Deed{Seq: max(began, e.After), Own: true, child: n, sub: e.Seq, at: e.Time}
			if begun.fill(&m, e) {
				deeds = append(deeds, m)
			}
			return nil
		}, "tool.requested", "tool.decided", "tool.returned", "file.changed")
	}
	foundOut(deeds)
	slices.SortStableFunc(deeds, func(a, b Deed) int {
		if d := cmp.Compare(a.Seq, b.Seq); d != 0 {
			return d
		}
		if a.child == 0 || b.child == 0 || a.child == b.child { // the root's line came first
			return cmp.Or(cmp.Compare(a.child, b.child), cmp.Compare(a.sub, b.sub))
		}
		return a.at.Compare(b.at)
	})
	return deeds, err
}

// begunCalls are the calls of one log that were allowed: what such a call did before
// it was interrupted is not known.
type begunCalls map[string]bool

// fill says in m what e did, and whether that was a deed.
func (begun begunCalls) fill(m *Deed, e Event) bool {
	switch b := e.Body.(type) {
	case RunStarted:
		m.Run = e.Run
	case ToolRequested:
		m.Call = b.CallID
	case FileChanged:
		m.Call, m.File = b.CallID, &b
	case ToolDecided:
		begun[b.CallID] = b.Decision == "allow"
		return false
	case ToolReturned:
		if b.Status != interrupted || b.Followed || !begun[b.CallID] {
			return false
		}
		m.Call, m.Lost = b.CallID, b.Tool
	}
	return true
}

// foundOut takes what was said later of interrupted calls for all that they did.
func foundOut(deeds []Deed) {
	type call struct {
		child int
		id    string
	}
	lost := map[call]*Deed{}
	for i := range deeds {
		d := &deeds[i]
		of := call{d.child, d.Call}
		if d.Lost != "" {
			lost[of] = d
		} else if d.File != nil && lost[of] != nil {
			lost[of].Lost = ""
		}
	}
}

// copiedTo is the last seq of what a session began with. A bundle of which that is
// not known has nothing else.
func copiedTo(o Opened, tail int64) int64 {
	switch {
	case o.Parent == nil:
		return 0
	case o.Parent.AtSeq == 0 && strings.HasPrefix(o.Parent.SessionID, ImportedFrom):
		return tail
	}
	return o.Parent.AtSeq
}

// interrupted is the status of a call whose process died.
const interrupted = "interrupted"

// eachOf decodes the events of some types, in order, until each returns an error or
// ctx ends; ErrStop is none. Of the others not even the data is read, nor that of
// results that were not interrupted.
func (l *Log) eachOf(ctx context.Context, each func(Event) error, types ...string) error {
	var failed error
	_, err := durable.ReadFrom(l.path, 0, func(raw []byte, _ int64) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		cut, ok := cutLine(raw)
		if ok && !slices.Contains(types, cut.Type) {
			return true
		}
		if ok && cut.Type == (ToolReturned{}).kind() && !bytes.Contains(raw, []byte(`"`+interrupted+`"`)) {
			return true // results are most of a log, and few are needed
		}
		e, err := Decode(bytes.Clone(raw))
		if err == nil && slices.Contains(types, e.Type()) {
			err = each(e)
		}
		if err != nil && !errors.Is(err, ErrStop) {
			failed = fmt.Errorf("%s: %w", l.path, err)
		}
		return err == nil
	})
	return errors.Join(failed, err)
}
