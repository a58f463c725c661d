package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// startsPrograms are programs whose arguments or input may contain commands in a
// language of their own. Such text is searched for hard limits only: whether the
// program may run is a question of its own name.
var startsPrograms = words(`python perl ruby node nodejs php lua awk gawk mawk nawk sed gsed fish pwsh powershell tcsh csh elvish nu xonsh tclsh expect osascript
	vim vi nvim view ex ed emacs nano less more man make gmake tar bsdtar rsync zip split sort at batch crontab tmux screen xterm gdb lldb sqlite3 psql mysql
	socat nc ncat ssh scp sftp npm npx pnpm yarn bun deno cmd cmd.exe just task entr fd fzf find xargs parallel watch go cargo hyperfine nodemon concurrently watchexec capsh docker-compose bat mapfile readarray bash sh`)

// shellStarters are words in program text that start other programs. A program
// without one of them only holds text.
var shellStarters = lazy.Regexp(`system|popen|exec|spawn|subprocess|shell|call|run\b|Process|rmtree|` + "`")

// programText looks for hard limits in text that a program would run.
func (r *reader) programText(cmd *Command, argv []arg, sc *scope) {
	name := strings.TrimRight(cmd.Head, "0123456789.")
	git := cmd.Head == "git" && gitRuns(cmd)
	if !r.probing && !namesNoProgram(cmd) {
		// gosu root rm -rf /: a program that nobody knows may start what stands
		// behind its own words.
		for i, a := range argv[1:] {
			if _, hard := hardHeads[programName(a.Parts)]; hard && i+1 < len(argv)-1 {
				r.probeLine(showArgs(argv[1+i:]), false, sc)
				break
			}
		}
	}
	if r.probing || !git && !startsPrograms.has(name) && !startsPrograms.has(cmd.Head) && len(cmd.Reaching) == 0 || harmlessHeads.has(cmd.Known) || cmd.Known == "grep" {
		return
	}
	var texts []Parts
	for _, a := range argv[1:] {
		if a.length() > 4 {
			texts = append(texts, a.Parts)
		}
	}
	if sc.piped && len(sc.stdin) > 0 && obeysInput(cmd) {
		texts = append(texts, sc.stdin)
	}
	for i, t := range texts {
		if i < maxDirs {
			r.probe(t, isInterpreter(cmd.Head) || startsPrograms.has(name), sc)
		}
	}
	if verb := firstVerb(cmd); cmd.Head == "cmd" || cmd.Head == "ssh" || git && (verb == "bisect" || verb == "submodule") {
		r.probeLine(showArgs(startedBy(cmd, argv)), true, sc)
	}
}

// namesNoProgram says that words like "rm" among the arguments are no program:
// text, patterns, names, or the business of another machine.
func namesNoProgram(cmd *Command) bool {
	return harmlessHeads.has(cmd.Known) || onlyReads.has(cmd.Known) && cmd.Head != "find" || writers.has(cmd.Head) || shells.has(cmd.Head) || isInterpreter(cmd.Head) && !isWrapper(cmd.Head) ||
		ownWords.has(cmd.Head)
}

// ownWords are programs whose arguments are names, patterns and verbs of their
// own.
var ownWords = words(`git gh hg svn man info apropos whatis whereis type hash complete docker podman kubectl apt apt-get dnf yum brew pip pip3 go cargo
	pytest logger notify-send systemctl service pgrep pkill killall`)

// startedBy is what is behind the words of the program itself: ssh host …,
// git bisect run …, git submodule foreach …, cmd /c ….
func startedBy(cmd *Command, argv []arg) []arg {
	i := slices.IndexFunc(argv, func(a arg) bool {
		return a.in("run foreach") || strings.EqualFold(strings.TrimLeft(a.filled(""), "/"), "c")
	})
	if cmd.Head == "ssh" {
		for i = 1; i < len(argv) && argv[i].begins("-"); i++ {
			if option, _ := argv[i].Text(); len(option) == 2 && strings.Contains("bcDEeFIiJLlmOopQRSWw", option[1:]) {
				i++
			}
		}
	}
	if i < 0 {
		return nil
	}
	for i++; i < len(argv) && argv[i].begins("-"); i++ {
	}
	return argv[min(i, len(argv)):]
}

// probe looks at a text, at what is behind "=", "!" and ":" in it, and at
// what it has in quotes.
func (r *reader) probe(p Parts, program bool, sc *scope) {
	text := p.filled("_")
	if len(text) > MaxChars {
		return
	}
	r.probeLine(text, false, sc)
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		r.probeLine(text[2:], false, sc)
	}
	if i := strings.IndexAny(text, "=!:%"); i >= 0 {
		r.probeLine(text[i+1:], false, sc)
	}
	if _, after, ok := strings.Cut(text, "!"); ok {
		r.probeLine(after, true, sc)
	}
	if _, after, ok := strings.Cut(text, "exec="); ok {
		r.probeLine(after, true, sc)
	}
	for line := range strings.Lines(text) {
		// 1e rm -rf / in sed, "shell rm -rf /" in gdb, "* * * * * rm -rf /" in crontab
		fields := strings.Fields(line)
		for i := 1; i < min(len(fields), 8); i++ {
			if strings.HasPrefix(fields[i], "rm") || strings.Contains(fields[i], "/rm") {
				r.probeLine(strings.Join(fields[i:], " "), false, sc)
			}
		}
	}
	if !program || !shellStarters().MatchString(text) && !awkRuns().MatchString(text) {
		return
	}
	var all []string
	for _, m := range quotedText().FindAllStringSubmatch(text, 64) {
		inner := unescape(m[1]+m[2]+m[3], `"'\`)
		r.probeLine(inner, true, sc)
		all = append(all, inner)
	}
	for i := range min(len(all), 8) {
		r.probeLine(strings.Join(all[i:], " "), true, sc)
	}
	if strings.Contains(text, "rmtree") && slices.ContainsFunc(all, func(s string) bool { return r.at.isRoot(known(s), sc, true) }) {
		r.m.block("removing / or the home directory")
	}
}

// probeLine reads a text as shell into a script of its own, of which only a hard
// limit counts. Where the text is not sure to be a command, a lone word like
// "reboot" is the name of a test, a page or a target.
func (r *reader) probeLine(text string, sure bool, sc *scope) {
	if !mayBeHard().MatchString(text) || r.s.probes > maxTries {
		return
	}
	r.s.probes++
	trial := &Script{}
	p := newReader(trial, r.at, newMemory(trial, r.at))
	p.probing = true
	inner := *sc
	inner.stdin, inner.piped = nil, false
	p.source(text, &inner, 0)
	if trial.Invalid != "" {
		r.s.Invalid = trial.Invalid
	}
	if trial.HardLimit != "" && (sure || !lonePrograms.has(trial.HardLimit)) {
		r.m.block(trial.HardLimit)
	}
}

// lonePrograms hit a hard limit without any argument.
var lonePrograms = words("shutdown reboot halt poweroff")

// gitRuns says that a git command runs what its arguments say.
func gitRuns(cmd *Command) bool {
	if len(cmd.Reaching) > 0 || setsGitConfig(cmd) {
		return true
	}
	switch firstVerb(cmd) {
	case "bisect", "rebase", "submodule", "filter-branch", "difftool", "mergetool", "hook", "config":
		return true
	}
	return slices.ContainsFunc(cmd.likely, func(a string) bool { return strings.HasPrefix(a, "-c") })
}
