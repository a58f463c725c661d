package control

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
	if len(r.s.commands) >= maxCommands {
		r.s.doubt("the command holds more commands than can be looked at")
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
	start := len(r.s.commands)
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
		cmd.sweeps = cmd.sweeps || (line.listing || sc.listing && cmd.openEnded) && !leavesUnread(cmd.head) && !isWrapper(cmd.head)
		if len(c.Assigns) > 0 {
			cmd.alt = altText(cmd.head, strings.Join(line.shown[1:], " "))
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
			r.s.doubt("the name of a command is only known when it runs")
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
func (s *script) forgetTwins(start int) {
	if len(s.commands)-start < 2 {
		return
	}
	seen := map[string]bool{}
	kept := s.commands[:start]
	for _, c := range s.commands[start:] {
		if key := c.text + "\x00" + c.head; !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	s.commands = kept
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
func (r *reader) simple(text string, argv []arg, sc *scope, depth, level int) *command {
	cmd := &command{text: text, depth: depth, head: programName(argv[0].text)}
	r.s.commands = append(r.s.commands, cmd)
	if _, rest, found := strings.Cut(text, " "); found {
		cmd.alt = altText(cmd.head, rest)
	} else {
		cmd.alt = cmd.head
	}
	for _, a := range argv[1:] {
		cmd.args = append(cmd.args, a.text)
		cmd.openEnded = cmd.openEnded || a.open
	}
	if harmlessHeads[cmd.head] {
		cmd.openEnded = false
	}
	if runsProgramText(cmd) || sc.piped && obeysInput(cmd) {
		cmd.openEnded = true
	}
	if strings.ContainsRune(argv[0].text, '/') {
		if !strings.HasPrefix(argv[0].text, "/") && len(r.roots) > 0 && sc.dir != path.Clean(r.roots[0]) {
			cmd.moved, cmd.openEnded = true, true
		}
		r.pathWord("read", value{text: argv[0].text, unknown: argv[0].open}, "", sc)
	}
	cmd.reaching = reachingOptions(cmd)
	cmd.network = usesNetwork(cmd)
	cmd.sweeps = sweepsFiles(cmd)
	cmd.runsOthers = isInterpreter(cmd.head)
	r.s.network = r.s.network || cmd.network
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
	if cmd.head == "tee" && sc.stdin != "" {
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
func (r *reader) arguments(cmd *command, argv []arg, sc *scope) {
	writes := writers[cmd.head] || cmd.head == "sed" && hasShortOption(cmd.args, 'i', "--in-place") ||
		cmd.head == "perl" && hasShortOption(cmd.args, 'i', "")
	if textHeads[cmd.head] || (cmd.head == "cd" || cmd.head == "pushd") && sc.dir != "" {
		return // echo and printf open nothing; where cd leads, enter notes
	}
	for i, a := range argv[1:] {
		v := value{text: a.text, unknown: a.open, glob: a.glob}
		r.pathWord("read", v, cmd.head, sc)
		if writes && !(i == 0 && cmd.head == "tar") || i > 0 && isOutputOption(cmd.head, argv[i].text) {
			r.pathWord("edit", v, cmd.head, sc)
		}
		if !writes && mayWrite(cmd) && namesProtected(a.text) {
			r.pathWord("edit", v, cmd.head, sc)
		}
		if option, file, joined := strings.Cut(a.text, "="); joined && isOutputOption(cmd.head, option) {
			r.pathWord("edit", value{text: file, unknown: a.open}, cmd.head, sc)
		}
		if isInterpreter(cmd.head) && !a.glob {
			r.namedIn(a.text, cmd.head, sc)
		}
	}
	if setsGitConfig(cmd) {
		r.pathWord("edit", value{text: ".git/config"}, cmd.head, sc)
	}
	if cmd.head == "git" && firstVerb(cmd) == "config" && slices.Contains(cmd.args, "--global") && len(cmd.args) > 3 && !strings.HasPrefix(cmd.args[2], "--get") && r.userHome != "" {
		r.s.uses = append(r.s.uses, pathUse{domain: "edit", word: r.userHome + "/.gitconfig", redirect: true, head: cmd.head})
	}
}

// namesProtected says that a word, or what stands behind "=" or ":" in it, reads
// like the path of a protected file. Whether it is one is asked later.
func namesProtected(word string) bool {
	if i := strings.LastIndexAny(word, "=:"); i >= 0 {
		word = word[i+1:]
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		word = word[2:]
	}
	return word != "" && IsProtected("vault:/"+strings.TrimPrefix(path.Clean("/"+word), "/"))
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
		if word == "" || word == "." && head != "" && domain == "read" && readsDirectories[head] {
			return
		}
		if strings.HasPrefix(word, "~/") && r.userHome != "" {
			word = r.userHome + word[1:]
		} else if len(word) > 1 && word[0] == '~' && word[1] != '/' {
			r.s.doubt("the command names the home directory of a user")
		}
		r.s.uses = append(r.s.uses, pathUse{domain: domain, word: word, glob: v.glob, writer: domain == "edit", head: head})
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
