package control

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of reading a command (control §2). Over maxShellChars a command is
// still read, so that a hard limit in it is found, but it only asks; over
// maxShellBytes it is refused unread.
const (
	maxShellChars   = 10_000
	maxShellBytes   = 256 << 10
	maxWrapperDepth = 8
	maxDirs         = 16
	maxCommands     = 5_000
)

// script is what a command text would do, as far as can be known without
// running it. Parsing is for asking well; the sandbox is the security.
type script struct {
	commands []*command
	uses     []pathUse
	dirs     []string // every directory the commands may run in
	doubts   []string // why the whole text must be asked about, once only
	refused  string   // why it may not run at all, even unread ("holds a NUL")
	blocked  string   // the hard limit it hits
	network  bool
	destroys bool
	probes   int // texts searched for hard limits
}

// command is one simple command, wherever it stands.
type command struct {
	text  string // without redirections, quoting reduced to what is needed
	alt   string // the same with the bare name of the program, for rules that deny or ask
	head  string // base name of the program, "" when it is not known
	args  []string
	depth int
	// wrapper says that the command only starts another one that is judged
	// itself, without changing what it may do: timeout, nice, nohup, time.
	wrapper bool
	// runsOthers is true for wrappers and interpreters: never a prefix rule.
	runsOthers bool
	// openEnded says that words are only known when the command runs.
	openEnded bool
	// moved says that its program is named relative to a directory other than
	// the workspace's, so that it may be another program than the one a person
	// once said yes to.
	moved bool
	// sweeps says that it reads whole directories, sensitive files included.
	sweeps bool
	// reaching are options that start programs or leave the directory.
	reaching []string
	network  bool
}

// pathUse is a word that may name a file.
type pathUse struct {
	domain   string
	word     string
	glob     bool // the shell expands it
	redirect bool // counts even where nothing is there yet
	writer   bool // an argument of a program that changes files
	head     string
}

// doubt notes once why the text needs a person.
func (s *script) doubt(reason string) {
	if !slices.Contains(s.doubts, reason) {
		s.doubts = append(s.doubts, reason)
	}
}

func (s *script) block(which string) {
	if s.blocked == "" {
		s.blocked = which
	}
}

// analyzeShell reads a command text (control §2, rulings 29, 67, 92, 114).
func analyzeShell(text, dir, userHome string, roots []string) *script {
	s := &script{}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		s.refused = "the command holds a NUL character"
		return s
	case len(text) > maxShellBytes:
		s.refused = "the command is longer than 256 KiB"
		return s
	case len(text) > maxShellChars && len([]rune(text)) > maxShellChars:
		s.doubt("the command is longer than 10,000 characters")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) {
		s.doubt("the command holds control or invisible characters")
	}
	r := newReader(s, dir, userHome, roots)
	r.source(text, &scope{dir: dir}, 0)
	if len(r.m.vars) > 0 || len(r.m.functions) > 0 || strings.Contains(text, "$") {
		// What the first reading found out about variables and functions holds for
		// what stands before it too: loops and functions run it later.
		known := r.m
		r = newReader(s, dir, userHome, roots)
		r.m = known
		r.m.settled = true
		clear(r.m.read)
		r.m.tries = 0
		s.commands, s.uses = nil, nil
		r.source(text, &scope{dir: dir}, 0)
	}
	r.forkBombs()
	s.dirs = r.dirs
	if len(s.commands) == 0 && s.blocked == "" && len(s.doubts) == 0 {
		// Only assignments, tests or nothing at all: the text is its own object.
		s.commands = append(s.commands, &command{text: strings.TrimSpace(text)})
	}
	return s
}

// scope is what holds at one place of the script. A subshell gets a copy.
type scope struct {
	dir      string   // "" when it is not known
	maybe    bool     // what happens here may also not happen
	anywhere bool     // it runs more than once, or from elsewhere: a loop, a function
	other    []string // where it may be instead of dir
	stdin    string   // what a pipe or here-document feeds, when that is literal
	piped    bool     // something feeds the standard input
	listing  bool     // what feeds it may name sensitive files
	sure     bool     // what happens here succeeds, or nothing after it runs
}

