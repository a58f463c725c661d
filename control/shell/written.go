package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wroteFile remembers what a statement plainly writes into a file, for shells
// that run it later.
func (r *reader) wroteFile(s *syntax.Stmt, sc *scope) {
	for _, red := range s.Redirs {
		switch red.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll:
		default:
			continue
		}
		bare := &syntax.Stmt{Position: s.Position, Cmd: s.Cmd}
		for _, other := range s.Redirs {
			if other.Op == syntax.Hdoc || other.Op == syntax.DashHdoc || other.Op == syntax.WordHdoc {
				bare.Redirs = append(bare.Redirs, other)
			}
		}
		if out, ok := r.output(bare, sc.stdin, len(sc.stdin) > 0, sc, 0); ok {
			r.keepFile(r.value(red.Word, sc).Parts, out, sc)
		}
	}
}

func (r *reader) keepFile(name, text Parts, sc *scope) {
	if f := r.fileName(name, sc); f.path != "" && len(r.m.files) < maxValues && text.length() < MaxChars {
		r.m.files[f] = slices.Concat(r.m.files[f], text)
	}
}

// fileName is what a file of the text is found by. One name that is not known may be
// any other.
type fileName struct {
	path string
	open bool
}

func (r *reader) fileName(name Parts, sc *scope) fileName {
	return fileName{r.place(name.filled("_"), sc).End(), name.isOpen()}
}

// fileText is what the text itself wrote into a file.
func (r *reader) fileText(a arg, sc *scope) Parts {
	if len(a.feeds) > 0 || len(r.m.files) == 0 || a.is("") {
		return a.feeds
	}
	return r.m.files[r.fileName(a.Parts, sc)]
}

// made notes the words that name what a program makes.
func (r *reader) made(cmd *Command, sc *scope) {
	last := len(cmd.Args) - 1
	for i, a := range cmd.Args {
		word, ok := a.Text()
		if of, is := strings.CutPrefix(word, "of="); is && cmd.Head == "dd" {
			word = of
		}
		if ok && word != "" && word[0] != '-' && (makeEach.has(cmd.Head) || i == last && makeLast.has(cmd.Head)) {
			if at, is := r.atHome(word); is {
				word = at
			}
			r.use(Use{Domain: "edit", Word: Below(sc.dir, word), Makes: true, Head: cmd.Head})
		}
	}
}
