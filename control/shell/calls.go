package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// call reads one simple command of the syntax tree.
func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect, sc *scope, depth int) {
	if r.seen[c] {
		return
	}
	r.seen[c] = true
	outer := sc.maybe
	sc.maybe = outer || len(c.Args) > 0 // then it is set for this command only
	for _, a := range c.Assigns {
		r.assign(a, sc, depth, false)
	}
	sc.maybe = outer
	if len(c.Args) == 0 {
		return
	}
	if len(r.s.Commands) >= maxCommands {
		r.s.Doubt("the command contains more commands than can be checked")
		return
	}
	for _, w := range c.Args {
		r.substitutions(w, sc, depth)
	}
	inner := *sc
	inner.piped = inner.piped || feedsInput(redirs)
	if text, ok := r.fed(redirs, sc); ok {
		inner.stdin = text
	}
	var shown []string
	for _, a := range c.Assigns {
		shown = append(shown, a.Name.Value+"="+r.rawAssign(a))
	}
	start := len(r.s.Commands)
	r.worlds(c.Args, func(first bool) {
		line := r.line(c, sc)
		if !first {
			again := *sc
			again.stdin, again.piped = inner.stdin, inner.piped
			r.simple(strings.Join(append(shown[:len(c.Assigns):len(c.Assigns)], line.shown...), " "), line.argv, &again, depth, r.level)
			if !slices.Contains(inner.other, again.dir) && len(inner.other) < maxDirs {
				inner.other = append(inner.other, again.dir)
			}
			return
		}
		shown = append(shown, line.shown...)
		cmd := r.simple(strings.Join(shown, " "), line.argv, &inner, depth, r.level)
		if (line.listing || sc.listing && cmd.OpenEnded) && !namesOnly.has(cmd.Known) && !isWrapper(cmd.Known) {
			cmd.Sweeps, cmd.Search = true, nil
		}
		if len(c.Assigns) > 0 {
			cmd.Alt = altText(cmd.Head, strings.Join(line.shown[1:], " "))
		}
		if line.bare != nil {
			again := *sc
			r.simple(strings.Join(shown, " "), line.bare, &again, depth, r.level)
		}
	})
	r.s.forgetTwins(start)
	sc.dir, sc.other = inner.dir, inner.other
}

// line is a command line with one combination of values.
type line struct {
	shown   []string
	argv    []arg
	listing bool  // words come from a list of files
	bare    []arg // without variables that nothing sets, nil where there are none
}

func (r *reader) line(c *syntax.CallExpr, sc *scope) line {
	var l line
	unset := false
	for i, w := range c.Args {
		v := r.value(w, sc)
		if i == 0 && (v.unknown || v.wild() || v.braces) {
			r.s.Doubt("the name of a command is only known when it runs")
		}
		l.shown = append(l.shown, r.show(w, v))
		feeds, _ := r.substituted(w, sc)
		for _, p := range w.Parts {
			if c, ok := p.(*syntax.CmdSubst); ok && len(c.Stmts) > 0 && r.listsFiles(c.Stmts[len(c.Stmts)-1], sc) {
				l.listing = true
			}
		}
		for _, f := range v.fields {
			l.argv = append(l.argv, arg{Parts: f, likely: v.unknown, feeds: feeds})
		}
		if unset = unset || v.unset; !v.unset {
			for _, f := range v.fields {
				l.bare = append(l.bare, arg{Parts: f, likely: v.unknown, feeds: feeds})
			}
		} else if !v.bare.is("") {
			l.bare = append(l.bare, arg{Parts: v.bare, likely: true})
		}
	}
	if !unset || len(l.bare) == 0 {
		l.bare = nil
	}
	return l
}

