package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

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

	work sync.WaitGroup  // what is done for sessions that have left
	life context.Context // ends before work is waited for: nobody is reached for any more
	end  func()

	mu      sync.Mutex          // guards everything below
	places  map[string]*reached // by the name of the runner, of a pool with that of the session
	leaving map[string]*leaving // by the session: what is being fetched for it, or could not be
}

// reached is a runner as it was configured when a session asked for it.
type reached struct {
	config.Runner
	machine machine
	hands   *runner.Hands
	twin    *runner.Twin // nil: its files are not kept the same
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

func newRunners(e *elsewhere) *runners {
	life, end := context.WithCancel(context.Background())
	return &runners{elsewhere: e, places: map[string]*reached{}, leaving: map[string]*leaving{}, life: life, end: end}
}

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
	at := e.reach(r, m)
	e.places[m.key] = at
	return at, nil
}

// reach is a machine that nobody has reached for yet.
func (e *runners) reach(r config.Runner, m machine) *reached {
	hands := e.hands(e.dial(m), []seam.Folder{{Name: r.Name, Path: e.filled(m.Folder, r), Make: r.Sync == "git"}}, e.known(m), e.news.ring)
	at := &reached{r, m, hands, nil, e.place(r.Name, hands, r.Isolated)}
	at.place.Reach = hands.Reach
	if r.Sync == "git" && e.vault.Root() != "" {
		at.twin = runner.NewTwin(hands, e.vault, e.mirrorOf(strings.ReplaceAll(m.key, "/", "-")), r.Name)
		at.place.Twin = twin{at.twin, r.Name}
	}
	return at
}

// mirrorOf is the directory of a mirror of this workspace.
func (e *runners) mirrorOf(name string) string {
	return filepath.Join(e.w.home, "mirrors", e.vault.WorkspaceID()+"-"+name)
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

func (e *runners) forget(at *reached) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.places[at.machine.key] == at {
		delete(e.places, at.machine.key)
	}
}

// close ends the workers, and waits for what is being done.
func (e *runners) close() {
	e.end()
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
