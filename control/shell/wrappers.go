package shell

import (
	"strings"
)

// wrapper describes a program that starts the program named in its arguments,
// so that what it starts is judged.
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

// program says which of its arguments a program runs as text of a shell, and what that
// changes.
type program struct {
	text       textOf
	doubt      bool // it changes what later commands do
	bare       bool // but not without any words
	positional bool // its words become $1 and so on
}

// textOf is where text of a shell stands among arguments.
type textOf int

const (
	nowhere       textOf = iota
	anyWord              // words are joined and given to a shell
	firstWord            // trap 'text' EXIT
	behindEquals         // alias x=text
	behindC              // complete -C text
	behindLastC          // mapfile -tC text
	behindCommand        // su -c text, --command=text
	behindExec           // find -exec words ;
	allWords             // eval
	inFile               // source
)

var programs = map[string]program{
	"flock": {text: behindCommand}, "su": {text: behindCommand}, "runuser": {text: behindCommand},
	"script": {text: behindCommand}, "sg": {text: behindCommand}, "newgrp": {text: behindCommand},

	"watch": {text: anyWord}, "parallel": {text: anyWord}, "sem": {text: anyWord}, "screen": {text: anyWord},
	"sudo": {text: anyWord}, "ssh": {text: anyWord}, "entr": {text: anyWord},

	"find": {text: behindExec}, "fd": {text: behindExec}, "fdfind": {text: behindExec},
	"eval":   {text: allWords},
	"source": {text: inFile}, ".": {text: inFile},
	"trap":     {text: firstWord, doubt: true},
	"alias":    {text: behindEquals, doubt: true},
	"fc":       {text: behindC, doubt: true},
	"set":      {text: behindC, doubt: true, bare: true, positional: true},
	"shopt":    {text: behindC, doubt: true, bare: true},
	"let":      {text: behindC, doubt: true, bare: true},
	"enable":   {text: behindC, doubt: true, bare: true},
	"hash":     {text: behindC, doubt: true, bare: true},
	"bind":     {text: behindC, doubt: true, bare: true},
	"unalias":  {text: behindC, doubt: true, bare: true},
	"complete": {text: behindC, doubt: true, bare: true}, "compgen": {text: behindC, doubt: true, bare: true},
	"mapfile": {text: behindLastC}, "readarray": {text: behindLastC},
}

// among are the words of a command line that are such texts, each by itself.
func (t textOf) among(argv []arg) (texts []arg) {
	for i, a := range argv[1:] {
		next := argv[min(i+2, len(argv)):] // the words behind this one
		switch {
		case t == anyWord && a.holds(" \t\n;&|") && !a.holds("="):
			texts = append(texts, a)
		case t == firstWord && !a.is("--"):
			return []arg{a}
		case t == behindEquals:
			if _, body, ok := a.cut("="); ok {
				texts = append(texts, arg{Parts: body, likely: a.likely})
			}
		case len(next) > 0 && (t == behindC && a.is("-C") || t == behindLastC && a.begins("-") && strings.HasSuffix(a.filled(""), "C")):
			texts = append(texts, next[0])
		}
	}
	return texts
}

// positionals are the words that become $1 and so on: those behind the options.
func positionals(argv []arg) (given []arg, is bool) {
	for i, a := range argv[1:] {
		if a.is("--") {
			return argv[2+i:], true
		}
		if !a.begins("-") && !a.begins("+") {
			return argv[1+i:], true
		}
	}
	return nil, false
}

// takesValue says whether the option's value is the next word: the last letter
// of a cluster takes one, and only when nothing follows it.
func takesValue(p Parts, w wrapper) bool {
	if p[len(p)-1].open {
		return false // that is its value
	}
	opt := p.filled("")
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
func splitString(head string, opt Parts) (Parts, bool) {
	if head != "env" {
		return nil, false
	}
	if opt.begins("--") {
		option, text, _ := opt.cut("=")
		name := option.filled("")
		return text, len(name) > 3 && strings.HasPrefix("--split-string", name)
	}
	before, text, found := opt.cut("S")
	return text, found && strings.Trim(before.filled(""), "-iv0") == ""
}

// chosenDir is the directory that env and sudo start their command in.
func chosenDir(cmd *Command) (Parts, bool) {
	if cmd.Head != "env" && cmd.Head != "sudo" {
		return nil, false
	}
	for i, a := range cmd.Args {
		switch {
		case (a.is("-C") && cmd.Head == "env" || a.is("-D") && cmd.Head == "sudo" || a.is("--chdir")) && i+1 < len(cmd.Args):
			return cmd.Args[i+1], true
		case a.begins("--chdir="), cmd.Head == "env" && a.begins("-C"):
			_, dir, _ := a.cut("=C")
			return dir, true
		case !a.begins("-"):
			return nil, false
		}
	}
	return nil, false
}

// isWrapper names the programs that start what is in their arguments, and
// those that read commands.
func isWrapper(head string) bool {
	_, is := wrappers[head]
	return is || shells.has(head) || head == "eval" || head == "find" || head == "su" || head == "trap" || head == "alias" || head == "source" || head == "."
}

// Wraps says that the command starts what is in its arguments, or reads
// commands.
func (c *Command) Wraps() bool { return isWrapper(c.Head) }
