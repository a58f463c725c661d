package surface

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// hostile is a name that would write the clipboard, clear the screen, turn the
// direction round, begin a line of its own, and be a link and an icon.
const hostile = "\x1b]52;c;cm0gLXJm\a\x1b[2J\u009b31m\u202e\u0085\u200b\r\nall is well [x](command:y) $(check)"

// What goes to an editor's own surfaces is visible, and neither link nor icon.
func TestBypassHostileNamesInEditors(t *testing.T) {
	for name, got := range map[string]Shown{"line": Line(hostile, 0), "message": Message(hostile), "messages": Messages(hostile)} {
		if control.Lines(string(got)) != string(got) || !strings.Contains(string(got), "<U+001B>]52;c;") || !strings.Contains(string(got), "<U+202E>") || strings.Contains(string(got), "\r") {
			t.Errorf("%s: %q", name, got)
		}
		if link := strings.Contains(string(got), "](") || strings.Contains(string(got), "$("); link && name != "line" {
			t.Errorf("%s: %q", name, got)
		}
		if strings.Contains(string(got), "\n") && name != "messages" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestOnlyShownGoesToEditors holds that a plain string reaches no surface of an editor:
// text becomes Shown in one file, and the members that people read are of that type.
func TestOnlyShownGoesToEditors(t *testing.T) {
	var files []string
	for _, dir := range []string{"*.go", "../*.go"} {
		found, err := filepath.Glob(dir)
		if err != nil || len(found) == 0 {
			t.Fatal(err, len(found))
		}
		files = append(files, found...)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called := n.Fun
				if of, ok := called.(*ast.SelectorExpr); ok {
					if from, ok := of.X.(*ast.Ident); ok && from.Name == "surface" {
						called = of.Sel
					}
				}
				if id, ok := called.(*ast.Ident); ok && id.Name == "Shown" && name != "shown.go" {
					if _, constant := n.Args[0].(*ast.BasicLit); !constant {
						t.Errorf("%s: a text is called Shown; Line, Message or Messages make it so", set.Position(n.Pos()))
					}
				}
			case *ast.KeyValueExpr: // of a map, which takes anything
				key, ok := n.Key.(*ast.BasicLit)
				if !ok || !slices.Contains([]string{`"message"`, `"title"`, `"label"`}, key.Value) {
					return true
				}
				t.Errorf("%s: %s in a map takes a plain string; give it a type with a member that is Shown", set.Position(n.Pos()), key.Value)
			}
			return true
		})
	}
}
