package shell

import (
	"slices"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// braced expands {a,b} and {1..3}; more than maxBraceWords words are not known.
func (ev *evaluator) braced(w *syntax.Word, sc *scope) value {
	v := value{braces: true}
	add := func(parts []syntax.WordPart) {
		e := evaluation{ev: ev, sc: sc}
		e.parts(parts, false)
		v.fields = append(v.fields, e.fields...)
		v.unknown = v.unknown || e.unknown
	}
	n := 0
	for word, err := range expand.BracesSeq(nil, w) {
		if n++; err != nil || n > maxBraceWords {
			v.fields = nil
			add(slices.DeleteFunc(slices.Clone(w.Parts), func(p syntax.WordPart) bool {
				_, is := p.(*syntax.BraceExp)
				return is
			}))
			v.unknown = true
			break
		}
		add(word.Parts)
	}
	v.Parts = joined(v.fields, " ")
	v.unknown = v.unknown || v.isOpen()
	return v
}
