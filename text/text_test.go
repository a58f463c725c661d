package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// Every text stands there in both languages, with the same things in the same order.
func TestEveryTextHasEveryLanguage(t *testing.T) {
	verbs := regexp.MustCompile(`%[a-z]`)
	found := 0
	for _, form := range literals(t) {
		found++
		if !slices.Equal(verbs.FindAllString(form[0], -1), verbs.FindAllString(form[1], -1)) {
			t.Errorf("%q and %q are not about the same", form[0], form[1])
		}
		if !strings.ContainsFunc(form[1], func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%q has no Chinese form", form[0])
		}
	}
	if found < 60 {
		t.Errorf("only %d texts were found", found)
	}
}

// literals are all Messages of the package, as they are written.
func literals(t *testing.T) (forms [][2]string) {
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, is := n.(*ast.CompositeLit)
			if !is || len(lit.Elts) != 2 {
				return true
			}
			var form [2]string
			for i, e := range lit.Elts {
				b, is := e.(*ast.BasicLit)
				if !is {
					return true
				}
				form[i], _ = strconv.Unquote(b.Value)
			}
			forms = append(forms, form)
			return true
		})
	}
	return forms
}
