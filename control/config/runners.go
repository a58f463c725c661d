package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// Runner is one entry of `runners`: how a worker on another machine is reached.
type Runner struct {
	Name string `json:"-"`
	// Connect is the command whose stdin and stdout are the worker's. Up comes before it
	// and Down after the last session there; both end by themselves. Their words may
	// contain placeholders, see RunnerWords.
	Connect []string `json:"connect"`
	Up      []string `json:"up"`
	Down    []string `json:"down"`
	// Folder is where sessions work there: absolute, or below "~/".
	Folder string `json:"folder"`
	// Sync is how the files there are those of here: "mount" says that both are the same
	// directory, "git" that they are sent there and brought back, "" that they have nothing to do with each other.
	Sync string `json:"sync"`
	// Install is "copy" where a machine without agent-sidecar, or with another one, takes a
	// copy of that of here, "" where it must be installed there.
	Install string `json:"install"`
	// Env are names of further variables that the commands get.
	Env []string `json:"env"`
	// Isolated says that nothing on that machine is worth asking about what a sandbox
	// keeps in: commands run there without a question as they would here.
	Isolated bool `json:"isolated"`

	Line, Column int `json:"-"` // where its name is in the user's file
}

// runnerMembers are what an entry may say.
var runnerMembers = []string{"connect", "up", "down", "folder", "sync", "install", "env", "isolated"}

// RunnerWords are the placeholders of commands and folders, and what they stand for: a
// name of letters, digits, ".", "_" and "-" for the workspace, the path of its first folder,
// and a name for the session, of at most 63 lower-case letters, digits and "-".
var RunnerWords = []string{"{workspace}", "{folder}", PoolWord}

// PoolWord is the placeholder that makes a runner a pool.
const PoolWord = "{name}"

// Pool says that each session has a machine of its own: that the words of the runner differ
// from session to session.
func (r Runner) Pool() bool {
	return slices.ContainsFunc(slices.Concat(r.Up, r.Connect, r.Down, []string{r.Folder}), func(word string) bool { return strings.Contains(word, PoolWord) })
}

// takeRunners decodes the runners one by one: what is wrong with one of them is a
// diagnostic, and the others can be used. Only the user's own file has any: they start
// programs, and what is in the workspace is sent to them.
func (d *document) takeRunners(v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 {
		return
	}
	if d.source != "config" {
		d.say("warning", v.StartOffset, "runners apply only in the user's own configuration; here they are ignored")
		return
	}
	for i := range object.Members {
		m := &object.Members[i]
		r := Runner{Name: m.Name.Value.(hujson.Literal).String()}
		r.Line, r.Column, _ = d.place(m.Name.StartOffset)
		title := control.Title(r.Name, 60)
		inner, isObject := m.Value.Value.(*hujson.Object)
		if !isObject {
			d.say("error", m.Value.StartOffset, "runner %s must be an object; it cannot be used", title)
			continue
		}
		d.unknownMembers(inner, runnerMembers, "runner "+title)
		plain := m.Value.Clone()
		plain.Standardize()
		if err := jsonexp.Unmarshal(plain.Pack(), &r); err != nil {
			d.say("error", m.Value.StartOffset, "runner %s cannot be read; it cannot be used: %v", title, err)
			continue
		}
		if err := r.check(); err != nil {
			d.say("error", m.Name.StartOffset, "runner %s cannot be used: %v", title, err)
			continue
		}
		d.runners = append(d.runners, r)
	}
}

func (r Runner) check() error {
	if r.Name == "local" {
		return fmt.Errorf("that is the name of this machine")
	}
	if !validServerName(r.Name) {
		return fmt.Errorf("its name may only have letters, digits, \"-\" and \"_\", at most %d", maxServerName)
	}
	if err := checkCommand(r.Connect, nil); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	for name, command := range map[string][]string{"up": r.Up, "down": r.Down} {
		if len(command) == 0 {
			continue
		}
		if err := checkCommand(command, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, word := range slices.Concat(r.Connect, r.Up, r.Down, []string{r.Folder}) {
		if err := knownPlaceholders(word); err != nil {
			return err
		}
	}
	switch inHome := strings.HasPrefix(r.Folder, "~/"); {
	case r.Folder == "" && r.Sync != "mount":
		return fmt.Errorf("it needs a folder")
	case r.Folder != "" && !inHome && !path.IsAbs(r.Folder) && r.Folder != "{folder}":
		return fmt.Errorf("folder must be an absolute path, or begin with ~/")
	case r.Sync != "" && r.Sync != "mount" && r.Sync != "git":
		return fmt.Errorf("sync must be mount or git, not %q", control.Title(r.Sync, 60))
	}
	if err := r.checkInstall(); err != nil {
		return err
	}
	for _, name := range r.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("the environment variable %q is not valid", control.Title(name, 60))
		}
	}
	return nil
}

// Named is the runner for the session whose machine has a name.
func (r Runner) Named(name string) Runner {
	fill := func(words []string) (out []string) {
		for _, word := range words {
			out = append(out, strings.ReplaceAll(word, PoolWord, name))
		}
		return out
	}
	r.Up, r.Connect, r.Down = fill(r.Up), fill(r.Connect), fill(r.Down)
	r.Folder = strings.ReplaceAll(r.Folder, PoolWord, name)
	return r
}

// Program is the place in Connect of the word that starts agent-sidecar there; false where
// no word is its name or a path of it.
func (r Runner) Program() (at int, ok bool) {
	for i, word := range slices.Backward(r.Connect) {
		if i > 0 && path.Base(word) == "agent-sidecar" {
			return i, true
		}
	}
	return 0, false
}

// plainWord are words that every shell takes as they are.
var plainWord = lazy.Regexp(`^~?[A-Za-z0-9._/+@=,:-]+$`)

// checkInstall holds that a shell there can start in Connect what is copied.
func (r Runner) checkInstall() error {
	if r.Install == "" {
		return nil
	}
	if r.Install != "copy" {
		return fmt.Errorf("install must be copy, not %q", control.Title(r.Install, 60))
	}
	at, ok := r.Program()
	if !ok || at+1 == len(r.Connect) || r.Connect[at+1] != "worker" {
		return fmt.Errorf("install: connect must end in the words agent-sidecar worker, in whose place a shell is started there")
	}
	for _, word := range r.Connect[at:] {
		for _, known := range RunnerWords {
			word = strings.ReplaceAll(word, known, "x")
		}
		if !plainWord().MatchString(word) {
			return fmt.Errorf("install: the word %q of connect means something to a shell", control.Title(word, 60))
		}
	}
	return nil
}

// knownPlaceholders refuses braces that mean nothing: a word misspelt would go to the
// other machine as it is.
func knownPlaceholders(word string) error {
	for _, known := range RunnerWords {
		word = strings.ReplaceAll(word, known, "")
	}
	if i := strings.IndexByte(word, '{'); i >= 0 && strings.IndexByte(word[i:], '}') > 0 {
		return fmt.Errorf("%q has no meaning; there are %s", word[i:i+strings.IndexByte(word[i:], '}')+1], strings.Join(RunnerWords, ", "))
	}
	return nil
}

// Runner is the one of that name that can be used.
func (s *Settings) Runner(name string) (Runner, bool) {
	i := slices.IndexFunc(s.Runners, func(r Runner) bool { return r.Name == name })
	if i < 0 {
		return Runner{}, false
	}
	return s.Runners[i], true
}
