package locale

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Every text has every language, about the same things in the same order, and no
// translation is left of a text that is gone.
func TestEveryTextHasEveryLanguage(t *testing.T) {
	english := messages(t)
	english["; "] = "internal/said" // between the parts of a list
	for form, at := range sentences(t) {
		english[form] = at
	}
	if len(english) < 60 {
		t.Errorf("only %d texts were found", len(english))
	}
	table := map[string]string{}
	if err := json.Unmarshal(zh, &table); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(zh), "\n  \""); lines != len(table) {
		t.Errorf("%d lines have %d texts: one is there twice", lines, len(table))
	}
	for form, words := range table {
		if !maps.Equal(verbs(form), verbs(words)) {
			t.Errorf("%q and %q are not about the same", form, words)
		}
		if bare := verb.ReplaceAllString(form, ""); strings.ContainsFunc(bare, unicode.IsLetter) && !strings.ContainsFunc(words, func(c rune) bool {
			return unicode.Is(unicode.Han, c) || unicode.In(c, unicode.Po) && c > unicode.MaxASCII
		}) {
			t.Errorf("the translation of %q is %q", form, words)
		}
	}
	for _, form := range slices.Sorted(maps.Keys(english)) {
		if _, has := table[form]; !has {
			t.Errorf("%s: %q has no Chinese form", english[form], form)
		}
	}
	for _, form := range slices.Sorted(maps.Keys(table)) {
		if _, used := english[form]; !used {
			t.Errorf("nobody says %q any more", form)
		}
	}
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*[\d.]*([a-zA-Z%])`)

// verbs are which kind of thing each argument of a text is.
func verbs(form string) map[int]string {
	out, next := map[int]string{}, 1
	for _, m := range verb.FindAllStringSubmatch(form, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = n
		}
		out[next] = m[2]
		next++
	}
	return out
}

func TestSentencesAreTranslatedInside(t *testing.T) {
	s := said.That("%s is not known to read PDF files, so %s sent.", "m", said.That("%d files were not", 2))
	if got, want := Say("zh-CN", s), "尚不清楚 m 能否读取 PDF 文件，因此 2 个文件未发送。"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Say("en", s), "m is not known to read PDF files, so 2 files were not sent."; got != want || got != s.String() {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Say("zh", said.Plain("100%s of what no table has")); got != "100%s of what no table has" {
		t.Errorf("got %q", got)
	}
}

// messages are the constants and tables of this package in English.
func messages(t *testing.T) map[string]string {
	out := map[string]string{}
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, set := parsed(t, name)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if kind, is := n.Type.(*ast.Ident); is && kind.Name == "Message" {
					for _, v := range n.Values {
						out[literal(t, set, v)] = name
					}
				}
			case *ast.CompositeLit:
				if kind, is := n.Type.(*ast.MapType); is && ident(kind.Value) == "Message" {
					for _, e := range n.Elts {
						out[literal(t, set, e.(*ast.KeyValueExpr).Value)] = name
					}
				}
			}
			return true
		})
	}
	return out
}

// sentences are what all packages say with said.That.
func sentences(t *testing.T) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "editors" || d.Name() == "testdata" || d.Name() == "said" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, set := parsed(t, path)
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) == 0 {
				return true
			}
			if at := formOf(call, path); at >= 0 && at < len(call.Args) && ident(call.Args[at]) != "form" {
				out[literal(t, set, call.Args[at])] = path
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// formOf is which argument of a call is a text for people, -1 for none.
func formOf(call *ast.CallExpr, path string) int {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		ours := strings.Contains(path, "/cmd/agent-sidecar/") && slices.Contains([]string{"words", "note", "fail", "misused"}, f.Sel.Name)
		if ident(f.X) == "said" && f.Sel.Name == "That" || ours && !wordless(call.Args[0]) {
			return 0
		}
	case *ast.Ident:
		if f.Name == "inWords" && !wordless(call.Args[1]) {
			return 1
		}
	}
	return -1
}

// wordless says that a text is verbs and signs alone.
func wordless(e ast.Expr) bool {
	b, is := e.(*ast.BasicLit)
	return is && !strings.ContainsFunc(verb.ReplaceAllString(b.Value, ""), unicode.IsLetter)
}

func parsed(t *testing.T, name string) (*ast.File, *token.FileSet) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file, set
}

func ident(e ast.Expr) string {
	if id, is := e.(*ast.Ident); is {
		return id.Name
	}
	return ""
}

// literal is a text as it is written: what is put together elsewhere could not be
// translated.
func literal(t *testing.T, set *token.FileSet, e ast.Expr) string {
	t.Helper()
	if b, is := e.(*ast.BasicLit); is && b.Kind == token.STRING {
		text, _ := strconv.Unquote(b.Value)
		return text
	}
	if sum, is := e.(*ast.BinaryExpr); is && sum.Op == token.ADD {
		return literal(t, set, sum.X) + literal(t, set, sum.Y)
	}
	t.Errorf("%s: a text for people is not a literal", set.Position(e.Pos()))
	return ""
}
