package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// leaving is a session that has left a runner. What may be there and not here is fetched.
type leaving struct {
	runner string
	done   chan struct{}
	err    error // once done: why it is still there
}

// downWait bounds the command that comes after the last session.
const downWait = 5 * time.Minute

// Left implements session.Elsewhere.
func (e *runners) Left(name, session string, gone bool) {
	at, err := e.at(name, session)
	if err != nil {
		return // nobody knows how to reach it
	}
	l := &leaving{runner: name, done: make(chan struct{})}
	e.mu.Lock()
	e.leaving[session] = l
	e.mu.Unlock()
	e.work.Go(func() {
		if gone && at.hands.Reached() {
			if err := at.hands.Artifacts().RemoveSession(session); err != nil {
				e.w.log.Warn().Err(err).Str("runner", name).Msg("the artifacts of a deleted session")
			}
		}
		last := at.machine.claim != nil || !e.inUse(name, session)
		l.err = e.saved(at, session, last)
		close(l.done)
		if l.err == nil {
			e.forgetLeaving(session, l)
		}
		switch {
		case l.err != nil:
			e.w.log.Warn().Err(l.err).Str("runner", name).Str("session", session).Msg("what was changed there could not be fetched, so it is left as it is")
		case last:
			at.hands.Close()
			e.forget(at)
			e.takeDown(at.machine)
		}
	})
}

func (e *runners) forgetLeaving(session string, l *leaving) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.leaving[session] == l {
		delete(e.leaving, session)
	}
}

// inUse says that a session but that one works on a runner.
func (e *runners) inUse(name, except string) bool {
	all, err := e.runnerOf()
	delete(all, except)
	return err != nil || slices.Contains(slices.Collect(maps.Values(all)), name)
}

// takeDown runs the command that comes after the last session of a machine. A claim of which
// that fails is tried again at the next start.
func (e *runners) takeDown(m machine) {
	if m.claim != nil {
		if !m.claim.kept() {
			return
		}
		defer func() { _ = m.claim.release() }() // it lasts no longer than the process
	}
	err := e.fit(m.Runner)
	if err == nil && len(m.Down) > 0 {
		err = e.down(m)
	}
	if err == nil && m.claim != nil {
		err = e.claims().drop(m.claim)
	}
	if err != nil {
		e.w.log.Warn().Err(err).Str("runner", m.Name).Msg("down")
	}
}

func (e *runners) down(m machine) error {
	ctx, cancel := context.WithTimeout(context.Background(), downWait)
	defer cancel()
	command, err := e.command(m)
	if err != nil {
		return err
	}
	return command.Run(ctx, e.allFilled(m.Down, m.Runner))
}

// sweep takes down what processes that died have claimed for sessions that do not work
// there any more.
func (e *runners) sweep() {
	all, err := e.runnerOf()
	if err != nil {
		e.w.log.Warn().Err(err).Msg("what was claimed")
		return
	}
	for _, k := range e.claims().abandoned(e.vault.WorkspaceID(), all) {
		r, ok := e.config.Settings().Runner(k.Runner)
		if !ok {
			e.w.log.Warn().Str("runner", k.Runner).Str("name", k.Name).Msg("nobody knows any more how to take down what was claimed")
			_ = k.release() // it lasts no longer than the process
			continue
		}
		e.abandon(e.reach(r, machine{r.Named(k.Name), r.Name + "/" + k.Session, k}), k.Session)
	}
	for _, r := range e.config.Settings().Runners {
		e.sweepShared(r, all)
	}
}

// abandon takes down the machine of a session that does not work there any more, once what
// was changed there is here.
func (e *runners) abandon(at *reached, session string) {
	err := e.saved(at, session, true)
	at.hands.Close()
	if err == nil {
		e.takeDown(at.machine)
		return
	}
	e.w.log.Warn().Err(err).Str("runner", at.Name).Str("name", at.machine.claim.Name).Msg("what was changed there could not be fetched, so it is not taken down")
	_ = at.machine.claim.release() // it lasts no longer than the process
}

