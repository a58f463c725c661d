package shields

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// What git has begun and not ended is a list of what it has still to do. It may name
// programs, and they run when a person goes on with it.

// plainSteps are the words of such a list that start no program of its own; "" is an
// empty line.
var plainSteps = strings.Fields("pick p revert edit e reword r squash s fixup f break b drop d label l reset t merge m update-ref u noop")

// plainStrategies are those that are part of git: any other is a program of that name.
var plainStrategies = strings.Fields("ort recursive resolve octopus ours subtree")

// todoOf is the list of a rebase that was begun in a directory of git.
func todoOf(git Shield) Shield {
	git.Rel, git.dir = path.Join(git.Rel, "rebase-merge", "git-rebase-todo"), false
	return git
}

// rememberSteps are the steps that rebases have still to do.
func rememberSteps(shields []Shield) map[string]string {
	steps := map[string]string{}
	for _, s := range shields {
		if todo := todoOf(s); s.KeepsPlace {
			if text, plain, there := todo.smallText(); plain && there {
				steps[todo.key()] = text
			}
		}
	}
	return steps
}

// smallText is the content of a small file; plain says that it is one, or nothing.
func (s Shield) smallText() (text string, plain, there bool) {
	info, err := s.root.Dir.Lstat(s.Rel)
	if err != nil {
		return "", true, false
	}
	if !info.Mode().IsRegular() || info.Size() > shieldBytes {
		return "", false, true
	}
	data, err := durable.ReadFileIn(s.root.Dir, s.Rel, shieldBytes)
	return string(data), err == nil, true
}

// stopSteps takes out of what git has begun what starts programs and was not there
// before the command.
func (u *undoing) stopSteps(shields []Shield) {
	for _, git := range shields {
		if !git.KeepsPlace || u.isTaken(git) {
			continue
		}
		for _, name := range []string{"rebase-merge", "sequencer"} {
			begun := git
			begun.Rel = path.Join(git.Rel, name)
			if info, err := begun.root.Dir.Lstat(begun.Rel); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				u.takeAway(begun)
				u.say(begun, "created")
			}
		}
		u.plainTodo(todoOf(git))
		u.plainStrategy(git, "rebase-merge/strategy", func(line string) string { return line })
		u.plainStrategy(git, "sequencer/opts", func(line string) string {
			if name, value, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(name), "strategy") {
				return strings.TrimSpace(value)
			}
			return ""
		})
	}
}

func (u *undoing) plainTodo(todo Shield) {
	text, plain, there := todo.smallText()
	if !there {
		return
	}
	var kept strings.Builder
	before := strings.Split(u.snapshot.steps[todo.key()], "\n")
	for line := range strings.Lines(text) {
		word := strings.Fields(line + " #")[0]
		if strings.HasPrefix(word, "#") || slices.Contains(plainSteps, word) || slices.Contains(before, strings.TrimSuffix(line, "\n")) {
			kept.WriteString(line)
		}
	}
	if plain && kept.String() == text {
		return
	}
	u.takeAway(todo)
	u.errs = append(u.errs, todo.root.Dir.WriteFile(todo.Rel, []byte(kept.String()), 0o644))
	u.say(todo, "named programs to run")
}

// plainStrategy takes a file away in which git is told of a strategy that is not its own.
func (u *undoing) plainStrategy(git Shield, name string, of func(line string) string) {
	git.Rel, git.dir = path.Join(git.Rel, name), false
	text, plain, there := git.smallText()
	if !there {
		return
	}
	for line := range strings.Lines(text) {
		s := of(strings.TrimSpace(line))
		plain = plain && (s == "" || slices.Contains(plainStrategies, s))
	}
	if !plain {
		u.takeAway(git)
		u.say(git, "named programs to run")
	}
}
