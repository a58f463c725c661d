package shell

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// output is what a statement writes to its standard output, as far as that is
// plain from the text: echo, printf, cat of a here-document, and the decoders
// that are used to hide a command. ok is false where it is not.
func (r *reader) output(s *syntax.Stmt, in string, fed bool, sc *scope, depth int) (string, bool) {
	if s == nil || depth > maxWrapperDepth {
		return "", false
	}
	if text, ok := r.fed(s.Redirs, sc); ok {
		in, fed = text, true
	}
	for _, red := range s.Redirs {
		switch red.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
		default:
			if n := red.N; n == nil || n.Value == "1" {
				return "", false // it goes somewhere else
			}
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		left, ok := r.output(c.X, in, fed, sc, depth+1)
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return r.output(c.Y, left, ok, sc, depth+1)
		}
		if c.Op == syntax.AndStmt {
			return r.outputs([]*syntax.Stmt{c.X, c.Y}, in, fed, sc, depth)
		}
		right, also := r.output(c.Y, in, fed, sc, depth+1)
		return left + right, ok || also
	case *syntax.Block:
		return r.outputs(c.Stmts, in, fed, sc, depth)
	case *syntax.Subshell:
		return r.outputs(c.Stmts, in, fed, sc, depth)
	case *syntax.CallExpr:
		var argv []string
		for _, w := range c.Args {
			v := r.value(w, sc)
			argv = append(argv, v.fields...)
		}
		if len(argv) == 0 {
			if len(s.Redirs) > 0 && len(c.Assigns) == 0 {
				return in, fed // $(<file)
			}
			return "", false
		}
		return written(argv, in, fed, sc.dir)
	case nil:
		return in, fed
	}
	return "", false
}

func (r *reader) outputs(list []*syntax.Stmt, in string, fed bool, sc *scope, depth int) (string, bool) {
	var b strings.Builder
	known := false
	if r.expanding > maxWrapperDepth {
		return "", false
	}
	r.expanding++
	defer func() { r.expanding-- }()
	inner := *sc
	for _, s := range list {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 2 && call.Args[0].Lit() == "cd" {
			if dir := r.resolve(r.value(call.Args[1], &inner).text, &inner); dir != "" {
				inner.dir = dir
			}
			known = true
			continue
		}
		text, ok := r.output(s, in, fed, &inner, depth+1)
		known = known || ok
		b.WriteString(text)
	}
	return b.String(), known
}

// written is what one program prints.
func written(argv []string, in string, fed bool, dir string) (string, bool) {
	name, args := programName(argv[0]), argv[1:]
	for (name == "command" || name == "builtin" || name == "sudo" || name == "env" || name == "busybox") && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = programName(args[0]), args[1:]
	}
	option := func(names string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return words(names).has(a) })
	}
	switch name {
	case "echo":
		return echoed(args), true
	case "printf":
		return printed(args)
	case "true", ":", "false", "test", "[", "cd", "sleep", "mkdir", "touch":
		return "", true
	case "realpath", "readlink":
		if len(args) == 0 || !strings.HasPrefix(args[len(args)-1], "/") {
			return "", false
		}
		return path.Clean(args[len(args)-1]) + "\n", true
	case "dirname", "basename":
		if len(args) != 1 {
			return "", false
		}
		if name == "dirname" {
			return path.Dir(args[0]) + "\n", true
		}
		return path.Base(args[0]) + "\n", true
	case "pwd":
		return dir + "\n", dir != ""
	case "cat", "tee", "sort", "uniq", "head", "tail", "sponge", "pv", "stdbuf":
		return in, fed
	case "rev":
		var b strings.Builder
		for line := range strings.Lines(in) {
			runes := []rune(strings.TrimSuffix(line, "\n"))
			slices.Reverse(runes)
			b.WriteString(string(runes) + "\n")
		}
		return b.String(), fed
	case "base64", "base32":
		if !option("-d --decode -D -di -id") || name == "base32" {
			return "", false
		}
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(out), fed && (err == nil || len(out) > 0)
	case "openssl":
		if !option("base64 -base64 -a") || !option("-d") {
			return "", false
		}
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(out), fed && err == nil
	case "xxd":
		if !slices.ContainsFunc(args, func(a string) bool { return a == "-r" || a == "-rp" || a == "-pr" }) {
			return "", false
		}
		out, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(out), fed && err == nil
	case "tr":
		return translated(args, in, fed)
	}
	return "", false
}