// copied is the scope of a subshell: what it sets is not set outside.
func (sc *scope) copied() scope {
	inner := *sc
	inner.maybe = true
	return inner
}

// reader walks one command text and everything that is shell text inside it.
type reader struct {
	s         *script
	src       string
	userHome  string
	roots     []string
	m         *memory
	seen      map[syntax.Node]bool
	dirs      []string // every directory a cd may lead to, for path words
	level     int      // wrappers around this text
	probing   bool     // only hard limits count
	expanding int      // substitutions around the value that is worked out
}

func newReader(s *script, dir, userHome string, roots []string) *reader {
	return &reader{s: s, userHome: userHome, roots: roots, m: newMemory(), seen: map[syntax.Node]bool{}}
}

// source reads one text. What comes before a syntax error still runs in bash,
// so it is analysed, and the lines after it are searched for hard limits.
func (r *reader) source(text string, sc *scope, depth int) {
	outer := r.src
	defer func() { r.src = outer }()
	r.src = text
	if sc.dir != "" {
		r.addDir(sc.dir)
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var last uint
	failed := false
	for stmt, err := range parser.StmtsSeq(strings.NewReader(text)) {
		// The loop is never left early: after some errors the parser goes on
		// handing out statements and panics when nobody takes them.
		if err != nil || stmt == nil {
			failed = failed || err != nil
			continue
		}
		if !failed {
			last = stmt.End().Offset()
		}
		r.stmt(stmt, sc, depth)
		r.sweep(stmt, sc, depth)
	}
	if failed {
		r.s.doubt("the command could not be parsed as shell")
		r.salvage(text[min(int(last), len(text)):], sc, depth)
	}
}

// salvage looks at each line of unreadable text by itself.
func (r *reader) salvage(text string, sc *scope, depth int) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' })
	for i, line := range lines {
		if i > 200 {
			return
		}
		file, err := parser.Parse(strings.NewReader(line), "")
		if err != nil {
			continue
		}
		r.src = line
		for _, stmt := range file.Stmts {
			r.stmt(stmt, sc, depth)
		}
	}
}

// sweep makes sure that no simple command is forgotten, whatever construct it
// stands in: everything the walk over stmt did not reach is read now.
func (r *reader) sweep(stmt *syntax.Stmt, sc *scope, depth int) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		inner := *sc
		switch n := n.(type) {
		case *syntax.CallExpr:
			if !r.seen[n] {
				r.call(n, nil, &inner, depth+1)
			}
		case *syntax.Redirect:
			if !r.seen[n] {
				r.redirect(n, &inner, depth+1)
			}
		}
		return true
	})
}

const tooManyDirs = "the command changes its directory too often to be followed"

func (r *reader) addDir(dir string) {
	if dir == "" || slices.Contains(r.dirs, dir) {
		return
	}
	if len(r.dirs) >= maxDirs {
		r.s.doubt(tooManyDirs)
		return
	}
	r.dirs = append(r.dirs, dir)
}

func (r *reader) stmts(list []*syntax.Stmt, sc *scope, depth int) {
	for _, s := range list {
		r.stmt(s, sc, depth)
	}
}

// stmt reads one statement: its redirections, then its command.
func (r *reader) stmt(s *syntax.Stmt, sc *scope, depth int) {
	if s == nil {
		return
	}
	for _, red := range s.Redirs {
		r.redirect(red, sc, depth)
	}
	r.wroteFile(s, sc)
	if _, simple := s.Cmd.(*syntax.CallExpr); !simple && len(s.Redirs) > 0 {
		if text, ok := r.fed(s.Redirs, sc); ok { // while read x; do …; done <<< text
			outer, piped := sc.stdin, sc.piped
			sc.stdin, sc.piped = text, true
			defer func() { sc.stdin, sc.piped = outer, piped }()
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(c, s.Redirs, sc, depth)
	case *syntax.BinaryCmd:
		r.binary(c, sc, depth)
	case *syntax.Subshell:
		inner := sc.copied()
		r.stmts(c.Stmts, &inner, depth+1)
	case *syntax.Block:
		r.stmts(c.Stmts, sc, depth)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond, sc, depth)
			r.perhaps(sc, func() { r.stmts(c.Then, sc, depth+1) })
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond, sc, depth)
		r.repeated(sc, func() { r.stmts(c.Do, sc, depth+1) })
	case *syntax.ForClause:
		r.forLoop(c, sc, depth)
	case *syntax.CaseClause:
		r.word(c.Word, sc, depth)
		for _, item := range c.Items {
			r.perhaps(sc, func() { r.stmts(item.Stmts, sc, depth+1) })
		}
	case *syntax.FuncDecl:
		r.declareFunction(c, sc, depth)
	case *syntax.TimeClause:
		r.stmt(c.Stmt, sc, depth)
	case *syntax.CoprocClause:
		r.coprocess(c, sc, depth)
	case *syntax.DeclClause:
		r.declare(c, sc, depth)
	case *syntax.LetClause:
		r.s.doubt("the command uses let")
	}
	r.nested(s.Cmd, sc, depth)
}

