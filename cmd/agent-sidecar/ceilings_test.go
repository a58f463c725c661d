package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// limits are what every type, package, file and function keeps to. What was over a limit
// when the law was made is in testdata/ceilings.txt with its own ceiling, which may only
// fall. Measures without a limit are of the whole program and may not rise: how often it is
// unlike other Go programs, in 100,000 lines. Its lines may rise with a feature, by hand.
var limits = map[string]int{
	"methods":     40,  // of one type
	"fields":      20,  // of one struct
	"callbacks":   6,   // fields of one struct that are functions
	"knot":        30,  // percent of a package's files that all need each other, from 11 files on
	"file":        400, // lines
	"function":    80,  // lines
	"total":       0,   // lines of Go without tests
	"switches":    0,   // without a tag, in all packages
	"assignments": 0,   // of several values at once, each with its own expression
	"comparisons": 0,   // with a string literal, cases included
}

const ceilingsFile = "testdata/ceilings.txt"

// TestCeilings measures the objects, the packages and the lines, and holds each against
// its limit, or against its ceiling where it was over the limit.
func TestCeilings(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the ceilings are those of the files for Linux")
	}
	m := measured(t)
	held := readCeilings(t)
	if *update {
		for key, n := range m {
			if was, known := held[key]; known && n < was {
				held[key] = n
			}
		}
		maps.DeleteFunc(held, func(key string, n int) bool { return m[key] <= limitOf(key) })
		writeCeilings(t, held)
	}
	t.Logf("%d lines of tests", m["tests of all"]) // told only: no test is left out for a number
	delete(m, "tests of all")
	for _, key := range slices.Sorted(maps.Keys(m)) {
		n, ceiling, known := m[key], limitOf(key), false
		if c, is := held[key]; is {
			ceiling, known = c, true
		}
		switch {
		case n > ceiling:
			t.Errorf("%s is %d, and may be %d", key, n, ceiling)
		case known && n < ceiling && limitOf(key) > 0:
			t.Errorf("%s has come down from %d to %d: go test ./cmd/agent-sidecar -run TestCeilings -update", key, ceiling, n)
		}
	}
	for key := range held {
		if _, is := m[key]; !is {
			t.Errorf("%s: there is no %s any more; take its line out", ceilingsFile, key)
		}
	}
}

func limitOf(key string) int {
	measure, _, _ := strings.Cut(key, " ")
	return limits[measure]
}

func readCeilings(t *testing.T) map[string]int {
	t.Helper()
	f, err := os.Open(ceilingsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	held := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		at := strings.LastIndexByte(lines.Text(), ' ')
		n, err := strconv.Atoi(lines.Text()[at+1:])
		if err != nil || at < 0 {
			t.Fatalf("%s: %q", ceilingsFile, lines.Text())
		}
		held[lines.Text()[:at]] = n
	}
	return held
}

func writeCeilings(t *testing.T, held map[string]int) {
	t.Helper()
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(held)) {
		fmt.Fprintf(&b, "%s %d\n", key, held[key])
	}
	if err := os.WriteFile(ceilingsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

type sources struct {
	Dir, ImportPath, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// measured is every measure by its key, which is its name and what it is of.
func measured(t *testing.T) map[string]int {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=Dir,ImportPath,Export,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ours []sources
	exports := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p sources
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			ours = append(ours, p)
		}
	}
	m := measure{t: t, is: map[string]int{}, set: token.NewFileSet()}
	m.from = importer.ForCompiler(m.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		m.pkg(p)
	}
	for _, dialect := range []string{"switches", "assignments", "comparisons"} {
		m.is[dialect+" in 100,000 lines"] = m.is[dialect] * 100_000 / m.is["total of all"]
		delete(m.is, dialect)
	}
	return m.is
}

type measure struct {
	t    *testing.T
	set  *token.FileSet
	from types.Importer
	is   map[string]int
}

