package shell

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// braced expands {a,b}; sequences and more than maxBraceWords are not expanded.
func (r *reader) braced(w *syntax.Word, sc *scope) value {
	v := value{braces: true}
	words, ok := expandBraces(w.Parts)
	if !ok {
		v.unknown = true
		words = [][]syntax.WordPart{withoutBraces(w.Parts)}
	}
	for _, parts := range words {
		e := evaluation{r: r, sc: sc}
		e.parts(parts, false)
		v.fields = append(v.fields, e.fields...)
		v.unknown = v.unknown || e.unknown
	}
	v.Parts = joined(v.fields, " ")
	v.unknown = v.unknown || v.isOpen()
	return v
}

func withoutBraces(parts []syntax.WordPart) []syntax.WordPart {
	return slices.DeleteFunc(slices.Clone(parts), func(p syntax.WordPart) bool {
		_, is := p.(*syntax.BraceExp)
		return is
	})
}

// expandBraces multiplies out the alternatives, left to right.
func expandBraces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, is := p.(*syntax.BraceExp)
		var choices [][]syntax.WordPart
		switch {
		case !is:
			choices = [][]syntax.WordPart{{p}}
		case b.Sequence:
			for _, text := range sequence(b) {
				choices = append(choices, []syntax.WordPart{&syntax.Lit{Value: text}})
			}
			if len(choices) == 0 {
				return nil, false
			}
		default:
			for _, el := range b.Elems {
				inner, ok := expandBraces(el.Parts)
				if !ok {
					return nil, false
				}
				choices = append(choices, inner...)
			}
		}
		if len(out)*len(choices) > maxBraceWords {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, o := range out {
			for _, c := range choices {
				next = append(next, append(slices.Clone(o), c...))
			}
		}
		out = next
	}
	return out, true
}

// sequence writes {a..c} and {1..3} out; nil where it is long or not plain.
func sequence(b *syntax.BraceExp) []string {
	if len(b.Elems) != 2 {
		return nil
	}
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	if a, err := strconv.Atoi(from); err == nil {
		if z, err := strconv.Atoi(to); err == nil && max(a, z)-min(a, z) < maxBraceWords {
			var out []string
			for i := min(a, z); i <= max(a, z); i++ {
				out = append(out, strconv.Itoa(i))
			}
			return out
		}
		return nil
	}
	if len(from) != 1 || len(to) != 1 {
		return nil
	}
	var out []string
	for c := min(from[0], to[0]); c <= max(from[0], to[0]) && len(out) < maxBraceWords; c++ {
		out = append(out, string(rune(c)))
	}
	return out
}
