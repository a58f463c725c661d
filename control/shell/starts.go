package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
)

// Files is what Starts is told of the disk: nothing else of it is looked at. Paths
// are absolute and clean.
type Files interface {
	// Read is the text of a regular file. there says that one is there, and whole
	// that text is all of it: a file that is too long or cannot be read is not whole.
	Read(path string) (text string, there, whole bool)
	// Names are the names in a directory, those of directories with a "/" behind.
	Names(dir string) []string
	// OwnProgram is the file of the workspace that a bare name finds in PATH, "" for none.
	OwnProgram(name string) string
}

// Limits of what a yes covers: beyond them nobody could say what was said yes to.
const (
	MaxStarted      = 64
	MaxStartedBytes = 4 << 20
	// maxFollowed is the longest script whose own commands are followed.
	maxFollowed = 64 << 10
	// maxSearched is how many files and directories are looked through for lines that
	// a runner obeys.
	maxSearched = 4_000
)

// Started is a file that a command starts, or that a known runner reads to find out
// what to start.
type Started struct {
	Command string // Command.Text of the command that does so
	Path    string // "": there are more than are looked at, or it cannot be read
	// Text is what counts of it: all of a script, of package.json its scripts, of a Go
	// file the lines that go generate obeys.
	Text string
}

// Starts says which files the commands of a text start, those that their scripts start
// included as far as that can be read, each once for a command. A file that is not
// there is none of them. What a program reads when it runs, and what a build runs of
// the sources, is not followed.
func Starts(text string, at Place, files Files) []Started {
	if len(text) > maxBytes {
		return nil
	}
	s := Analyze(text, at)
	w := &walker{at: at, files: files, counted: map[string]bool{}, found: map[string]string{}}
	for _, c := range s.ran {
		w.top, w.seen = c.command, map[string]bool{}
		w.command(c)
	}
	return w.out
}

// walker follows commands to files, and scripts to commands.
type walker struct {
	at      Place
	files   Files
	top     string          // the command of the text that all of it is for
	seen    map[string]bool // what was followed for it
	counted map[string]bool // files of all commands
	found   map[string]string
	bytes   int
	looked  int  // files and directories that were looked through
	over    bool // there were more files than a yes covers
	out     []Started
}

// add notes a file by what counts of it.
func (w *walker) add(file, text string) {
	s := Started{w.top, file, text}
	if slices.Contains(w.out, s) {
		return
	}
	if key := file + "\x00" + text; !w.counted[key] {
		if len(w.counted) >= MaxStarted || w.bytes+len(text) > MaxStartedBytes {
			w.over = true
			w.more()
			return
		}
		w.counted[key] = true
		w.bytes += len(text)
	}
	w.out = append(w.out, s)
}

// more notes that there is more than can be said.
func (w *walker) more() {
	if s := (Started{Command: w.top}); !slices.Contains(w.out, s) {
		w.out = append(w.out, s)
	}
}

// read is a file that was not followed before for this command from dir; its text is
// not noted yet.
func (w *walker) read(file, dir string) (text string, ok bool) {
	key := file + "\x00" + dir
	if w.seen[key] {
		return "", false
	}
	w.seen[key] = true
	text, there, whole := w.files.Read(file)
	if there && !whole {
		w.more()
	}
	return text, there && whole
}

// command notes the files of one simple command.
func (w *walker) command(c ran) {
	if len(c.dirs) == 0 && w.find(c.program) == "" && (!path.IsAbs(c.program) || obeysFiles(c)) {
		if obeysFiles(c) || strings.Contains(c.program, "/") {
			w.more()
		}
		return
	}
	dirs := c.dirs
	if len(dirs) == 0 {
		dirs = []string{"/"}
	}
	for _, dir := range dirs {
		if strings.Contains(c.program, "/") && certain(c.program) {
			w.script(w.join(dir, c.program), dir)
		} else if file := w.find(c.program); file != "" {
			w.script(file, dir)
		}
		w.runner(c, dir)
	}
}

// find is Files.OwnProgram, asked once for each name.
func (w *walker) find(name string) string {
	if !certain(name) || strings.Contains(name, "/") {
		return ""
	}
	file, known := w.found[name]
	if !known {
		file = w.files.OwnProgram(name)
		w.found[name] = file
	}
	return file
}

// obeysFiles says that the program is a runner that looks for files where it runs.
func obeysFiles(c ran) bool {
	return shells.has(c.head) || sourcing.has(c.head) || interpretersOf.has(bareVersion(c.head)) || runners.has(c.head) || c.head == "go" && firstOf(c.args, "generate", "run") != ""
}

var (
	sourcing = words("source .")
	// interpretersOf start the file that they are given.
	interpretersOf = words("python pypy node nodejs deno bun perl ruby php lua luajit Rscript tclsh wish expect osascript java cmake pwsh powershell fish csh tcsh elvish nu xonsh")
	// programFileOf take a file of program text behind -f.
	programFileOf = words("awk gawk mawk nawk sed gsed")
	runners       = words("make gmake npm pnpm yarn just task go-task rake")
)

// bareVersion is the name of a program without its version: python3.12.
func bareVersion(head string) string { return strings.TrimRight(head, "0123456789.") }

