package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PageQuery asks for a stretch of the log; the bounds are exclusive (ruling 16).
type PageQuery struct {
	After    int64
	Before   int64 // 0: no bound
	Limit    int   // events; 0: 500
	MaxBytes int   // 0: 256 KiB
	Types    []string
	Agent    []string // a sub-agent's path; nil: the root's own events
}

// Page is a stretch of the log, in order.
type Page struct {
	Events    []WireEvent `json:"events"`
	NextAfter int64       `json:"nextAfter"` // passes filtered types
	HasMore   bool        `json:"hasMore"`
	TailSeq   int64       `json:"tailSeq"`
}

// Events reads a page from the log itself (protocol §3 agent/events). At least
// one event is returned where there is one, whatever its size.
func (s *Session) Events(q PageQuery) (Page, error) {
	log, origin, tail, err := s.logOf(q.Agent)
	if err != nil {
		return Page{}, err
	}
	if q.Limit <= 0 {
		q.Limit = 500
	}
	if q.MaxBytes <= 0 {
		q.MaxBytes = 256 << 10
	}
	page := Page{Events: []WireEvent{}, NextAfter: q.After, TailSeq: tail}
	bytes := 0
	err = log.scan(q.After+1, func(e Event, _ int64) error {
		if e.Seq > tail || q.Before > 0 && e.Seq >= q.Before {
			return errStop
		}
		if len(q.Types) > 0 && !slices.Contains(q.Types, e.Type()) {
			page.NextAfter = e.Seq
			return nil
		}
		w, err := e.Wire(origin)
		if err != nil {
			return err
		}
		if len(page.Events) == q.Limit || bytes+len(w.Data) > q.MaxBytes && len(page.Events) > 0 {
			page.HasMore = true
			return errStop
		}
		bytes += len(w.Data) + 200
		page.Events = append(page.Events, w)
		page.NextAfter = e.Seq
		return nil
	})
	return page, err
}

// logOf is the root's log, or a sub-agent's read from its file, with where it
// ends now.
func (s *Session) logOf(agent []string) (*eventLog, Origin, int64, error) {
	if len(agent) == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return &eventLog{path: s.log.path, offsets: s.log.offsets, end: s.log.end}, s.origin, s.t.seq, nil
	}
	_, n, ok := strings.Cut(agent[0], "#")
	number, err := strconv.Atoi(n)
	if !ok || err != nil || len(agent) > 1 {
		return nil, Origin{}, 0, &InvalidError{"agentPath", fmt.Sprintf("%q is not a sub-agent of the session", strings.Join(agent, "/"))}
	}
	log := &eventLog{path: filepath.Join(s.dir, "sub", strconv.Itoa(number), "events.jsonl")}
	if _, err := os.Stat(log.path); errors.Is(err, fs.ErrNotExist) {
		return nil, Origin{}, 0, &InvalidError{"agentPath", fmt.Sprintf("%q is not a sub-agent of the session", agent[0])}
	}
	origin := Origin{Session: s.id, AgentPath: agent}
	var tail int64
	if err := log.scan(1, func(e Event, at int64) error {
		log.offsets = append(log.offsets, at)
		tail = e.Seq
		if o, ok := e.Body.(Opened); ok && o.Parent != nil {
			origin.ParentCall = o.Parent.CallID
		}
		return nil
	}); err != nil {
		return nil, Origin{}, 0, err
	}
	return log, origin, tail, nil
}

// Each reads the whole log, in order.
func (s *Session) Each(each func(Event)) error {
	log, _, tail, err := s.logOf(nil)
	if err != nil {
		return err
	}
	return log.scan(1, func(e Event, _ int64) error {
		if e.Seq > tail {
			return errStop
		}
		each(e)
		return nil
	})
}

// ArtifactsOf names the artifacts that a run's results point to.
func (s *Session) ArtifactsOf(run string) (map[string]bool, error) {
	named := map[string]bool{}
	err := s.Each(func(e Event) {
		if r, ok := e.Body.(ToolReturned); ok && e.Run == run && r.Artifact != nil {
			named[r.Artifact.ArtifactID] = true
		}
	})
	return named, err
}

// SameKey says whether a key, in whatever form, is this session's.
func (s *Session) SameKey(key string) (bool, error) {
	info := s.Info()
	canonical, err := CanonicalKey(key, s.deps.WorkspaceID, info.Agent)
	if err != nil {
		return false, &InvalidError{"sessionKey", err.Error()}
	}
	return canonical == info.SessionKey, nil
}

// endedBefore looks up how a run of an earlier process ended.
func (s *Session) endedBefore(runID string) (Ended, error) {
	s.mu.Lock()
	log := &eventLog{path: s.log.path}
	s.mu.Unlock()
	var out Ended
	text := ""
	err := log.scan(1, func(e Event, _ int64) error {
		if e.Run != runID {
			return nil
		}
		switch b := e.Body.(type) {
		case AssistantMessage:
			text = b.Text
		case RunEnded:
			out = Ended{runID, b.StopReason, text, b.Usage, b.Changes, b.Error, b.Message}
			return errStop
		}
		return nil
	})
	if err == nil && out.RunID == "" {
		err = fmt.Errorf("there is no run %q", runID)
	}
	return out, err
}

// numbered lists the folders of sessions, oldest first.
func numbered(dir string) []string {
	var out []string
	for _, name := range dirNames(dir) {
		if validID(name) {
			out = append(out, name)
		}
	}
	return out
}
