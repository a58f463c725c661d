package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// uses notes the words that may name files.
type uses struct {
	s  *Script
	at *Place
	m  *memory
}

// arguments notes every word that may name a file.
func (u *uses) arguments(cmd *Command, argv []arg, sc *scope) {
	writes := writers.has(cmd.Head) || cmd.Head == "sed" && hasShortOption(cmd.likely, 'i', "--in-place") ||
		cmd.Head == "perl" && hasShortOption(cmd.likely, 'i', "")
	if textHeads.has(cmd.Known) || (cmd.Known == "cd" || cmd.Known == "pushd") && sc.dir != "" {
		return // echo and printf open nothing; where cd leads, enter notes
	}
	_, starts := wrappers[cmd.Known]
	for i, a := range argv[1:] {
		if starts && a.holds("/") && u.at.known(a.Parts) != "" {
			continue // a program to start, and not its file to read
		}
		u.pathWord("read", a.Parts, cmd.Known, sc)
		if writes && !(i == 0 && cmd.Head == "tar") || i > 0 && isOutputOption(cmd.Head, argv[i].filled("")) {
			u.pathWord("edit", a.Parts, cmd.Head, sc)
		}
		if text, ok := a.Text(); ok && !writes && mayWrite(cmd) && u.at.namesProtected(text, sc) {
			u.pathWord("edit", a.Parts, cmd.Head, sc)
		}
		if option, file, joined := a.cut("="); joined && isOutputOption(cmd.Head, option.filled("")) {
			u.pathWord("edit", file, cmd.Head, sc)
		}
		if isInterpreter(cmd.Head) && !a.wild() {
			u.namedIn(a.filled(" "), cmd.Head, sc)
		}
	}
	u.made(cmd, sc)
	if cmd.Head == "ln" && len(argv) > 2 {
		u.linkTargets(argv[1:], sc)
	}
	if setsGitConfig(cmd) {
		u.pathWord("edit", known(".git/config"), cmd.Head, sc)
	}
	if cmd.Head == "git" && firstVerb(cmd) == "config" && slices.Contains(cmd.likely, "--global") && len(cmd.Args) > 3 && !cmd.Args[2].begins("--get") && u.at.Home != "" {
		u.s.use(Use{Domain: "edit", Word: u.at.Home + "/.gitconfig", Redirect: true, Head: cmd.Head})
	}
}

// linkTargets notes what links lead to: that is seen from where the link is.
func (u *uses) linkTargets(words []arg, sc *scope) {
	last, ok := words[len(words)-1].Text()
	if !ok {
		return
	}
	for _, a := range words[:len(words)-1] {
		to, ok := a.Text()
		if !ok || path.IsAbs(to) || strings.HasPrefix(to, "-") {
			continue
		}
		if u.at.place(last, sc).Dir {
			u.pathWord("edit", known(paths.Below(last, to)), "ln", sc)
		}
		from := paths.Below(paths.Dirname(last), to)
		if !u.at.place(paths.Dirname(last), sc).Dir {
			from = path.Clean(from) // there will be a directory, or no link
		}
		u.pathWord("edit", known(from), "ln", sc)
	}
}

// namedIn notes the files that program text names: awk and python open what
// is in their quotes.
func (u *uses) namedIn(text, head string, sc *scope) {
	between := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._/~+-", c)
	}
	parts := strings.FieldsFunc(text, between)
	if strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf && between(c) }) {
		// Names may contain such characters, too.
		parts = append(parts, strings.FieldsFunc(text, func(c rune) bool { return c < utf8.RuneSelf && between(c) })...)
	}
	if len(parts) < 2 {
		return // a plain word has been looked at
	}
	for _, part := range parts {
		u.pathWord("read", known(part), head, sc)
	}
}

// pathWord notes a word and the parts of it that may be paths.
func (u *uses) pathWord(domain string, p Parts, head string, sc *scope) {
	text, ok := ownProcess(p).Text()
	if !ok || text == "" {
		return
	}
	if p.wild() {
		text = p.pattern()
	}
	u.named(domain, text, p.wild(), head, sc)
	if likely := procPath(text, sc); strings.HasPrefix(text, "/proc/") && likely != text {
		u.named(domain, likely, p.wild(), head, sc)
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
func (u *uses) named(domain, text string, wild bool, head string, sc *scope) {
	if domain == "edit" && u.at.isDevice(text, sc) && head != "cp" && head != "dd" {
		u.m.block("writing to the block device " + text)
	}
	add := func(word string) {
		if word == "" || word == "." && head != "" && domain == "read" && readsDirectories.has(head) {
			return
		}
		if at, is := atHome(u.at.Home, word); is {
			word = at
		} else if len(word) > 1 && word[0] == '~' && word[1] != '/' {
			u.s.AddUncertain(said.That("the command names the home directory of a user"))
		}
		u.s.use(Use{Domain: domain, Word: word, Glob: wild, Writer: domain == "edit", Head: head})
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

// written notes the files that sed and awk programs write. The names are in
// the program text: w file, s/a/b/w file, print > "file".
var (
	sedWrites = lazy.Regexp(`(?:^|[;{}\n0-9$/!,|])\s*[0-9gpiImM]*[wW]\s*([^\s;}]+)`)
	sedReads  = lazy.Regexp(`(?:^|[;{}\n0-9$/!,])\s*[rR]\s*([^\s;}]+)`)
)

func (u *uses) programFiles(cmd *Command, argv []arg, sc *scope) {
	switch cmd.Head {
	case "sed", "gsed":
		for _, a := range argv[1:] {
			for _, m := range sedWrites().FindAllStringSubmatch(a.filled(" "), maxDirs) {
				u.pathWord("edit", known(m[1]), cmd.Head, sc)
			}
			for _, m := range sedReads().FindAllStringSubmatch(a.filled(" "), maxDirs) {
				u.pathWord("read", known(m[1]), cmd.Head, sc)
			}
		}
	case "awk", "gawk", "mawk", "perl", "python", "python2", "python3", "ruby", "node", "php", "lua", "vim", "vi", "ex", "sqlite3":
		for _, a := range argv[1:] {
			for _, m := range quotedText().FindAllStringSubmatch(a.filled(" "), maxDirs) {
				name := strings.TrimLeft(m[1]+m[2]+m[3], "> ")
				if name != "" && u.at.namesProtected(name, sc) {
					u.pathWord("edit", known(name), cmd.Head, sc)
				}
			}
		}
	}
}

// made notes the words that name what a program makes.
func (u *uses) made(cmd *Command, sc *scope) {
	last := len(cmd.Args) - 1
	for i, a := range cmd.Args {
		word, ok := a.Text()
		if of, is := strings.CutPrefix(word, "of="); is && cmd.Head == "dd" {
			word = of
		}
		if ok && word != "" && word[0] != '-' && (makeEach.has(cmd.Head) || i == last && makeLast.has(cmd.Head)) {
			if at, is := atHome(u.at.Home, word); is {
				word = at
			}
			u.s.use(Use{Domain: "edit", Word: paths.Below(sc.dir, word), Makes: true, Head: cmd.Head})
		}
	}
}

// procPath is what a path in /proc most likely means for the shell's own processes: any
// process stands for this one, its root is "/" and its directory the current one.
func procPath(p string, sc *scope) string {
	for _, self := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, ok := strings.CutPrefix(p, self+"/cwd"); ok && sc.dir != "" && (rest == "" || rest[0] == '/') {
			return sc.dir + rest
		}
	}
	return paths.ThroughRoot(p)
}
