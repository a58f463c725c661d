package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/schema"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// runners are the places of a workspace's sessions that the configuration names.
type runners struct {
	*elsewhere
	runnerOf func() (map[string]string, error) // on which runner each session works that works on one
	news     bell                              // rings when one of them is otherwise now

	work sync.WaitGroup // what is done for sessions that have left

	mu     sync.Mutex          // guards everything below
	places map[string]*reached // by the name of the runner, of a pool with that of the session
}

// reached is a runner as it was configured when a session asked for it.
type reached struct {
	config.Runner
	machine machine
	hands   *runner.Hands
	place   *session.Place
}

// machine is where a runner leads: of a pool, where it leads one session.
type machine struct {
	config.Runner        // with the name of the claim in its words
	key           string // of places
	claim         *claim // nil: the runner is no pool
}

// machine is the one of a session.
func (e *runners) machine(r config.Runner, session string) machine {
	if !r.Pool() {
		return machine{r, r.Name, nil}
	}
	k := e.claims().of(r.Name, e.vault.WorkspaceID(), session)
	return machine{r.Named(k.Name), r.Name + "/" + session, k}
}

func (e *runners) claims() claims { return claims{e.w.ownDisk(), e.w.home} }

// Runners implements session.Elsewhere.
func (e *runners) Runners() (names []string) {
	for _, r := range e.config.Settings().Runners {
		names = append(names, r.Name)
	}
	return names
}

// Place implements session.Elsewhere. A runner that is configured otherwise now is another
// one; runs that work on it end there.
func (e *runners) Place(name, id string) (*session.Place, error) {
	at, err := e.at(name, id)
	if err != nil {
		return nil, err
	}
	return at.place, nil
}

