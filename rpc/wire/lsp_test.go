package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestCodecs: LSP types take their own codec in every form, ours encoding/json,
// and a mixture is refused.
func TestCodecs(t *testing.T) {
	type mixed struct {
		Inner *struct{ At []protocol.Position }
	}
	type own struct{ Self *own }
	for _, v := range []any{protocol.Position{}, &protocol.Position{}, []protocol.Position{}, []*protocol.Position{}} {
		if c := codecFor(reflect.TypeOf(v)); reflect.ValueOf(c.unmarshal).Pointer() != reflect.ValueOf(lspCodec.unmarshal).Pointer() {
			t.Errorf("%T takes encoding/json", v)
		}
	}
	for _, v := range []any{own{}, map[string]int{}, "", []string{}} {
		if c := codecFor(reflect.TypeOf(v)); reflect.ValueOf(c.unmarshal).Pointer() != reflect.ValueOf(ownCodec.unmarshal).Pointer() {
			t.Errorf("%T does not take encoding/json", v)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a mixture was taken")
		}
	}()
	codecFor(reflect.TypeFor[mixed]())
}

// TestEncodeUnions: what encoding/json gets wrong comes out right.
func TestEncodeUnions(t *testing.T) {
	got, err := encodeValue(&protocol.ProgressParams{Token: protocol.String("tok"), Value: protocol.LSPAny(`{"kind":"begin"}`)})
	if err != nil || !strings.Contains(string(got), `"token":"tok"`) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := encodeValue([]protocol.Diagnostic(nil)); err != nil || string(got) != "[]" && string(got) != "null" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := encodeValue(map[string]string{"a": "<&>"}); err != nil || string(got) != `{"a":"<&>"}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestNoLSPThroughEncodingJSON reads this package and the one that uses it: no value that is written with
// an LSP type, as a parameter, a variable or a literal, is an argument of encoding/json. Values that come
// out of a table are kept apart by codecFor.
func TestNoLSPThroughEncodingJSON(t *testing.T) {
	var files []string
	for _, of := range []string{"../*.go", "*.go"} {
		found, err := filepath.Glob(of)
		if err != nil || len(found) < 10 {
			t.Fatalf("%d files in %s: %v", len(found), of, err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		if name == "lsp.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range lspInJSON(file) {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// TestLSPInJSON keeps the test above able to fail.
func TestLSPInJSON(t *testing.T) {
	bad := []string{
		"func f(p protocol.Position) { json.Marshal(p) }",
		"func f(p *protocol.Position) { json.Unmarshal(raw, p) }",
		"func f() { var p []protocol.Position; json.Unmarshal(raw, &p) }",
		"func f() { p := protocol.Position{}; json.NewEncoder(w).Encode(p) }",
		"func f() { p := &protocol.Position{}; json.Marshal(p.Line) }",
		"func f() { EncodeJSON(protocol.Position{}) }",
		"func f() { wire.EncodeJSON(protocol.Position{}) }",
	}
	for _, src := range bad {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(lspInJSON(file)) != 1 {
			t.Errorf("not found in %s", src)
		}
	}
}

// lspInJSON lists the calls of encoding/json in file that are given a value
// written with a type of package protocol.
func lspInJSON(file *ast.File) (found []string) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lsp := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				for _, name := range n.Names {
					lsp[name.Name] = lsp[name.Name] || mentions(n.Type, nil)
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					lsp[name.Name] = lsp[name.Name] || mentions(n.Type, nil)
				}
			case *ast.AssignStmt:
				for i, right := range n.Rhs {
					if _, call := right.(*ast.CallExpr); call || i >= len(n.Lhs) {
						continue
					}
					if name, ok := n.Lhs[i].(*ast.Ident); ok && mentions(right, nil) {
						lsp[name.Name] = true
					}
				}
			}
			return true
		})
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isJSON(call.Fun) {
				return true
			}
			for _, arg := range call.Args {
				if mentions(arg, lsp) {
					found = append(found, f.Name.Name+" passes an LSP type to encoding/json")
				}
			}
			return true
		})
	}
	return found
}

// isJSON says whether fun is a function of encoding/json, a method of what one
// returned, or our shorthand for it.
func isJSON(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name == "EncodeJSON"
	case *ast.SelectorExpr:
		if call, ok := f.X.(*ast.CallExpr); ok {
			return isJSON(call.Fun)
		}
		pkg, ok := f.X.(*ast.Ident)
		return ok && (pkg.Name == "json" && f.Sel.Name != "RawMessage" || pkg.Name == "wire" && f.Sel.Name == "EncodeJSON")
	}
	return false
}

// mentions says whether e names package protocol or one of names.
func mentions(e ast.Node, names map[string]bool) (yes bool) {
	if e == nil || reflect.ValueOf(e).IsNil() {
		return false
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "protocol" {
				yes = true
			}
		case *ast.Ident:
			yes = yes || names[n.Name]
		}
		return true
	})
	return yes
}