// binary reads a list or a pipe. The parts of a pipe run in subshells.
func (r *reader) binary(c *syntax.BinaryCmd, sc *scope, depth int) {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		outer := sc.sure
		sc.sure = c.Op == syntax.AndStmt
		r.stmt(c.X, sc, depth)
		sc.sure = outer
		if c.Op == syntax.OrStmt {
			r.perhaps(sc, func() { r.stmt(c.Y, sc, depth) })
			return
		}
		if sc.sure { // the whole chain is
			r.stmt(c.Y, sc, depth)
			return
		}
		r.perhaps(sc, func() { r.stmt(c.Y, sc, depth) })
		return
	}
	left, right := sc.copied(), sc.copied()
	r.stmt(c.X, &left, depth)
	right.stdin, _ = r.output(c.X, sc.stdin, sc.stdin != "", sc, 0)
	right.piped = true
	if right.stdin == "" {
		right.stdin = r.listed(c.X, sc)
		right.listing = sc.listing || r.listsFiles(c.X, sc)
	}
	r.stmt(c.Y, &right, depth)
}

// perhaps reads what may also not happen: where it changes the directory, the
// one before stays possible.
func (r *reader) perhaps(sc *scope, f func()) {
	outer := sc.maybe
	sc.maybe = true
	f()
	sc.maybe = outer
}

// repeated reads what may run more than once.
func (r *reader) repeated(sc *scope, f func()) {
	outer := sc.anywhere
	sc.anywhere = true
	r.perhaps(sc, f)
	sc.anywhere = outer
}

func (r *reader) forLoop(c *syntax.ForClause, sc *scope, depth int) {
	if it, ok := c.Loop.(*syntax.WordIter); ok {
		for _, w := range it.Items {
			r.word(w, sc, depth)
			r.worlds([]*syntax.Word{w}, func(bool) {
				v := r.value(w, sc)
				r.pathWord("read", v, "for", sc)
				for _, f := range v.fields {
					r.remember(it.Name.Value, held{text: f, glob: v.glob})
				}
			})
		}
		if !it.InPos.IsValid() { // for x; do: the positional parameters
			r.remember(it.Name.Value, held{text: unknownPart})
			if v := r.m.vars["@"]; v != nil {
				for _, h := range v.values {
					for text := range strings.SplitSeq(h.text, fieldBreak) {
						r.remember(it.Name.Value, held{text: text})
					}
				}
			}
		}
	}
	r.repeated(sc, func() { r.stmts(c.Do, sc, depth+1) })
}

// nested reads the substitutions in everything of a command that is not a word
// of a simple command: tests, arithmetic, case patterns, array values.
func (r *reader) nested(n syntax.Node, sc *scope, depth int) {
	switch n.(type) {
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.ForClause, *syntax.CaseClause:
	default:
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		r.arithmetic(n, sc, depth)
		if r.substitution(n, sc, depth) {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			return false // read as a statement already
		case *syntax.Word:
			if v := r.value(n, sc); !v.glob { // a pattern here names no files
				r.pathWord("read", v, "[[", sc)
			}
		}
		return true
	})
}

func (r *reader) subshell(list []*syntax.Stmt, sc *scope, depth int) {
	inner := sc.copied()
	inner.stdin = ""
	for _, s := range list {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && r.seen[call] {
			continue
		}
		r.stmt(s, &inner, depth+1)
	}
}