func (e *runners) at(name, id string) (*reached, error) {
	r, ok := e.config.Settings().Runner(name)
	if !ok {
		return nil, &session.RunnerError{Runner: name, Names: e.Runners()}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.machine(r, id)
	known := e.places[m.key]
	if known != nil && reflect.DeepEqual(known.Runner, r) {
		return known, nil
	}
	if known != nil {
		e.work.Go(known.hands.Close)
	}
	hands := e.hands(e.dial(m), []seam.Folder{{Name: name, Path: e.filled(m.Folder, r), Make: r.Sync == "git"}}, e.known(m), e.news.ring)
	at := &reached{r, m, hands, e.place(name, hands, r.Isolated)}
	at.place.Reach = hands.Reach
	if r.Sync == "git" && e.vault.Root() != "" {
		at.place.Twin = twin{runner.NewTwin(hands, e.vault, filepath.Join(e.w.home, "mirrors", e.vault.WorkspaceID()+"-"+strings.ReplaceAll(m.key, "/", "-")), name)}
	}
	e.places[m.key] = at
	return at, nil
}

// dial starts the command of a runner. What it claims is written down before.
func (e *runners) dial(m machine) runner.Dial {
	if e.w.dialTo != nil {
		return e.w.dialTo(m.Runner)
	}
	return func(ctx context.Context) (runner.Pipe, error) {
		if err := e.fit(m.Runner); err != nil {
			return runner.Pipe{}, err
		}
		command, err := e.command(m)
		if err == nil && m.claim != nil {
			err = e.claims().keep(m.claim)
		}
		if err != nil {
			return runner.Pipe{}, err
		}
		return command.Dial(ctx)
	}
}

// plainPath are paths in which no shell finds anything of its own: ssh hands its words to one.
var plainPath = lazy.Regexp(`^[A-Za-z0-9._/+@=,-]+$`)

// fit says why the words of a runner cannot be filled.
func (e *runners) fit(r config.Runner) error {
	root := e.vault.Root()
	uses := slices.ContainsFunc(slices.Concat(r.Up, r.Connect, r.Down, []string{e.filled(r.Folder, r)}), func(word string) bool { return strings.Contains(word, "{folder}") })
	switch {
	case root == "":
		return errors.New("no folder is open")
	case uses && !plainPath().MatchString(root):
		return fmt.Errorf("{folder} would be %s, and some of its characters mean something to a shell on the way", control.Title(root, 200))
	}
	return nil
}

// command is how a runner is reached from here.
func (e *runners) command(m machine) (runner.Command, error) {
	r := m.Runner
	dir := e.w.userHome
	if !filepath.IsAbs(dir) {
		dir = e.w.home
	}
	c := runner.Command{Up: e.allFilled(r.Up, r), Connect: e.allFilled(r.Connect, r), Env: append(e.connectEnv(r, dir), e.toldTo(m)...), Dir: dir}
	if at, ok := r.Program(); ok && r.Install == "copy" {
		program, err := proc.Executable()
		if err != nil {
			return c, fmt.Errorf("find the program that is to be copied: %w", err)
		}
		c.Copy = &runner.Copy{At: at, Binary: program, System: runtime.GOOS, Processor: runtime.GOARCH, Version: version, Schema: schema.Hash()}
	}
	return c, nil
}

// connectNames are the variables that the commands of every runner get.
var connectNames = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TMPDIR", "SSH_AUTH_SOCK", "KUBECONFIG", "DOCKER_HOST", "XDG_RUNTIME_DIR"}

// connectEnv is all that the commands of a runner get of the environment: never a key of a
// model, also where the runner names its variable.
func (e *runners) connectEnv(r config.Runner, dir string) (env []string) {
	secret := e.config.Settings().SecretVariable(e.w.env)
	keep := append(slices.Clone(connectNames), r.Env...)
	for _, entry := range proc.Scrub(e.w.environ(), keep, secret, dir) {
		name, value, _ := strings.Cut(entry, "=")
		named := slices.ContainsFunc(keep, func(k string) bool {
			start, open := strings.CutSuffix(k, "*")
			return k == name || open && strings.HasPrefix(name, start)
		})
		if named && !secret(name, value) {
			env = append(env, entry)
		}
	}
	return env
}

// toldTo are the placeholders as variables, for commands that read them in a file.
func (e *runners) toldTo(m machine) []string {
	env := []string{"AGENT_RUNNER_WORKSPACE=" + e.vault.WorkspaceID(), "AGENT_RUNNER_FOLDER=" + e.vault.Root()}
	if m.claim != nil {
		env = append(env, "AGENT_RUNNER_NAME="+m.claim.Name)
	}
	return env
}

func (e *runners) allFilled(words []string, r config.Runner) (out []string) {
	for _, word := range words {
		out = append(out, e.filled(word, r))
	}
	return out
}

// filled puts what they stand for in the place of placeholders.
func (e *runners) filled(word string, r config.Runner) string {
	if word == "" && r.Sync == "mount" {
		word = "{folder}"
	}
	word = strings.ReplaceAll(word, "{workspace}", e.vault.WorkspaceID())
	return strings.ReplaceAll(word, "{folder}", e.vault.Root())
}

// known is under which URI this machine knows a file of a runner: with sync mount, its own;
// else one that no editor takes for a file of here.
func (e *runners) known(r machine) func(uri string) string {
	return func(uri string) string {
		path, ok := fileuri.Path(uri)
		if !ok || filepath.Clean(path) != path {
			return "agent-runner://" + r.Name + "/" // a worker names what it likes
		}
		if r.Sync == "mount" {
			for _, root := range e.rootsOf(r.key) {
				if rel, ok := strings.CutPrefix(path, root); ok && (rel == "" || rel[0] == '/') {
					return fileuri.Of(e.vault.Root() + rel)
				}
			}
		}
		return "agent-runner://" + r.Name + strings.TrimPrefix(uri, "file://")
	}
}

func (e *runners) rootsOf(key string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := e.places[key]; at != nil {
		return at.hands.Machine().Roots
	}
	return nil
}

// downWait bounds the command that comes after the last session.
const downWait = 5 * time.Minute

// Left implements session.Elsewhere.
func (e *runners) Left(name, session string, gone bool) {
	at, err := e.at(name, session)
	if err != nil {
		return // nobody knows how to reach it
	}
	e.work.Go(func() {
		if gone && at.hands.Reached() {
			if err := at.hands.Artifacts().RemoveSession(session); err != nil {
				e.w.log.Warn().Err(err).Str("runner", name).Msg("the artifacts of a deleted session")
			}
		}
		if at.machine.claim == nil && e.inUse(name, session) {
			return
		}
		at.hands.Close()
		e.forget(at)
		e.takeDown(at.machine)
	})
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
		e.takeDown(machine{r.Named(k.Name), r.Name + "/" + k.Session, k})
	}
}

func (e *runners) forget(at *reached) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.places[at.machine.key] == at {
		delete(e.places, at.machine.key)
	}
}

// close ends the workers, and waits for what is being done.
func (e *runners) close() {
	e.mu.Lock()
	places := e.places
	e.places = map[string]*reached{}
	e.mu.Unlock()
	for _, at := range places {
		at.hands.Close()
		if k := at.machine.claim; k != nil {
			_ = k.release() // it lasts no longer than the process
		}
	}
	e.work.Wait()
}

// runnersOf are the runners of the sessions that work on one.
func runnersOf(sessions *store.Store) (map[string]string, error) {
	all, err := sessions.List(store.Query{})
	out := map[string]string{}
	for _, i := range all {
		if i.Runner != "" {
			out[i.ID] = i.Runner
		}
	}
	return out, err
}