func (m *measure) pkg(p sources) {
	name := strings.TrimPrefix(p.ImportPath, module)
	for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
		m.is["tests of all"] += m.lines(filepath.Join(p.Dir, file))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	for _, file := range p.GoFiles {
		path := filepath.Join(p.Dir, file)
		parsed, err := parser.ParseFile(m.set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			m.t.Fatal(err)
		}
		files = append(files, parsed)
		if ast.IsGenerated(parsed) {
			continue
		}
		n := m.lines(path)
		m.is["total of all"] += n
		m.is["file "+name+"/"+file] = n
		m.dialect(parsed)
		m.functions(name, parsed)
	}
	conf := types.Config{Importer: m.from}
	checked, err := conf.Check(p.ImportPath, m.set, files, info)
	if err != nil {
		m.t.Fatal(err)
	}
	m.objects(name, checked)
	if len(files) > 10 {
		m.is["knot "+name] = 100 * knot(m.set, files, checked, info) / len(files)
	}
}

func (m *measure) lines(path string) int {
	raw, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.Count(string(raw), "\n")
}

// dialect counts what other Go programs write seldom.
func (m *measure) dialect(file *ast.File) {
	literal := func(e ast.Expr) bool {
		l, is := e.(*ast.BasicLit)
		return is && l.Kind == token.STRING && l.Value != `""`
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			if n.Tag == nil {
				m.is["switches"]++
			}
		case *ast.AssignStmt:
			if len(n.Lhs) > 1 && len(n.Lhs) == len(n.Rhs) {
				m.is["assignments"]++
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (literal(n.X) || literal(n.Y)) {
				m.is["comparisons"]++
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, literal) {
				m.is["comparisons"]++
			}
		}
		return true
	})
}

func (m *measure) functions(pkg string, file *ast.File) {
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			name = types.ExprString(f.Recv.List[0].Type) + "." + name
		}
		n := m.set.Position(f.End()).Line - m.set.Position(f.Pos()).Line + 1
		key := "function " + pkg + "." + strings.TrimPrefix(name, "*")
		m.is[key] = max(m.is[key], n) // there may be several init
	}
}

func (m *measure) objects(pkg string, p *types.Package) {
	for _, name := range p.Scope().Names() {
		typed, is := p.Scope().Lookup(name).(*types.TypeName)
		if !is || typed.IsAlias() {
			continue
		}
		named, is := typed.Type().(*types.Named)
		if !is || ast.IsGenerated(m.fileOf(typed)) {
			continue
		}
		m.is["methods "+pkg+"."+name] = named.NumMethods()
		fields, is := named.Underlying().(*types.Struct)
		if !is {
			continue
		}
		m.is["fields "+pkg+"."+name] = fields.NumFields()
		for f := range fields.Fields() {
			if _, is := f.Type().Underlying().(*types.Signature); is {
				m.is["callbacks "+pkg+"."+name]++
			}
		}
	}
}

func (m *measure) fileOf(o types.Object) *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), m.set.Position(o.Pos()).Filename, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		m.t.Fatal(err)
	}
	return file
}

// knot is how many files are in the largest set in which each file needs, by whatever
// way, each other: a file needs another one when it names what that one declares.
func knot(set *token.FileSet, files []*ast.File, p *types.Package, info *types.Info) int {
	needs := map[string]map[string]bool{}
	for _, f := range files {
		from := set.Position(f.Pos()).Filename
		needs[from] = map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				if o := info.Uses[id]; o != nil && o.Pkg() == p && declared(o, p) {
					if to := set.Position(o.Pos()).Filename; to != from {
						needs[from][to] = true
					}
				}
			}
			return true
		})
	}
	reach := map[string]map[string]bool{}
	for from := range needs {
		seen := map[string]bool{}
		for next := []string{from}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for to := range needs[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		reach[from] = seen
	}
	most := 0
	for a := range reach {
		n := 0
		for b := range reach[a] {
			if reach[b][a] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// declared says that an object is of the package itself, or a method.
func declared(o types.Object, p *types.Package) bool {
	if f, is := o.(*types.Func); is && f.Signature().Recv() != nil {
		return true
	}
	return o.Parent() == p.Scope()
}