// sweepShared fetches what is on a runner of sessions that do not work there any more.
func (e *runners) sweepShared(r config.Runner, all map[string]string) {
	if r.Pool() {
		return
	}
	at, err := e.at(r.Name, "")
	if err != nil || at.twin == nil {
		return
	}
	owes, err := at.twin.Owes()
	if err != nil {
		e.w.log.Warn().Err(err).Str("runner", r.Name).Msg("what was changed there")
	}
	for _, session := range owes {
		if all[session] != r.Name {
			e.Left(r.Name, session, false)
			return // whoever is fetched takes all with it
		}
	}
}

// saveWait bounds how long it takes to fetch what a session leaves behind.
const saveWait = 5 * time.Minute

// saved fetches what may be on a machine and not here, and writes down where it is kept. A
// machine on which others may have something, too, keeps it until one of them fetches it, unless the
// session is the last.
func (e *runners) saved(at *reached, session string, last bool) error {
	if at.twin == nil {
		return nil
	}
	owes, err := at.twin.Owes()
	if err != nil {
		return err
	}
	if len(owes) == 0 || !last && !slices.Equal(owes, []string{session}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.life, saveWait)
	defer cancel()
	return at.twin.Save(ctx, session, func(was, now string) error {
		return e.writeLeft(leftBehind{at.Name, at.machine.key, session, was, now})
	})
}

// leftBehind is what a session has left on a machine, kept in the mirror of that.
type leftBehind struct {
	Runner  string `json:"runner"`
	Key     string `json:"key"` // of its place
	Session string `json:"session"`
	Was     string `json:"was"` // commits: what was sent, and what was there
	Now     string `json:"now"`
}

// leftDir has a file for each leftBehind.
func (e *runners) leftDir() string { return e.mirrorOf("left") }

// mostLeft is the longest file of a leftBehind that is read, in bytes.
const mostLeft = 4 << 10

func (e *runners) writeLeft(l leftBehind) error {
	text, err := json.Marshal(l)
	if err == nil {
		err = e.w.ownDisk().MkdirAll(e.leftDir(), 0o700)
	}
	if err == nil {
		err = e.w.ownDisk().WriteFile(filepath.Join(e.leftDir(), l.Now+".json"), append(text, '\n'), 0o600)
	}
	return err
}

// keptWait is how long a run waits for what is still being fetched.
const keptWait = 3 * time.Second

// Kept implements session.Elsewhere.
func (e *runners) Kept(ctx context.Context, of string) (kept []*session.Fetched, missing []session.Missing) {
	if m := e.stillMissing(ctx, of); m != nil {
		missing = append(missing, *m)
	}
	entries, err := os.ReadDir(e.leftDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		missing = append(missing, session.Missing{Why: err})
	}
	for _, entry := range entries {
		path := filepath.Join(e.leftDir(), entry.Name())
		var l leftBehind
		text, err := durable.ReadFile(path, mostLeft)
		if err != nil || json.Unmarshal(text, &l) != nil || l.Session != of && e.exists(l.Session) {
			continue
		}
		t := twin{runner.NewTwin(nil, e.vault, e.mirrorOf(strings.ReplaceAll(l.Key, "/", "-")), l.Runner), l.Runner}
		f, err := t.Saved(ctx, l.Was, l.Now)
		if err != nil {
			missing = append(missing, session.Missing{Runner: l.Runner, Why: err})
			continue
		}
		f.Settle = func(context.Context) error { return e.w.ownDisk().Remove(path) }
		kept = append(kept, t.of(f))
	}
	return kept, missing
}

// exists says that there is a session.
func (e *runners) exists(session string) bool {
	return exists(filepath.Join(e.w.home, "sessions", e.vault.WorkspaceID(), session))
}

// stillMissing waits for what is being fetched for a session, and says why it is not
// here; nil: it is.
func (e *runners) stillMissing(ctx context.Context, of string) *session.Missing {
	e.mu.Lock()
	l := e.leaving[of]
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, keptWait, errors.New("it is still being fetched"))
	defer cancel()
	select {
	case <-ctx.Done():
		return &session.Missing{Runner: l.runner, Why: context.Cause(ctx)}
	case <-l.done:
	}
	e.forgetLeaving(of, l)
	if l.err != nil {
		e.Left(l.runner, of, false) // try again, for the next run
		return &session.Missing{Runner: l.runner, Why: l.err}
	}
	return nil
}
