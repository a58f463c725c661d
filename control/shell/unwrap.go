package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// unwrap reads what a command starts or runs as text.
func (r *reader) unwrap(cmd *Command, argv []arg, sc *scope, depth, level int) {
	w, starts := wrappers[cmd.Head]
	if level >= maxWrapperDepth {
		if starts || shells.has(cmd.Head) || cmd.Head == "eval" || cmd.Head == "find" {
			r.s.AddUncertain(said.That("commands are wrapped more than 8 deep"))
		}
		return
	}
	if shells.has(cmd.Head) {
		r.shellText(argv, sc, depth, level)
		return
	}
	p := programs[cmd.Head]
	if p.doubt && (len(argv) > 1 || !p.bare) {
		r.s.AddUncertain(said.That("the command uses %s", cmd.Head))
	}
	if given, is := positionals(argv); is && p.positional {
		r.m.positional(given)
	}
	switch p.text {
	case behindExec:
		r.find(argv, sc, depth, level)
		return
	case behindCommand:
		if r.commandOption(argv, sc, depth, level) {
			return
		}
	case allWords:
		rest := argv[1:]
		if len(rest) > 0 && rest[0].is("--") {
			rest = rest[1:]
		}
		r.text(rest, sc, depth, level)
	case inFile:
		r.m.opaque = true
		r.sourced(argv, sc, depth, level)
	}
	for _, text := range p.text.among(argv) {
		inner := *sc
		r.text([]arg{text}, &inner, depth, level)
	}
	if starts {
		r.wrapped(cmd, w, argv, sc, depth, level)
	}
}

// wrapped finds the command a wrapper starts and reads it.
func (r *reader) wrapped(cmd *Command, w wrapper, argv []arg, sc *scope, depth, level int) {
	inner := r.afterOptions(cmd, w, argv[1:], sc, depth, level)
	if w.assign {
		for len(inner) > 0 && (inner[0].holds("=") || inner[0].in("-- -")) {
			name, _, _ := inner[0].cut("=")
			if name := name.filled(unknownShown); !localName(name) {
				r.s.AddUncertain(said.That("the command sets %s", name))
			}
			inner = inner[1:]
		}
	}
	if dir, ok := chosenDir(cmd); ok {
		moved := *sc
		moved.dir, moved.other = "", nil
		if to, ok := dir.Text(); ok {
			moved.dir, moved.other = r.at.goes(sc.dir, to, chdir)
		}
		sc = &moved
	}
	for n := w.skip; n > 0 && len(inner) > 0; n-- {
		inner = inner[1:]
	}
	if i := slices.IndexFunc(inner, func(a arg) bool { return a.is(":::") }); i > 0 && (cmd.Head == "parallel" || cmd.Head == "sem") {
		template := joinArgs(inner[:i])
		for _, a := range inner[i+1:] {
			text, there := template.replaced("{}", a.Parts)
			if !there {
				text = joined([]Parts{text, a.Parts}, " ")
			}
			in := *sc
			r.text([]arg{{Parts: text, likely: template.likely || a.likely}}, &in, depth, level)
		}
	}
	if cmd.Head == "xargs" || cmd.Head == "parallel" {
		// What the pipe adds is only known when it runs, unless it is plain text.
		for i, a := range argv[1:] {
			if a.is("-a") && i+2 < len(argv) {
				if text := r.m.fileText(argv[i+2], sc); len(text) > 0 {
					from := *sc
					from.stdin = text
					sc = &from
				}
			}
		}
		inner = slices.Clip(inner)
		for _, word := range sc.stdin.words() {
			inner = append(inner, arg{Parts: word, likely: true})
		}
		if len(inner) > 0 {
			inner = append(inner, arg{Parts: notKnown, likely: true})
		}
	}
	if len(inner) == 0 {
		if cmd.Head == "sudo" || cmd.Head == "doas" {
			r.shellText(plain("sh"), sc, depth, level)
		}
		return
	}
	if sc.listing && cmd.Head == "xargs" && !inner[0].in(namesOnly) {
		cmd.ReadsTree, cmd.Search = true, nil
	}
	if inner[0].unsure() || inner[0].wild() {
		r.s.AddUncertain(said.That("the name of a command is only known when it runs"))
	}
	cmd.Wrapper = w.plain && !cmd.Dynamic && cmd.Known != ""
	in := *sc
	if wrapperKeepsShell(cmd.Head) {
		r.simple(showArgs(inner), inner, sc, depth+1, level+1)
		return
	}
	r.simple(showArgs(inner), inner, &in, depth+1, level+1)
}

// wrapperKeepsShell is true where a cd inside takes effect outside.
func wrapperKeepsShell(head string) bool { return head == "command" || head == "builtin" }

// afterOptions skips a wrapper's own options.
func (r *reader) afterOptions(cmd *Command, w wrapper, rest []arg, sc *scope, depth, level int) []arg {
	for len(rest) > 0 && rest[0].begins("-") {
		opt := rest[0]
		rest = rest[1:]
		if opt.is("--") {
			break
		}
		if cmd.Head == "command" && opt.holds("vV") {
			return nil // it only says where the program is
		}
		if text, is := splitString(cmd.Head, opt.Parts); is {
			unsure := opt.unsure()
			if text.is("") && len(rest) > 0 {
				text, unsure, rest = rest[0].Parts, rest[0].unsure(), rest[1:]
			}
			// What it is split into is read as env's own words once more.
			again := plain("env")
			for _, word := range text.each(strings.NewReplacer(`"`, "", "'", "", `\_`, " ").Replace).words() {
				again = append(again, arg{Parts: word, likely: unsure})
			}
			again = append(again, rest...)
			r.simple(showArgs(again), again, sc, depth+1, level+1)
			return nil
		}
		if takesValue(opt.Parts, w) && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return rest
}

// find reads -exec and its like, with the starting points in place of {}.
func (r *reader) find(argv []arg, sc *scope, depth, level int) {
	var words []Parts
	for _, a := range argv[1:] {
		words = append(words, a.Parts)
	}
	starts := findStarts(words)
	for i := 1; i < len(argv); i++ {
		if !argv[i].in("-exec -execdir -ok -okdir -x -X --exec --exec-batch") {
			continue
		}
		var inner []arg
		for i++; i < len(argv) && !argv[i].in("; +"); i++ {
			for _, s := range starts {
				text, there := argv[i].replaced("{}", s)
				if !there {
					inner = append(inner, argv[i])
					break
				}
				inner = append(inner, arg{Parts: text, likely: true})
			}
		}
		if len(inner) == 0 {
			continue
		}
		if inner[0].unsure() || inner[0].wild() {
			r.s.AddUncertain(said.That("the name of a command is only known when it runs"))
		}
		in := *sc
		r.simple(showArgs(inner), inner, &in, depth+1, level+1)
	}
}
