package shell

import (
	"slices"
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
	"runuser": {values: "ugGcs", long: []string{"--user", "--group", "--supp-group", "--command", "--shell"}},
	"pkexec":  {long: []string{"--user"}}, "xvfb-run": {values: "nesfp"}, "entr": {}, "setarch": {}, "setpriv": {}, "prlimit": {}, "cgexec": {values: "g"},
	"sem": {values: "jNnLI"}, "perf": {}, "jobs": {}, "start-stop-daemon": {}, "dtach": {}, "daemonize": {}, "screen": {values: "SDcehLpst"},
	"xterm": {}, "ssh-agent": {values: "aEt"}, "sshpass": {values: "fdpP"}, "direnv": {}, "chronic": {}, "ifne": {}, "tsocks": {}, "numactl": {},
	"nohup":   {plain: true},
	"time":    {plain: true, values: "of", long: []string{"--output", "--format"}},
	"stdbuf":  {values: "ioe", long: []string{"--input", "--output", "--error"}, plain: true},
	"ionice":  {values: "cnpPu", long: []string{"--class", "--classdata"}, plain: true},
	"setsid":  {},
	"command": {plain: true},
	"builtin": {plain: true},
	"exec":    {values: "a"},
	"env":     {values: "uCS", long: []string{"--unset", "--chdir", "--split-string"}, assign: true},
	"sudo": {values: "ugpCDRTrtUh", assign: true,
		long: []string{"--user", "--group", "--prompt", "--chdir", "--chroot", "--role", "--type", "--host", "--close-from"}},
	"doas":    {values: "uC"},
	"busybox": {}, "toybox": {},
	"xargs":   {values: "aEILnPsd", long: []string{"--arg-file", "--max-args", "--max-procs", "--delimiter", "--max-chars"}},
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
func (r *reader) unwrap(cmd *Command, argv []arg, sc *scope, depth, level int) {
	if level >= maxWrapperDepth {
		if _, is := wrappers[cmd.Head]; is || shells.has(cmd.Head) || cmd.Head == "eval" || cmd.Head == "find" {
			r.s.Doubt("commands are wrapped more than 8 deep")
		}
		return
	}
	switch {
	case shells.has(cmd.Head):
		r.shellText(argv, sc, depth, level)
		return
	case cmd.Head == "flock", cmd.Head == "su", cmd.Head == "runuser", cmd.Head == "script", cmd.Head == "sg", cmd.Head == "newgrp":
		if r.commandOption(argv, sc, depth, level) {
			return
		}
	case cmd.Head == "watch", cmd.Head == "parallel", cmd.Head == "sem", cmd.Head == "screen", cmd.Head == "sudo", cmd.Head == "ssh", cmd.Head == "entr":
		// Their words are joined and given to a shell.
		for _, a := range argv[1:] {
			if strings.ContainsAny(a.text, " \t\n;&|") && !strings.Contains(a.text, "=") {
				inner := *sc
				r.text([]arg{a}, &inner, depth, level)
			}
		}
	case cmd.Head == "find", cmd.Head == "fd", cmd.Head == "fdfind":
		r.find(argv, sc, depth, level)
		return
	}
	switch cmd.Head {
	case "eval":
		rest := argv[1:]
		if len(rest) > 0 && rest[0].text == "--" {
			rest = rest[1:]
		}
		r.text(joinArgs(rest), sc, depth, level)
	case "source", ".":
		r.m.opaque = true
		r.sourced(argv, sc, depth, level)
	case "trap":
		r.s.Doubt("the command uses trap")
		for _, a := range argv[1:] {
			if a.text != "--" {
				inner := *sc
				r.text([]arg{a}, &inner, depth, level)
				break
			}
		}
	case "alias":
		r.s.Doubt("the command uses alias")
		for _, a := range argv[1:] {
			if _, body, ok := strings.Cut(a.text, "="); ok {
				inner := *sc
				r.text([]arg{{text: body, open: a.open}}, &inner, depth, level)
			}
		}
	case "set", "shopt", "let", "enable", "hash", "bind", "complete", "compgen", "unalias", "fc":
		if len(argv) > 1 || cmd.Head == "fc" {
			r.s.Doubt("the command uses " + cmd.Head)
		}
		if cmd.Head == "set" {
			for i, a := range argv[1:] {
				if !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") || a.text == "--" {
					if a.text == "--" {
						i++
					}
					r.positional(argv[1+i:])
					break
				}
			}
		}
		for i, a := range argv[1:] {
			if a.text == "-C" && i+2 < len(argv) {
				inner := *sc
				r.text(argv[i+2:i+3], &inner, depth, level)
			}
		}
	case "mapfile", "readarray":
		for i, a := range argv {
			if strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "C") && i+1 < len(argv) {
				inner := *sc
				r.text(argv[i+1:i+2], &inner, depth, level)
			}
		}
	default:
		if w, is := wrappers[cmd.Head]; is {
			r.wrapped(cmd, w, argv, sc, depth, level)
		}
	}
}