// runner notes what a known program reads to find out what to run.
func (w *walker) runner(c ran, dir string) {
	name := c.head
	if name != "." {
		name = bareVersion(c.head)
	}
	switch {
	case shells.has(c.head):
		if !slices.ContainsFunc(c.args, func(a string) bool {
			return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c")
		}) {
			w.scripts(scriptWords(c.args), dir)
		}
	case sourcing.has(c.head):
		if len(c.args) > 0 {
			w.scripts(c.args[:1], dir)
		}
	case programFileOf.has(name):
		for _, file := range valuesOf(c.args, "-f", "--file") {
			w.whole(w.join(dir, file), dir)
		}
	case interpretersOf.has(name):
		w.interpreted(c.args, name, dir)
	case name == "make" || name == "gmake":
		w.make(c.args, dir)
	case name == "npm" || name == "pnpm" || name == "yarn":
		w.packages(c.args, dir)
	case name == "go":
		w.golang(c.args, dir)
	case runners.has(name):
		w.recipes(name, c.args, dir)
	}
}

// join is an absolute path of a word that is in dir: where it leads, where ".." is
// taken behind links.
func (w *walker) join(dir, word string) string {
	if at, is := atHome(w.at.Home, word); is {
		word = at
	}
	raw := paths.Below(dir, word)
	if paths.Magic(raw) {
		w.more()
	}
	if w.at.Walk == nil || !paths.GoesUp(raw) {
		return paths.CleanPath(raw)
	}
	to := w.at.Walk(raw)
	if to.Magic {
		w.more()
	}
	return cmp.Or(to.End(), paths.CleanPath(raw))
}

// whole notes a file of which all counts, and nothing is followed.
func (w *walker) whole(file, dir string) bool {
	text, ok := w.read(file, dir)
	if ok {
		w.add(file, text)
	}
	return ok
}

// script notes a file that is started, or that a shell reads; where it is a shell
// script, what it starts in dir, too.
func (w *walker) script(file, dir string) {
	text, ok := w.read(file, dir)
	if !ok {
		return
	}
	w.add(file, text)
	if isShellScript(text) {
		w.follow(text, dir)
	}
}

func (w *walker) scripts(names []string, dir string) {
	for _, name := range names {
		if certain(name) {
			w.script(w.join(dir, name), dir)
		}
	}
}

// follow notes what a text of commands starts when it runs in dir.
func (w *walker) follow(text, dir string) {
	if len(text) > maxFollowed {
		return
	}
	if w.over {
		w.more()
		return
	}
	for _, c := range Analyze(text, Place{Dir: dir, Home: w.at.Home, Roots: w.at.Roots, Walk: w.at.Walk}).ran {
		if len(c.dirs) > 0 { // elsewhere nothing is known of it
			w.command(c)
		}
	}
}

// isShellScript says that a started file is one that bash, or the shell that a first
// line names, runs.
func isShellScript(text string) bool {
	if strings.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return false
	}
	first, _, _ := strings.Cut(text, "\n")
	line, is := strings.CutPrefix(first, "#!")
	if !is {
		return true
	}
	for _, word := range strings.Fields(line) {
		if shells.has(path.Base(word)) {
			return true
		}
	}
	return false
}

// interpreted notes the program of an interpreter. Modules that it loads are sources.
func (w *walker) interpreted(args []string, name, dir string) {
	if i := slices.Index(args, "-m"); i >= 0 && name == "python" && i+1 < len(args) && certain(args[i+1]) {
		module := w.join(dir, strings.ReplaceAll(args[i+1], ".", "/"))
		for _, file := range []string{module + ".py", module + "/__init__.py", module + "/__main__.py"} {
			w.whole(file, dir)
		}
	}
	for _, word := range scriptWords(args) {
		file := w.join(dir, word)
		if w.whole(file, dir) || name != "node" && name != "nodejs" && name != "bun" && name != "python" {
			continue
		}
		for _, end := range []string{".js", ".cjs", ".mjs", "/package.json", "/index.js", "/__main__.py"} {
			w.whole(file+end, dir)
		}
	}
}

// scriptWords are the words of which one is the file to start. Which options take a value
// is not known of all programs, so it may be any of them.
func scriptWords(args []string) (out []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+") {
			_, a, _ = strings.Cut(a, "=")
		}
		if certain(a) {
			out = append(out, a)
		}
	}
	return out
}

// valuesOf are the values of an option, apart from it, behind "=" or attached.
func valuesOf(args []string, short string, long ...string) (out []string) {
	for i, a := range args {
		name, value, joined := strings.Cut(a, "=")
		switch {
		case a == short || slices.Contains(long, a):
			if i+1 < len(args) {
				out = append(out, args[i+1])
			}
		case joined && slices.Contains(long, name):
			out = append(out, value)
		case short != "" && len(a) > len(short) && strings.HasPrefix(a, short):
			out = append(out, a[len(short):])
		}
	}
	return slices.DeleteFunc(out, func(v string) bool { return !certain(v) })
}

// firstOf is the first of some words that is among the arguments.
func firstOf(args []string, of ...string) string {
	for _, a := range args {
		if slices.Contains(of, a) {
			return a
		}
	}
	return ""
}

// upward are dir and the directories around it, up to the folder of the workspace. A
// program goes up from where links have led it.
func (w *walker) upward(dir string) (out []string) {
	if w.at.Walk != nil {
		dir = cmp.Or(w.at.Walk(dir).End(), dir)
	}
	inside := func(d string) bool {
		return slices.ContainsFunc(w.at.Roots, func(root string) bool { return paths.Inside(d, path.Clean(root)) })
	}
	out = append(out, dir)
	for d := path.Dir(dir); d != dir && inside(d); dir, d = d, path.Dir(d) {
		out = append(out, d)
	}
	return out
}
