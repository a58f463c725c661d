package control

import (
	"strings"
)

// wrapper describes a program that starts the program named in its arguments
// (control §2), so that what it starts is judged.
type wrapper struct {
	values string   // one-letter options that take the next word
	long   []string // long options that take the next word
	skip   int      // words of its own before the program: timeout 5 …
	plain  bool     // it changes nothing about the program: its own name needs no rule
	assign bool     // NAME=value words come first
}

var wrappers = map[string]wrapper{
	"timeout": {values: "ks", long: []string{"--kill-after", "--signal"}, skip: 1, plain: true},
	"nice":    {values: "n", long: []string{"--adjustment"}, plain: true},
	"nohup":   {plain: true},
	"time":    {plain: true, values: "of"},
	"stdbuf":  {values: "ioe", plain: true},
	"ionice":  {values: "cnpPu", plain: true},
	"setsid":  {},
	"command": {plain: true},
	"builtin": {plain: true},
	"exec":    {values: "a"},
	"env":     {values: "uCS", long: []string{"--unset", "--chdir", "--split-string"}, assign: true},
	"sudo": {values: "ugpCDRTrtUh", assign: true,
		long: []string{"--user", "--group", "--prompt", "--chdir", "--chroot", "--role", "--type", "--host", "--close-from"}},
	"doas":    {values: "uC"},
	"busybox": {}, "toybox": {},
	"xargs":   {values: "aEILnPsd", long: []string{"--arg-file", "--max-args", "--max-procs", "--delimiter", "--replace", "--max-lines", "--max-chars"}},
	"chroot":  {values: "", skip: 1},
	"strace":  {values: "eopsuEIbPXaS"},
	"ltrace":  {values: "eopsunaAl"},
	"watch":   {values: "nq", long: []string{"--interval"}},
	"flock":   {values: "wE", skip: 1},
	"unshare": {values: "SGRw"}, "nsenter": {values: "tSGr"}, "bwrap": {}, "firejail": {},
	"chrt": {skip: 1}, "taskset": {skip: 1}, "parallel": {values: "jNnLI"},
	"unbuffer": {}, "caffeinate": {values: "tw"}, "catchsegv": {}, "proxychains": {values: "f"}, "torsocks": {}, "dbus-run-session": {},
	"coproc": {}, "then": {}, "gdb": {values: "x"}, "valgrind": {}, "rlwrap": {}, "fakeroot": {}, "eatmydata": {}, "systemd-run": {values: "pu"},
}

// unwrap reads what a command starts or runs as text.
func (r *reader) unwrap(cmd *command, argv []arg, sc *scope, depth, level int) {
	if level >= maxWrapperDepth {
		if _, is := wrappers[cmd.head]; is || shells[cmd.head] || cmd.head == "eval" || cmd.head == "find" {
			r.s.doubt("commands are wrapped more than 8 deep")
		}
		return
	}
	switch {
	case shells[cmd.head]:
		r.shellText(argv, sc, depth, level)
		return
	case cmd.head == "find", cmd.head == "fd", cmd.head == "fdfind":
		r.find(argv, sc, depth, level)
		return
	}
	switch cmd.head {
	case "eval":
		r.text(joinArgs(argv[1:]), sc, depth, level)
	case "trap":
		r.s.doubt("the command uses trap")
		if len(argv) > 1 {
			inner := *sc
			r.text(argv[1:2], &inner, depth, level)
		}
	case "alias":
		r.s.doubt("the command uses alias")
		for _, a := range argv[1:] {
			if _, body, ok := strings.Cut(a.text, "="); ok {
				inner := *sc
				r.text([]arg{{text: body, open: a.open}}, &inner, depth, level)
			}
		}
	case "set", "shopt", "let", "enable", "hash", "bind", "complete", "unalias":
		if len(argv) > 1 {
			r.s.doubt("the command uses " + cmd.head)
		}
	case "su", "runuser", "script":
		for i, a := range argv {
			if (a.text == "-c" || a.text == "--command") && i+1 < len(argv) {
				inner := *sc
				r.text(argv[i+1:i+2], &inner, depth, level)
			}
		}
	default:
		if w, is := wrappers[cmd.head]; is {
			r.wrapped(cmd, w, argv, sc, depth, level)
		}
	}
}

// wrapped finds the command a wrapper starts and reads it.
func (r *reader) wrapped(cmd *command, w wrapper, argv []arg, sc *scope, depth, level int) {
	inner := r.afterOptions(cmd, w, argv[1:], sc, depth, level)
	if w.assign {
		for len(inner) > 0 && isAssignment(inner[0].text) {
			if name, _, _ := strings.Cut(inner[0].text, "="); !localName(name) {
				r.s.doubt("the command sets " + name)
			}
			inner = inner[1:]
		}
	}
	for n := w.skip; n > 0 && len(inner) > 0; n-- {
		inner = inner[1:]
	}
	if cmd.head == "xargs" || cmd.head == "parallel" {
		// What the pipe adds is only known when it runs, unless it is plain text.
		for _, word := range strings.Fields(sc.stdin) {
			inner = append(inner[:len(inner):len(inner)], arg{text: word, open: true})
		}
		if len(inner) > 0 {
			inner = append(inner[:len(inner):len(inner)], arg{text: unknownPart, open: true})
		}
	}
	if len(inner) == 0 {
		if cmd.head == "sudo" || cmd.head == "doas" {
			r.shellText([]arg{{text: "sh"}}, sc, depth, level)
		}
		return
	}
	if cmd.head == "flock" && inner[0].text == "-c" {
		r.text(inner[1:], sc, depth, level)
		return
	}
	if inner[0].open || inner[0].glob {
		r.s.doubt("the name of a command is only known when it runs")
	}
	cmd.wrapper = w.plain && !cmd.openEnded
	in := *sc
	if r.wrapperKeepsShell(cmd.head) {
		r.simple(showArgs(inner), inner, sc, depth+1, level+1)
		return
	}
	r.simple(showArgs(inner), inner, &in, depth+1, level+1)
}