// wrapped finds the command a wrapper starts and reads it.
func (r *reader) wrapped(cmd *Command, w wrapper, argv []arg, sc *scope, depth, level int) {
	inner := r.afterOptions(cmd, w, argv[1:], sc, depth, level)
	if w.assign {
		for len(inner) > 0 && (strings.Contains(inner[0].text, "=") || inner[0].text == "--" || inner[0].text == "-") {
			if name, _, _ := strings.Cut(inner[0].text, "="); !localName(name) {
				r.s.Doubt("the command sets " + name)
			}
			inner = inner[1:]
		}
	}
	if dir, ok := chosenDir(cmd); ok {
		moved := *sc
		moved.dir, moved.other = r.resolve(dir, sc), nil
		sc = &moved
	}
	for n := w.skip; n > 0 && len(inner) > 0; n-- {
		inner = inner[1:]
	}
	if i := slices.IndexFunc(inner, func(a arg) bool { return a.text == ":::" }); i > 0 && (cmd.Head == "parallel" || cmd.Head == "sem") {
		template := joinArgs(inner[:i])[0]
		for _, a := range inner[i+1:] {
			text := strings.ReplaceAll(template.text, "{}", a.text)
			if text == template.text {
				text += " " + a.text
			}
			in := *sc
			r.text([]arg{{text: text, open: template.open || a.open}}, &in, depth, level)
		}
	}
	if cmd.Head == "xargs" || cmd.Head == "parallel" {
		// What the pipe adds is only known when it runs, unless it is plain text.
		for i, a := range argv[1:] {
			if a.text == "-a" && i+2 < len(argv) {
				if text := r.fileText(argv[i+2], sc); text != "" {
					from := *sc
					from.stdin = text
					sc = &from
				}
			}
		}
		for _, word := range strings.Fields(sc.stdin) {
			inner = append(inner[:len(inner):len(inner)], arg{text: word, open: true})
		}
		if len(inner) > 0 {
			inner = append(inner[:len(inner):len(inner)], arg{text: unknownPart, open: true})
		}
	}
	if len(inner) == 0 {
		if cmd.Head == "sudo" || cmd.Head == "doas" {
			r.shellText([]arg{{text: "sh"}}, sc, depth, level)
		}
		return
	}
	if sc.listing && cmd.Head == "xargs" && !leavesUnread(inner[0].text) {
		cmd.Sweeps = true
	}
	if inner[0].open || inner[0].glob {
		r.s.Doubt("the name of a command is only known when it runs")
	}
	cmd.Wrapper = w.plain && !cmd.OpenEnded
	in := *sc
	if r.wrapperKeepsShell(cmd.Head) {
		r.simple(showArgs(inner), inner, sc, depth+1, level+1)
		return
	}
	r.simple(showArgs(inner), inner, &in, depth+1, level+1)
}

// wrapperKeepsShell is true where a cd inside takes effect outside.
func (r *reader) wrapperKeepsShell(head string) bool { return head == "command" || head == "builtin" }

// afterOptions skips a wrapper's own options.
func (r *reader) afterOptions(cmd *Command, w wrapper, rest []arg, sc *scope, depth, level int) []arg {
	for len(rest) > 0 && len(rest[0].text) > 0 && rest[0].text[0] == '-' {
		opt := rest[0].text
		rest = rest[1:]
		if opt == "--" {
			break
		}
		if cmd.Head == "command" && strings.ContainsAny(opt, "vV") {
			return nil // it only says where the program is
		}
		if text, is := splitString(cmd.Head, opt); is {
			if text == "" && len(rest) > 0 {
				text, rest = rest[0].text, rest[1:]
			}
			// What it is split into is read as env's own words once more.
			again := []arg{{text: "env"}}
			for _, word := range strings.Fields(strings.NewReplacer(`"`, "", "'", "", `\_`, " ").Replace(text)) {
				again = append(again, arg{text: word})
			}
			again = append(again, rest...)
			r.simple(showArgs(again), again, sc, depth+1, level+1)
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

// splitString is the text of env -S, also at the end of a cluster.
func splitString(head, opt string) (string, bool) {
	if head != "env" {
		return "", false
	}
	if strings.HasPrefix(opt, "--") {
		name, text, _ := strings.Cut(opt, "=")
		return text, len(name) > 3 && strings.HasPrefix("--split-string", name)
	}
	before, text, found := strings.Cut(opt, "S")
	return text, found && strings.Trim(before, "-iv0") == ""
}

// chosenDir is the directory that env and sudo start their command in.
func chosenDir(cmd *Command) (string, bool) {
	if cmd.Head != "env" && cmd.Head != "sudo" {
		return "", false
	}
	for i, a := range cmd.Args {
		switch {
		case (a == "-C" && cmd.Head == "env" || a == "-D" && cmd.Head == "sudo" || a == "--chdir") && i+1 < len(cmd.Args):
			return cmd.Args[i+1], true
		case strings.HasPrefix(a, "--chdir="):
			return a[len("--chdir="):], true
		case cmd.Head == "env" && len(a) > 2 && strings.HasPrefix(a, "-C"):
			return a[2:], true
		case !strings.HasPrefix(a, "-"):
			return "", false
		}
	}
	return "", false
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
			r.s.Doubt("the name of a command is only known when it runs")
		}
		in := *sc
		r.simple(showArgs(inner), inner, &in, depth+1, level+1)
	}
}

func findStarts(argv []arg) []string {
	var starts []string
	for i, a := range argv[1:] {
		if a.text == "-H" || a.text == "-L" || a.text == "-P" || a.text == "-D" || strings.HasPrefix(a.text, "-O") || argv[i].text == "-D" {
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

// isWrapper names the programs that start what stands in their arguments, and
// those that read commands.
func isWrapper(head string) bool {
	_, is := wrappers[head]
	return is || shells.has(head) || head == "eval" || head == "find" || head == "su" || head == "trap" || head == "alias" || head == "source" || head == "."
}