// echoed is echo's output. What follows a backslash is decoded whether or not -e
// is given: it makes the text no safer.
func echoed(args []string) string {
	newline, escapes := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		newline = newline && !strings.Contains(args[0], "n")
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = ansiC(octalEcho().ReplaceAllString(text, `\$1`))
	}
	if newline {
		text += "\n"
	}
	return text
}

// octalEcho is echo's own way to write a byte: \0nnn.
var octalEcho = lazy.Regexp(`\\0([0-7]{1,3})`)

// printed is printf's output for the plain formats; the format is used again
// while arguments are left.
func printed(args []string) (string, bool) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-v") {
		return "", false
	}
	format, rest := ansiC(args[0]), args[1:]
	var b strings.Builder
	for round := 0; round == 0 || len(rest) > 0 && round < 1_000; round++ {
		before := len(rest)
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			for i++; i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0; i++ {
			}
			if format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			next := ""
			if len(rest) > 0 {
				next, rest = rest[0], rest[1:]
			}
			switch format[i] {
			case 's', 'd', 'q', 'i':
				b.WriteString(next)
			case 'b':
				b.WriteString(ansiC(next))
			case 'c':
				b.WriteString(next[:min(1, len(next))])
			default:
				b.WriteString(unknownPart)
			}
		}
		if before == len(rest) {
			break
		}
	}
	return b.String(), true
}

// translated is tr for plain sets and ranges of the same length.
func translated(args []string, in string, fed bool) (string, bool) {
	if len(args) == 2 && args[0] == "-d" {
		return strings.Map(func(c rune) rune {
			if strings.ContainsRune(ranges(args[1]), c) {
				return -1
			}
			return c
		}, in), fed
	}
	if len(args) != 2 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	from, to := []rune(ranges(args[0])), []rune(ranges(args[1]))
	if len(to) == 0 {
		return "", false
	}
	return strings.Map(func(c rune) rune {
		if i := slices.Index(from, c); i >= 0 {
			return to[min(i, len(to)-1)]
		}
		return c
	}, in), fed
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
func (r *reader) fed(redirs []*syntax.Redirect, sc *scope) (string, bool) {
	for _, red := range slices.Backward(redirs) {
		var v value
		switch red.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			v = r.document(red, sc)
			if red.Op == syntax.DashHdoc {
				lines := strings.Split(v.text, "\n")
				for i := range lines {
					lines[i] = strings.TrimLeft(lines[i], "\t")
				}
				v.text = strings.Join(lines, "\n")
			}
		case syntax.WordHdoc:
			v = r.value(red.Word, sc)
		case syntax.RdrIn:
			text, ok := r.substituted(red.Word, sc)
			if !ok {
				text = r.fileText(arg{text: r.value(red.Word, sc).text}, sc)
			}
			if !ok && text == "" {
				continue
			}
			v.text = text
		default:
			continue
		}
		return v.text, v.text != unknownPart
	}
	return "", false
}

// document is the text of a here-document.
func (r *reader) document(red *syntax.Redirect, sc *scope) value {
	if red.Hdoc == nil {
		return value{}
	}
	if lit := red.Hdoc.Lit(); strings.ContainsAny(r.raw(red.Word), `'"\`) && lit != "" {
		return value{text: lit}
	}
	e := evaluation{r: r, sc: sc}
	e.parts(red.Hdoc.Parts, true)
	return value{text: e.b.String(), unknown: e.unknown}
}

// substituted is what <(…) gives to whoever opens it.
func (r *reader) substituted(w *syntax.Word, sc *scope) (string, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	if !ok || p.Op != syntax.CmdIn {
		return "", false
	}
	return r.outputs(p.Stmts, "", false, sc, 0)
}
