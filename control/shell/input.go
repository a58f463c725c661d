package shell

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// output is what a statement writes to its standard output, as far as that is
// plain from the text: echo, printf, cat of a here-document, and the decoders
// that are used to hide a command. ok is false where it is not.
func (ev *evaluator) output(s *syntax.Stmt, in Parts, fed bool, sc *scope, depth int) (Parts, bool) {
	if s == nil || depth > maxWrapperDepth {
		return nil, false
	}
	if text, ok := ev.fed(s.Redirs, sc); ok {
		in, fed = text, true
	}
	for _, red := range s.Redirs {
		switch red.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
		default:
			if n := red.N; n == nil || n.Value == "1" {
				return nil, false // it goes somewhere else
			}
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		left, ok := ev.output(c.X, in, fed, sc, depth+1)
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return ev.output(c.Y, left, ok, sc, depth+1)
		}
		if c.Op == syntax.AndStmt {
			return ev.outputs([]*syntax.Stmt{c.X, c.Y}, in, fed, sc, depth)
		}
		right, also := ev.output(c.Y, in, fed, sc, depth+1)
		return slices.Concat(left, right), ok || also
	case *syntax.Block:
		return ev.outputs(c.Stmts, in, fed, sc, depth)
	case *syntax.Subshell:
		return ev.outputs(c.Stmts, in, fed, sc, depth)
	case *syntax.CallExpr:
		var argv []Parts
		for _, w := range c.Args {
			argv = append(argv, ev.value(w, sc).fields...)
		}
		if len(argv) == 0 {
			if len(s.Redirs) > 0 && len(c.Assigns) == 0 {
				return in, fed // $(<file)
			}
			return nil, false
		}
		text, ok := ev.written(argv, in, fed, sc.dir)
		text = text.literal()
		if ok && len(text) > 0 && ev.at.known(argv[0]) == "" {
			ev.s.AddUncertain(said.That("what a program that is named by its path writes is only known when it runs"))
		}
		return text, ok
	case nil:
		return in, fed
	}
	return nil, false
}

func (ev *evaluator) outputs(list []*syntax.Stmt, in Parts, fed bool, sc *scope, depth int) (Parts, bool) {
	var all Parts
	known := false
	if ev.expanding > maxWrapperDepth {
		return nil, false
	}
	ev.expanding++
	defer func() { ev.expanding-- }()
	inner := *sc
	for _, s := range list {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 2 && call.Args[0].Lit() == "cd" {
			from := inner.dir
			inner.dir = ""
			if dir, ok := ev.value(call.Args[1], sc).Text(); ok {
				if to, also := ev.at.goes(from, dir, byText); len(also) == 0 {
					inner.dir = to
				}
			}
			known = true
			continue
		}
		text, ok := ev.output(s, in, fed, &inner, depth+1)
		known = known || ok
		all = append(all, text...)
	}
	return all, known
}

// written is what one program prints.
func (ev *evaluator) written(argv []Parts, in Parts, fed bool, dir string) (Parts, bool) {
	name, args := programName(argv[0]), argv[1:]
	for words("command builtin sudo env busybox").has(name) && len(args) > 0 && !args[0].begins("-") {
		name, args = programName(args[0]), args[1:]
	}
	option := func(names words) bool {
		return slices.ContainsFunc(args, func(a Parts) bool { return a.in(names) })
	}
	switch name {
	case "echo":
		return echoed(args), true
	case "printf":
		return printed(args)
	case "true", ":", "false", "test", "[", "cd", "sleep", "mkdir", "touch":
		return nil, true
	case "realpath", "readlink":
		if len(args) == 0 || !args[len(args)-1].begins("/") {
			return nil, false
		}
		return asLine(ev.at.realPath(args[len(args)-1])), true
	case "dirname", "basename":
		if len(args) != 1 {
			return nil, false
		}
		dir, base := args[0].pathParts()
		if name == "dirname" {
			return asLine(dir), true
		}
		return asLine(base), true
	case "pwd":
		if dir == "" {
			return notKnown, true
		}
		return known(dir + "\n"), true
	case "cat", "tee", "sort", "uniq", "head", "tail", "sponge", "pv", "stdbuf":
		return in, fed
	case "rev", "tr":
		if !utf8.ValidString(in.filled("")) {
			return notKnown, fed // they go by letters
		}
		if name == "tr" {
			return translated(args, in, fed)
		}
		var out Parts
		for _, l := range in.lines() {
			l = l.each(reversed)
			slices.Reverse(l)
			out = append(out, asLine(l)...)
		}
		return out, fed
	case "base64":
		if !option("-d --decode -D -di -id") {
			return nil, false
		}
		return bytesOf(base64.StdEncoding.DecodeString, in, fed)
	case "openssl":
		if !option("base64 -base64 -a") || !option("-d") {
			return nil, false
		}
		return bytesOf(base64.StdEncoding.DecodeString, in, fed)
	case "xxd":
		if !option("-r -rp -pr") {
			return nil, false
		}
		return bytesOf(hex.DecodeString, in, fed)
	}
	return nil, false
}

// asLine is a text with the end of a line.
func asLine(p Parts) Parts { return append(slices.Clip(p), part{text: "\n"}) }

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// bytesOf decodes what is known up to the first part that is not. Bash drops a NUL,
// which cannot be in a word.
func bytesOf(decode func(string) ([]byte, error), in Parts, fed bool) (Parts, bool) {
	b, err := decode(strings.Join(strings.Fields(in.lead()), ""))
	return more(known(strings.ReplaceAll(string(b), "\x00", "")), in.isOpen()), fed && (err == nil || len(b) > 0)
}

// more is a text that may go on with lines which are not known.
func more(text Parts, open bool) Parts {
	if open {
		return append(asLine(text), notKnown...)
	}
	return text
}