// wrapperKeepsShell is true where a cd inside takes effect outside.
func (r *reader) wrapperKeepsShell(head string) bool { return head == "command" || head == "builtin" }

// afterOptions skips a wrapper's own options.
func (r *reader) afterOptions(cmd *command, w wrapper, rest []arg, sc *scope, depth, level int) []arg {
	for len(rest) > 0 && len(rest[0].text) > 1 && rest[0].text[0] == '-' {
		opt := rest[0].text
		rest = rest[1:]
		if opt == "--" {
			break
		}
		if cmd.head == "env" && (strings.HasPrefix(opt, "-S") || strings.HasPrefix(opt, "--split-string")) {
			_, text, found := strings.Cut(opt, "=")
			if !found && strings.HasPrefix(opt, "-S") {
				text = opt[2:]
			}
			if text == "" && len(rest) > 0 {
				text, rest = rest[0].text, rest[1:]
			}
			r.text(append([]arg{{text: text}}, rest...), sc, depth, level)
			return nil
		}
		if takesValue(opt, w) && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return rest
}

// takesValue says whether the option's value is the next word: the last letter
// of a cluster takes one, and only when nothing follows it.
func takesValue(opt string, w wrapper) bool {
	if strings.HasPrefix(opt, "--") {
		for _, l := range w.long {
			if l == opt {
				return true
			}
		}
		return false
	}
	for i := 1; i < len(opt); i++ {
		if strings.IndexByte(w.values, opt[i]) >= 0 {
			return i == len(opt)-1
		}
	}
	return false
}

func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ") && (name[0] < '0' || name[0] > '9')
}

// shellText reads what a shell is given: the word after -c, a here-document, or
// what a pipe feeds it.
func (r *reader) shellText(argv []arg, sc *scope, depth, level int) {
	inner := *sc
	inner.stdin = ""
	command, sawC, hasFile := -1, false, false
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
			case a == "--rcfile" || a == "--init-file" || a == "-o" || a == "+o" || a == "-O" || a == "+O":
				i++
			case !strings.HasPrefix(a, "--") && strings.ContainsRune(a, 'c'):
				sawC = true
			case !strings.HasPrefix(a, "--") && strings.ContainsRune(a, 's'):
				hasFile = false
			}
			continue
		}
		command = i
		break
	}
	switch {
	case sawC && command > 0:
		r.text(argv[command:command+1], &inner, depth, level)
	case sawC:
	case command > 0:
		hasFile = true
	}
	if sawC || hasFile {
		return
	}
	if sc.stdin == "" {
		r.s.doubt("a shell reads its commands from its input")
		return
	}
	r.text([]arg{{text: sc.stdin}}, &inner, depth, level)
}

// text reads words as shell text. What is not known is still read for the
// commands in the known part.
func (r *reader) text(parts []arg, sc *scope, depth, level int) {
	for _, p := range parts {
		if p.open || strings.Contains(p.text, unknownPart) {
			r.s.doubt("text that is only known when it runs is run as a command")
		}
	}
	body := joinArgs(parts)[0].text
	if strings.TrimSpace(strings.ReplaceAll(body, unknownPart, "")) == "" {
		return // nothing of it is known
	}
	sub := &reader{s: r.s, userHome: r.userHome, roots: r.roots, vars: r.vars, seen: r.seen, dirs: r.dirs, level: level + 1}
	sub.source(strings.ReplaceAll(body, unknownPart, "_"), sc, depth+1)
	r.dirs = sub.dirs
}

func joinArgs(parts []arg) []arg {
	var joined arg
	for i, p := range parts {
		if i > 0 {
			joined.text += " "
		}
		joined.text += p.text
		joined.open = joined.open || p.open
	}
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

// find reads -exec and its like, with the starting points in place of {}.
func (r *reader) find(argv []arg, sc *scope, depth, level int) {
	starts := findStarts(argv)
	for i := 1; i < len(argv); i++ {
		switch argv[i].text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		default:
			continue
		}
		var inner []arg
		for i++; i < len(argv) && argv[i].text != ";" && argv[i].text != "+"; i++ {
			if !strings.Contains(argv[i].text, "{}") {
				inner = append(inner, argv[i])
				continue
			}
			for _, s := range starts {
				inner = append(inner, arg{text: strings.ReplaceAll(argv[i].text, "{}", s), open: true})
			}
		}
		if len(inner) == 0 {
			continue
		}
		if inner[0].open || inner[0].glob {
			r.s.doubt("the name of a command is only known when it runs")
		}
		in := *sc
		r.simple(showArgs(inner), inner, &in, depth+1, level+1)
	}
}

func findStarts(argv []arg) []string {
	var starts []string
	for _, a := range argv[1:] {
		if a.text == "-H" || a.text == "-L" || a.text == "-P" {
			continue
		}
		if a.text == "" || strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" {
			break
		}
		starts = append(starts, a.text)
	}
	if len(starts) == 0 {
		return []string{"."}
	}
	return starts
}
