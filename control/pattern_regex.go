package control

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// requiredLiterals are texts that everything the expression matches contains.
// They let thousands of expressions be passed over without running them; they
// never decide anything.
func requiredLiterals(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // compilePattern has reported it
	}
	return literalsOf(re.Simplify()) // which writes counted repetitions out
}

func literalsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		// With FoldCase the text may be written in other letters, and U+FFFD also
		// matches bytes that are no UTF-8.
		if re.Flags&syntax.FoldCase == 0 && !slices.Contains(re.Rune, utf8.RuneError) {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpConcat:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, literalsOf(sub)...)
		}
		return all
	}
	return nil
}

func containsAll(s string, all []string) bool {
	for _, one := range all {
		if !strings.Contains(s, one) {
			return false
		}
	}
	return true
}
