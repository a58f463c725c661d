package shell

import (
	"strings"
)

// shellText reads what a shell is given: the word after -c, a here-document, or
// what a pipe feeds it.
func (r *reader) shellText(argv []arg, sc *scope, depth, level int) {
	inner := *sc
	inner.stdin = ""
	command, sawC, fromInput := -1, false, false
	for i := 1; i < len(argv); i++ {
		a := argv[i].text
		if a == "--" {
			if i+1 < len(argv) {
				command = i + 1
			}
			break
		}
		if len(a) > 1 && (a[0] == '-' || a[0] == '+') {
			switch {
			case a == "--rcfile" || a == "--init-file":
				i++
				r.s.Doubt("a shell reads a file of commands first")
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
		r.positional(argv[command+1:])
		if sawC && command+1 < len(argv) {
			r.remember("0", held{text: argv[command+1].text})
			r.positional(argv[min(command+2, len(argv)):])
		}
	}
	switch {
	case sawC && command > 0 && command < len(argv):
		r.text(argv[command:command+1], &inner, depth, level)
		return
	case sawC:
		return
	case command > 0 && !fromInput && !r.isInput(argv[command]):
		if text := r.fileText(argv[command], sc); text != "" {
			r.text([]arg{{text: text}}, &inner, depth, level)
		}
		return
	}
	if sc.stdin == "" {
		r.s.Doubt("a shell reads its commands from its input")
		return
	}
	r.text([]arg{{text: sc.stdin}}, &inner, depth, level)
}

// isInput says that a shell's file is its standard input.
func (r *reader) isInput(a arg) bool {
	switch a.text {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// sourced reads what source is given, where that is plain.
func (r *reader) sourced(argv []arg, sc *scope, depth, level int) {
	if len(argv) < 2 {
		return
	}
	r.positional(argv[2:])
	switch text := r.fileText(argv[1], sc); {
	case text != "":
		r.text([]arg{{text: text}}, sc, depth, level)
	case r.isInput(argv[1]) && sc.stdin != "":
		inner := *sc
		inner.stdin = ""
		r.text([]arg{{text: sc.stdin}}, &inner, depth, level)
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
		name, text, joined := strings.Cut(a.text, "=")
		switch {
		case joined && len(name) > 3 && strings.HasPrefix("--command", name):
			read(arg{text: text, open: a.open})
		case a.text == "--command", len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.HasSuffix(a.text, "c"):
			if i+2 < len(argv) {
				read(argv[i+2])
			}
		case len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, "c"):
			_, text, _ := strings.Cut(a.text, "c")
			read(arg{text: text, open: a.open})
		}
	}
	if !found && sc.piped && (argv[0].text == "su" || argv[0].text == "newgrp") {
		r.shellText([]arg{{text: "sh"}}, sc, depth, level)
		return true
	}
	return found
}

// text reads words as shell text. What is not known is still read for the
// commands in the known part.
func (r *reader) text(parts []arg, sc *scope, depth, level int) {
	for _, p := range parts {
		if p.open || strings.Contains(p.text, unknownPart) {
			r.s.Doubt("text that is only known when it runs is run as a command")
		}
	}
	body := joinArgs(parts)[0].text
	if strings.TrimSpace(strings.ReplaceAll(body, unknownPart, "")) == "" {
		return // nothing of it is known
	}
	sub := &reader{s: r.s, at: r.at, m: r.m, probing: r.probing, seen: r.seen, dirs: r.dirs, level: level + 1}
	sub.source(strings.ReplaceAll(body, unknownPart, "_"), sc, depth+1)
	r.dirs = sub.dirs
}

func joinArgs(parts []arg) []arg {
	var joined arg
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
		joined.open = joined.open || p.open
	}
	joined.text = b.String()
	return []arg{joined}
}

func showArgs(argv []arg) string {
	var b strings.Builder
	for i, a := range argv {
		if a.text == unknownPart {
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoteWord(a.text))
	}
	return b.String()
}
