package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// operated is what an operator makes of a value: ${x%y}, ${x/a/b}, ${x:1},
// ${x,,}. Where that is not plain, nothing of it is known.
func (e *evaluation) operated(p *syntax.ParamExp, value Parts) Parts {
	if p.Slice == nil && p.Repl == nil && p.Exp == nil {
		return value
	}
	text, ok := value.Text()
	plain := &syntax.ParamExp{Param: &syntax.Lit{Value: "value"}, Slice: p.Slice}
	word := func(w *syntax.Word) *syntax.Word {
		v := e.ev.value(w, e.sc)
		text, known := v.Text()
		// A pattern is one as a whole or not at all.
		ok = ok && known && !strings.Contains(text, `\`) && (v.wild() || !strings.ContainsAny(text, "*?["))
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
	}
	switch {
	case !ok || strings.ContainsFunc(text, func(c rune) bool { return c > 127 }): // whose letters are others in other languages
		return notKnown
	case p.Slice != nil:
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x == nil {
				continue
			}
			syntax.Walk(x, func(n syntax.Node) bool {
				w, is := n.(*syntax.Word)
				ok = ok && (!is || digits(w.Lit()))
				return ok && !is
			})
		}
	case p.Repl != nil:
		plain.Repl = &syntax.Replace{All: p.Repl.All, Orig: word(p.Repl.Orig), With: word(p.Repl.With)}
		from, _ := e.ev.value(p.Repl.Orig, e.sc).Text()
		ok = ok && from != "" && !strings.ContainsAny(from, "*?[") && !strings.ContainsAny(from[:1], "#%")
	default:
		plain.Exp = &syntax.Expansion{Op: p.Exp.Op, Word: word(p.Exp.Word)}
		switch p.Exp.Op {
		case syntax.AssignUnset:
			plain.Exp.Op = syntax.DefaultUnset
		case syntax.AssignUnsetOrNull:
			plain.Exp.Op = syntax.DefaultUnsetOrNull
		case syntax.OtherParamOps: // of these only what eval makes the same text of again
			how := p.Exp.Word.Lit()
			if ok = ok && (how == "Q" || how == "E"); ok {
				return value
			}
		}
	}
	if !ok {
		return notKnown
	}
	out, err := expand.Literal(&expand.Config{Env: expand.ListEnviron("value=" + text)}, &syntax.Word{Parts: []syntax.WordPart{plain}})
	if err != nil {
		return notKnown
	}
	return known(out)
}