// forgetTwins drops commands from start on that are there twice: the same line
// with other values.
func (s *Script) forgetTwins(start int) {
	if len(s.Commands)-start < 2 {
		return
	}
	seen := map[[2]string]bool{}
	kept := s.Commands[:start]
	for _, c := range s.Commands[start:] {
		if key := [2]string{c.Text, c.Head}; !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	s.Commands = kept
}

func (r *reader) rawAssign(a *syntax.Assign) string {
	if a.Value == nil {
		return ""
	}
	return r.raw(a.Value)
}

// altText is the second text of a command: its program without a directory.
func altText(head, rest string) string { return strings.TrimSpace(head + " " + rest) }

// simple judges one command line, wherever it came from: the script itself, a
// wrapper, find -exec. level counts the wrappers around it.
func (r *reader) simple(text string, argv []arg, sc *scope, depth, level int) *Command {
	cmd := &Command{Text: text, Depth: depth, Head: programName(argv[0].Parts), Known: r.known(argv[0].Parts)}
	cmd.byPath = !argv[0].is(cmd.Head)
	r.s.Commands = append(r.s.Commands, cmd)
	if _, rest, found := strings.Cut(text, " "); found {
		cmd.Alt = altText(cmd.Head, rest)
	} else {
		cmd.Alt = cmd.Head
	}
	for _, a := range argv[1:] {
		cmd.Args = append(cmd.Args, a.Parts)
		cmd.OpenEnded = cmd.OpenEnded || a.unsure()
	}
	cmd.likely = guesses(cmd.Args)
	if harmlessHeads.has(cmd.Known) {
		cmd.OpenEnded = false
	}
	if runsProgramText(cmd) || sc.piped && obeysInput(cmd) {
		cmd.OpenEnded = true
	}
	if !cmd.byPath && r.planted(cmd.Head) {
		cmd.Known, cmd.Moved, cmd.OpenEnded = "", true, true
	}
	if argv[0].holds("/") && cmd.Known == "" {
		if !argv[0].begins("/") && len(r.at.Roots) > 0 && sc.dir != path.Clean(r.at.Roots[0]) {
			cmd.Moved, cmd.OpenEnded = true, true
		}
		r.pathWord("read", argv[0].Parts, "", sc)
	}
	r.noteRan(cmd, argv[0].Parts, sc)
	cmd.Reaching = reachingOptions(cmd)
	cmd.Unlisted = unlisted(cmd)
	cmd.Network, cmd.Git = usesNetwork(cmd), changesRepository(cmd)
	if cmd.Sweeps = sweepsFiles(cmd); cmd.Sweeps {
		cmd.Search = searched(cmd, argv[1:])
	}
	cmd.Prints = gitPrints(cmd)
	cmd.RunsOthers = isInterpreter(cmd.Head)
	r.s.Network, r.s.Git = r.s.Network || cmd.Network, r.s.Git || cmd.Git
	r.arguments(cmd, argv, sc)
	r.programFiles(cmd, argv, sc)
	r.hardLimits(cmd, sc)
	r.follow(cmd, argv, sc)
	r.names(cmd, argv, sc, depth)
	r.called(cmd, argv, sc)
	r.unwrap(cmd, argv, sc, depth, level)
	r.programText(cmd, argv, sc)
	if text := r.fileText(argv[0], sc); len(text) > 0 && argv[0].holds("/") && level < maxWrapperDepth {
		inner := *sc
		r.text([]arg{{Parts: text}}, &inner, depth, level)
	}
	if cmd.Head == "tee" && len(sc.stdin) > 0 {
		for _, a := range argv[1:] {
			if !a.begins("-") {
				r.keepFile(a.Parts, sc.stdin, sc)
			}
		}
	}
	return cmd
}

// programName is the name a program goes by, without directory and ".exe"; "" where it
// is not known.
func programName(p Parts) string {
	word, ok := p.Text()
	if !ok || word == "" {
		return ""
	}
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// known is the name of a program for the lists of what is harmless. A word with a
// directory is the program of that name only where PATH finds just that file.
func (r *reader) known(p Parts) string {
	name := programName(p)
	if word, _ := p.Text(); name == word || path.IsAbs(word) && r.at.Program != nil && r.at.Program(word) {
		return name
	}
	return ""
}

// ofBash are programs of the lists that bash has itself, so that it looks in no PATH.
var ofBash = words("echo printf test [ pwd cd true false : type")

// planted says that a program may be another one here than the name says: one that is
// known to be harmless, or that is in front of another in PATH.
func (r *reader) planted(name string) bool {
	if r.at.Planted == nil || ofBash.has(name) {
		return false
	}
	planted, shadows := r.at.Planted(name)
	_, starts := wrappers[name]
	return planted && (shadows || starts || readersListed.has(name) || harmlessHeads.has(name))
}

// arguments notes every word that may name a file.
func (r *reader) arguments(cmd *Command, argv []arg, sc *scope) {
	writes := writers.has(cmd.Head) || cmd.Head == "sed" && hasShortOption(cmd.likely, 'i', "--in-place") ||
		cmd.Head == "perl" && hasShortOption(cmd.likely, 'i', "")
	if textHeads.has(cmd.Known) || (cmd.Known == "cd" || cmd.Known == "pushd") && sc.dir != "" {
		return // echo and printf open nothing; where cd leads, enter notes
	}
	_, starts := wrappers[cmd.Known]
	for i, a := range argv[1:] {
		if starts && a.holds("/") && r.known(a.Parts) != "" {
			continue // a program to start, and not its file to read
		}
		r.pathWord("read", a.Parts, cmd.Known, sc)
		if writes && !(i == 0 && cmd.Head == "tar") || i > 0 && isOutputOption(cmd.Head, argv[i].filled("")) {
			r.pathWord("edit", a.Parts, cmd.Head, sc)
		}
		if text, ok := a.Text(); ok && !writes && mayWrite(cmd) && r.namesProtected(text, sc) {
			r.pathWord("edit", a.Parts, cmd.Head, sc)
		}
		if option, file, joined := a.cut("="); joined && isOutputOption(cmd.Head, option.filled("")) {
			r.pathWord("edit", file, cmd.Head, sc)
		}
		if isInterpreter(cmd.Head) && !a.wild() {
			r.namedIn(a.filled(" "), cmd.Head, sc)
		}
	}
	r.made(cmd, sc)
	if cmd.Head == "ln" && len(argv) > 2 {
		r.linkTargets(argv[1:], sc)
	}
	if setsGitConfig(cmd) {
		r.pathWord("edit", known(".git/config"), cmd.Head, sc)
	}
	if cmd.Head == "git" && firstVerb(cmd) == "config" && slices.Contains(cmd.likely, "--global") && len(cmd.Args) > 3 && !cmd.Args[2].begins("--get") && r.at.Home != "" {
		r.use(Use{Domain: "edit", Word: r.at.Home + "/.gitconfig", Redirect: true, Head: cmd.Head})
	}
}

// use notes a word that may name a file.
func (r *reader) use(u Use) {
	if !utf8.ValidString(u.Word) {
		r.s.Doubt("the command names a file whose name is not text")
	}
	r.s.Uses = append(r.s.Uses, u)
}

// linkTargets notes what links lead to: that is seen from where the link is.
func (r *reader) linkTargets(words []arg, sc *scope) {
	last, ok := words[len(words)-1].Text()
	if !ok {
		return
	}
	for _, a := range words[:len(words)-1] {
		to, ok := a.Text()
		if !ok || path.IsAbs(to) || strings.HasPrefix(to, "-") {
			continue
		}
		if r.place(last, sc).Dir {
			r.pathWord("edit", known(Below(last, to)), "ln", sc)
		}
		from := Below(dirname(last), to)
		if !r.place(dirname(last), sc).Dir {
			from = path.Clean(from) // there will be a directory, or no link
		}
		r.pathWord("edit", known(from), "ln", sc)
	}
}

// namesProtected says that a word, or what stands behind "=" or ":" in it, reads
// like the path of a protected file. Whether it is one is asked later.
func (r *reader) namesProtected(word string, sc *scope) bool {
	if i := strings.LastIndexAny(word, "=:"); i >= 0 {
		word = word[i+1:]
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		word = word[2:]
	}
	return word != "" && slices.ContainsFunc(append(r.place(word, sc).Paths, path.Clean("/"+word)), func(p string) bool { return r.at.Protected("vault:" + p) })
}

// namedIn notes the files that program text names: awk and python open what
// stands in their quotes.
func (r *reader) namedIn(text, head string, sc *scope) {
	between := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._/~+-", c)
	}
	parts := strings.FieldsFunc(text, between)
	if strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf && between(c) }) {
		// Names may hold such characters, too.
		parts = append(parts, strings.FieldsFunc(text, func(c rune) bool { return c < utf8.RuneSelf && between(c) })...)
	}
	if len(parts) < 2 {
		return // a plain word has been looked at
	}
	for _, part := range parts {
		r.pathWord("read", known(part), head, sc)
	}
}

