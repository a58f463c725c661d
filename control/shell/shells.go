package shell

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// shellText reads what a shell is given: the word after -c, a here-document, or
// what a pipe feeds it.
func (r *reader) shellText(argv []arg, sc *scope, depth, level int) {
	inner := *sc
	inner.stdin = nil
	command, sawC, fromInput := -1, false, false
	for i := 1; i < len(argv); i++ {
		if argv[i].is("--") {
			if i+1 < len(argv) {
				command = i + 1
			}
			break
		}
		if (argv[i].begins("-") || argv[i].begins("+")) && !argv[i].in("- +") {
			switch a := argv[i].filled(""); {
			case a == "--rcfile" || a == "--init-file":
				i++
				r.s.AddUncertain(said.That("a shell reads a file of commands first"))
			case strings.HasPrefix(a, "--"):
			default:
				sawC = sawC || a[0] == '-' && strings.ContainsRune(a, 'c')
				fromInput = fromInput || strings.ContainsRune(a, 's')
				i += strings.Count(a, "o") + strings.Count(a, "O") // each takes a word
			}
			continue
		}
		command = i
		break
	}
	if command > 0 && command < len(argv) {
		r.m.positional(argv[command+1:])
		if sawC && command+1 < len(argv) {
			r.m.remember("0", held{Parts: argv[command+1].Parts})
			r.m.positional(argv[min(command+2, len(argv)):])
		}
	}
	switch {
	case sawC && command > 0 && command < len(argv):
		r.text(argv[command:command+1], &inner, depth, level)
		return
	case sawC:
		return
	case command > 0 && !fromInput && !isInput(argv[command]):
		if text := r.m.fileText(argv[command], sc); len(text) > 0 {
			r.text([]arg{{Parts: text}}, &inner, depth, level)
		}
		return
	}
	if len(sc.stdin) == 0 {
		r.s.AddUncertain(said.That("a shell reads its commands from its input"))
		return
	}
	r.text([]arg{{Parts: sc.stdin}}, &inner, depth, level)
}

// isInput says that a shell's file is its standard input.
func isInput(a arg) bool {
	return a.in("- /dev/stdin /dev/fd/0 /proc/self/fd/0")
}

// sourced reads what source is given, where that is plain.
func (r *reader) sourced(argv []arg, sc *scope, depth, level int) {
	if len(argv) < 2 {
		return
	}
	r.m.positional(argv[2:])
	switch text := r.m.fileText(argv[1], sc); {
	case len(text) > 0:
		r.text([]arg{{Parts: text}}, sc, depth, level)
	case isInput(argv[1]) && len(sc.stdin) > 0:
		inner := *sc
		inner.stdin = nil
		r.text([]arg{{Parts: sc.stdin}}, &inner, depth, level)
	}
}

// commandOption reads the text behind -c of su, script, flock, in any spelling.
func (r *reader) commandOption(argv []arg, sc *scope, depth, level int) bool {
	found := false
	read := func(a arg) {
		inner := *sc
		r.text([]arg{a}, &inner, depth, level)
		found = true
	}
	for i, a := range argv[1:] {
		name, text, joined := a.cut("=")
		long, short := name.filled(""), a.begins("-") && !a.begins("--")
		_, behind, has := a.cut("c")
		switch {
		case joined && len(long) > 3 && strings.HasPrefix("--command", long):
			read(arg{Parts: text, likely: a.likely})
		case short && has && !behind.is(""):
			read(arg{Parts: behind, likely: a.likely})
			if behind.length() > 0 {
				continue
			}
			fallthrough // or it has nothing behind it
		case a.is("--command"), short && has:
			if i+2 < len(argv) {
				read(argv[i+2])
			}
		}
	}
	if !found && sc.piped && argv[0].in("su newgrp") {
		r.shellText(plain("sh"), sc, depth, level)
		return true
	}
	return found
}

// text reads words as shell text. What is not known is still read for the
// commands in the known part.
func (r *reader) text(parts []arg, sc *scope, depth, level int) {
	body := joinArgs(parts)
	if body.unsure() {
		r.s.AddUncertain(said.That("text that is only known when it runs is run as a command"))
	}
	if strings.TrimSpace(body.filled("")) == "" {
		return // nothing of it is known
	}
	sub := *r
	sub.src = ""
	sub.expanding = 0
	sub.level = level + 1
	sub.source(body.filled("_"), sc, depth+1)
}
