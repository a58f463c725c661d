package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"

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
		r.s.Doubt("the command holds more commands than can be looked at")
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
		cmd.Sweeps = cmd.Sweeps || (line.listing || sc.listing && cmd.OpenEnded) && !leavesUnread(cmd.Head) && !isWrapper(cmd.Head)
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
		if i == 0 && (v.unknown || v.glob || v.braces) {
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
			l.argv = append(l.argv, arg{text: f, open: v.unknown, glob: v.glob, feeds: feeds})
		}
		if unset = unset || v.unset; !v.unset {
			for _, f := range v.fields {
				l.bare = append(l.bare, arg{text: f, open: v.unknown, glob: v.glob, feeds: feeds})
			}
		} else if v.bare != "" {
			l.bare = append(l.bare, arg{text: v.bare, open: true, glob: v.glob})
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
	seen := map[string]bool{}
	kept := s.Commands[:start]
	for _, c := range s.Commands[start:] {
		if key := c.Text + "\x00" + c.Head; !seen[key] {
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
	cmd := &Command{Text: text, Depth: depth, Head: programName(argv[0].text)}
	r.s.Commands = append(r.s.Commands, cmd)
	if _, rest, found := strings.Cut(text, " "); found {
		cmd.Alt = altText(cmd.Head, rest)
	} else {
		cmd.Alt = cmd.Head
	}
	for _, a := range argv[1:] {
		cmd.Args = append(cmd.Args, a.text)
		cmd.OpenEnded = cmd.OpenEnded || a.open
	}
	if harmlessHeads.has(cmd.Head) {
		cmd.OpenEnded = false
	}
	if runsProgramText(cmd) || sc.piped && obeysInput(cmd) {
		cmd.OpenEnded = true
	}
	if strings.ContainsRune(argv[0].text, '/') {
		if !strings.HasPrefix(argv[0].text, "/") && len(r.at.Roots) > 0 && sc.dir != path.Clean(r.at.Roots[0]) {
			cmd.Moved, cmd.OpenEnded = true, true
		}
		r.pathWord("read", value{text: argv[0].text, unknown: argv[0].open}, "", sc)
	}
	cmd.Reaching = reachingOptions(cmd)
	cmd.Network = usesNetwork(cmd)
	cmd.Sweeps = sweepsFiles(cmd)
	cmd.RunsOthers = isInterpreter(cmd.Head)
	r.s.Network = r.s.Network || cmd.Network
	r.arguments(cmd, argv, sc)
	r.programFiles(cmd, argv, sc)
	r.hardLimits(cmd, sc)
	r.follow(cmd, argv, sc)
	r.names(cmd, argv, sc, depth)
	r.called(cmd, argv, sc)
	r.unwrap(cmd, argv, sc, depth, level)
	r.programText(cmd, argv, sc)
	if text := r.fileText(argv[0], sc); text != "" && strings.Contains(argv[0].text, "/") && level < maxWrapperDepth {
		inner := *sc
		r.text([]arg{{text: text}}, &inner, depth, level)
	}
	if cmd.Head == "tee" && sc.stdin != "" {
		for _, a := range argv[1:] {
			if !strings.HasPrefix(a.text, "-") {
				r.keepFile(a.text, sc.stdin, sc)
			}
		}
	}
	return cmd
}

// programName is the name a program goes by, without directory and ".exe".
func programName(word string) string {
	if word == "" || strings.Contains(word, unknownPart) {
		return ""
	}
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// arguments notes every word that may name a file.
func (r *reader) arguments(cmd *Command, argv []arg, sc *scope) {
	writes := writers.has(cmd.Head) || cmd.Head == "sed" && hasShortOption(cmd.Args, 'i', "--in-place") ||
		cmd.Head == "perl" && hasShortOption(cmd.Args, 'i', "")
	if textHeads.has(cmd.Head) || (cmd.Head == "cd" || cmd.Head == "pushd") && sc.dir != "" {
		return // echo and printf open nothing; where cd leads, enter notes
	}
	for i, a := range argv[1:] {
		v := value{text: a.text, unknown: a.open, glob: a.glob}
		r.pathWord("read", v, cmd.Head, sc)
		if writes && !(i == 0 && cmd.Head == "tar") || i > 0 && isOutputOption(cmd.Head, argv[i].text) {
			r.pathWord("edit", v, cmd.Head, sc)
		}
		if !writes && mayWrite(cmd) && r.namesProtected(a.text) {
			r.pathWord("edit", v, cmd.Head, sc)
		}
		if option, file, joined := strings.Cut(a.text, "="); joined && isOutputOption(cmd.Head, option) {
			r.pathWord("edit", value{text: file, unknown: a.open}, cmd.Head, sc)
		}
		if isInterpreter(cmd.Head) && !a.glob {
			r.namedIn(a.text, cmd.Head, sc)
		}
	}
	if setsGitConfig(cmd) {
		r.pathWord("edit", value{text: ".git/config"}, cmd.Head, sc)
	}
	if cmd.Head == "git" && firstVerb(cmd) == "config" && slices.Contains(cmd.Args, "--global") && len(cmd.Args) > 3 && !strings.HasPrefix(cmd.Args[2], "--get") && r.at.Home != "" {
		r.s.Uses = append(r.s.Uses, Use{Domain: "edit", Word: r.at.Home + "/.gitconfig", Redirect: true, Head: cmd.Head})
	}
}

// namesProtected says that a word, or what stands behind "=" or ":" in it, reads
// like the path of a protected file. Whether it is one is asked later.
func (r *reader) namesProtected(word string) bool {
	if i := strings.LastIndexAny(word, "=:"); i >= 0 {
		word = word[i+1:]
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		word = word[2:]
	}
	return word != "" && r.at.Protected("vault:/"+strings.TrimPrefix(path.Clean("/"+word), "/"))
}

// namedIn notes the files that program text names: awk and python open what
// stands in their quotes.
func (r *reader) namedIn(text, head string, sc *scope) {
	parts := strings.FieldsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._/~+-", c)
	})
	if len(parts) < 2 {
		return // a plain word has been looked at
	}
	for _, part := range parts {
		r.pathWord("read", value{text: part}, head, sc)
	}
}

// pathWord notes a word and the parts of it that may be paths (ruling 92).
func (r *reader) pathWord(domain string, v value, head string, sc *scope) {
	if strings.HasPrefix(v.text, "/proc/") {
		v.text = procPath(v.text, sc)
	}
	if v.text == "" || strings.Contains(v.text, unknownPart) {
		return
	}
	if domain == "edit" && isBlockDevice(r.resolve(v.text, sc)) && head != "cp" && head != "dd" {
		r.block("writing to the block device " + v.text)
	}
	add := func(word string) {
		if word == "" || word == "." && head != "" && domain == "read" && readsDirectories.has(head) {
			return
		}
		if strings.HasPrefix(word, "~/") && r.at.Home != "" {
			word = r.at.Home + word[1:]
		} else if len(word) > 1 && word[0] == '~' && word[1] != '/' {
			r.s.Doubt("the command names the home directory of a user")
		}
		r.s.Uses = append(r.s.Uses, Use{Domain: domain, Word: word, Glob: v.glob, Writer: domain == "edit", Head: head})
	}
	text := v.text
	if !strings.HasPrefix(text, "-") {
		add(text)
	} else if len(text) > 2 && text[1] != '-' && (domain == "read" || strings.ContainsAny(text, "./")) {
		add(text[2:]) // -I/usr/include, -f.env
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