// pathWord notes a word and the parts of it that may be paths.
func (r *reader) pathWord(domain string, p Parts, head string, sc *scope) {
	text, ok := ownProcess(p).Text()
	if !ok || text == "" {
		return
	}
	if p.wild() {
		text = p.pattern()
	}
	r.named(domain, text, p.wild(), head, sc)
	if likely := procPath(text, sc); strings.HasPrefix(text, "/proc/") && likely != text {
		r.named(domain, likely, p.wild(), head, sc)
	}
}

// atHome is what a word means that begins with the home directory. Behind "=" and ":" bash
// expands it in arguments, too.
func atHome(home, word string) (path string, is bool) {
	if home == "" || !strings.HasPrefix(word+"/", "~/") {
		return "", false
	}
	return home + word[1:], true
}

// named notes a path, or a pattern for paths, and the parts of it that may be paths.
func (r *reader) named(domain, text string, wild bool, head string, sc *scope) {
	if domain == "edit" && r.isDevice(text, sc) && head != "cp" && head != "dd" {
		r.block("writing to the block device " + text)
	}
	add := func(word string) {
		if word == "" || word == "." && head != "" && domain == "read" && readsDirectories.has(head) {
			return
		}
		if at, is := atHome(r.at.Home, word); is {
			word = at
		} else if len(word) > 1 && word[0] == '~' && word[1] != '/' {
			r.s.Doubt("the command names the home directory of a user")
		}
		r.use(Use{Domain: domain, Word: word, Glob: wild, Writer: domain == "edit", Head: head})
	}
	if !strings.HasPrefix(text, "-") {
		add(text)
	} else if len(text) > 2 && text[1] != '-' && (domain == "read" || strings.ContainsAny(text, "./")) {
		add(text[1+runeLen(text[1:]):]) // -I/usr/include, -f.env
	}
	if strings.ContainsAny(text, "=@,:") {
		for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("=@,:", c) }) {
			if part != text {
				add(part)
			}
		}
		if i := strings.IndexByte(text, '='); i >= 0 && i+1 < len(text) {
			add(text[i+1:])
		}
		if i := strings.IndexByte(text, '@'); i >= 0 && i+1 < len(text) {
			add(text[i+1:])
		}
	}
}