// decoded is a word with its escapes decoded. What is at a NUL is not known.
func decoded(p Parts) Parts {
	var out Parts
	for _, q := range p.each(ansiC) {
		for i, text := range strings.Split(q.text, "\x00") {
			if i > 0 || q.open {
				out = append(out, notKnown...)
			}
			out = append(out, known(text)...)
		}
	}
	return out
}

// echoed is echo's output. What follows a backslash is decoded whether or not -e
// is given: it makes the text no safer.
func echoed(args []Parts) Parts {
	newline, escapes := true, false
	for len(args) > 0 && args[0].begins("-") && !args[0].is("-") && !args[0].isOpen() && strings.Trim(args[0].filled(""), "-neE") == "" {
		newline = newline && !args[0].holds("n")
		escapes = escapes || args[0].holds("e")
		args = args[1:]
	}
	text := joined(args, " ")
	if escapes {
		text = decoded(text.each(func(s string) string { return octalEcho().ReplaceAllString(s, `\$1`) }))
	}
	if newline {
		text = asLine(text)
	}
	return text
}

// octalEcho is echo's own way to write a byte: \0nnn.
var octalEcho = lazy.Regexp(`\\0([0-7]{1,3})`)

// printed is printf's output for the plain formats; the format is used again
// while arguments are left.
func printed(args []Parts) (Parts, bool) {
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	if len(args) == 0 || args[0].begins("-v") {
		return nil, false
	}
	format, rest := decoded(args[0]), args[1:]
	var out Parts
	for round := 0; round == 0 || len(rest) > 0 && round < 1_000; round++ {
		before := len(rest)
		for _, q := range format {
			if q.open {
				out = append(out, q)
				continue
			}
			var used []part
			used, rest = formatted(q.text, rest)
			out = append(out, used...)
		}
		if before == len(rest) {
			break
		}
	}
	return out.literal(), true
}

// formatted is one use of a format, and the arguments that it leaves.
func formatted(format string, rest []Parts) (out Parts, left []Parts) {
	text := 0 // where the text behind the last directive begins
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		out = append(out, part{text: format[text:i]})
		for i++; i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0; i++ {
		}
		text = i + 1
		if format[i] == '%' {
			text = i
			continue
		}
		var next Parts
		if len(rest) > 0 {
			next, rest = rest[0], rest[1:]
		}
		switch format[i] {
		case 's', 'd', 'q', 'i':
			out = append(out, next...)
		case 'b':
			out = append(out, decoded(next)...)
		case 'c':
			if next = next.literal(); len(next) > 0 {
				next[0].text = next[0].text[:min(1, len(next[0].text))]
				out = append(out, next[0])
			}
		default:
			out = append(out, notKnown...)
		}
	}
	return append(out, part{text: format[text:]}), rest
}

// translated is tr for plain sets and ranges of the same length.
func translated(args []Parts, in Parts, fed bool) (Parts, bool) {
	if len(args) != 2 {
		return nil, false
	}
	words := guesses(args)
	from, to := []rune(ranges(words[0])), []rune(ranges(words[1]))
	remove := words[0] == "-d"
	if remove {
		from, to = to, []rune{-1}
	}
	if strings.HasPrefix(words[0], "-") && !remove || len(to) == 0 {
		return nil, false
	}
	out := in.each(func(text string) string {
		return strings.Map(func(c rune) rune {
			if i := slices.Index(from, c); i >= 0 {
				return to[min(i, len(to)-1)]
			}
			return c
		}, text)
	})
	return more(out, args[0].isOpen() || args[1].isOpen()), fed
}

// ranges writes a-z out.
func ranges(set string) string {
	set = ansiC(set)
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' && set[i] < set[i+2] {
			for c := set[i]; c <= set[i+2]; c++ {
				b.WriteByte(c)
			}
			i += 2
			continue
		}
		b.WriteByte(set[i])
	}
	return b.String()
}

// fed is the literal text that redirections give a command: a here-document, a
// here-string, or < <(…).
func (ev *evaluator) fed(redirs []*syntax.Redirect, sc *scope) (Parts, bool) {
	for _, red := range slices.Backward(redirs) {
		var text Parts
		switch red.Op {
		case syntax.Hdoc:
			text = ev.document(red, sc)
		case syntax.DashHdoc:
			for _, l := range ev.document(red, sc).lines() {
				text = append(text, asLine(l.trimLeft("\t"))...)
			}
		case syntax.WordHdoc:
			text = ev.value(red.Word, sc).Parts
		case syntax.RdrIn:
			var ok bool
			if text, ok = ev.substituted(red.Word, sc); !ok {
				text = ev.m.fileText(arg{Parts: ev.value(red.Word, sc).Parts}, sc)
			}
			if !ok && len(text) == 0 {
				continue
			}
		default:
			continue
		}
		text = text.literal()
		return text, text.length() > 0 || !text.isOpen()
	}
	return nil, false
}

// document is the text of a here-document.
func (ev *evaluator) document(red *syntax.Redirect, sc *scope) Parts {
	if red.Hdoc == nil {
		return nil
	}
	if lit := red.Hdoc.Lit(); strings.ContainsAny(ev.raw(red.Word), `'"\`) && lit != "" {
		return known(lit)
	}
	e := evaluation{ev: ev, sc: sc}
	e.parts(red.Hdoc.Parts, true)
	return joined(e.fields, " ")
}

// substituted is what <(…) gives to anyone who opens it.
func (ev *evaluator) substituted(w *syntax.Word, sc *scope) (Parts, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	if !ok || p.Op != syntax.CmdIn {
		return nil, false
	}
	return ev.outputs(p.Stmts, nil, false, sc, 0)
}
