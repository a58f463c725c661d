// platforms vets this module for systems that this machine is not, tests included, without
// compiling anything: go vet would first compile the standard library and every module for
// each of them. Of what is not ours only the declarations are checked.
//
//	go run .ci/platforms.go darwin/arm64 windows/amd64
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"golang.org/x/tools/go/packages"
)

// suite is what go vet looks for, but for assembly, cgo and the version of the standard library.
var suite = []*analysis.Analyzer{
	appends.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer, composite.Analyzer, copylock.Analyzer,
	defers.Analyzer, directive.Analyzer, errorsas.Analyzer, hostport.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer,
	loopclosure.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, slog.Analyzer,
	stdmethods.Analyzer, stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer, tests.Analyzer, timeformat.Analyzer,
	unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer, waitgroup.Analyzer,
}

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		if err := vet(platform); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func vet(platform string) error {
	system, processor, _ := strings.Cut(platform, "/")
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	roots, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(set *token.FileSet, path string, source []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution|parser.ParseComments)
			if rel, outside := filepath.Rel(top, path); file != nil && (outside != nil || strings.HasPrefix(rel, "..")) {
				shorten(file)
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return err
	}
	// What go test adds to make a program of a package's tests is nobody's source.
	roots = slices.DeleteFunc(roots, func(p *packages.Package) bool { return strings.HasSuffix(p.PkgPath, ".test") })
	var found []string
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main {
			for _, e := range p.Errors {
				found = append(found, e.Error())
			}
		}
		p.IllTyped = false // what the functions of others lack is no error of their own
	})
	if len(found) == 0 {
		graph, err := checker.Analyze(suite, roots, nil)
		if err != nil {
			return err
		}
		for action := range graph.All() {
			if !action.IsRoot {
				continue
			}
			if action.Err != nil {
				found = append(found, fmt.Sprint(action, ": ", action.Err))
			}
			for _, d := range action.Diagnostics {
				found = append(found, fmt.Sprint(action.Package.Fset.Position(d.Pos), ": ", d.Message))
			}
		}
	}
	slices.Sort(found)
	return said(slices.Compact(found)) // a package with tests is there twice
}

func said(found []string) error {
	if len(found) == 0 {
		return nil
	}
	return errors.New(strings.Join(found, "\n"))
}

// shorten leaves of each function that it ends.
func shorten(file *ast.File) {
	for _, decl := range file.Decls {
		if f, is := decl.(*ast.FuncDecl); is && f.Body != nil {
			at := f.Body.Lbrace
			f.Body.List = []ast.Stmt{&ast.ForStmt{For: at, Body: &ast.BlockStmt{Lbrace: at, Rbrace: at}}}
		}
	}
}
