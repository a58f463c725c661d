package workspace

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// languageServer is one in an editor: it answers what a test says.
type languageServer struct {
	asked   []tool.LanguageQuestion
	answers map[tool.LanguageKind]tool.LanguageAnswer
	before  func() // while a question is on its way
}

func (s *languageServer) Answers(tool.LanguageKind) bool { return true }

func (s *languageServer) AskLanguage(_ context.Context, q tool.LanguageQuestion) func() (tool.LanguageAnswer, error) {
	s.asked = append(s.asked, q)
	if s.before != nil {
		s.before()
	}
	return func() (tool.LanguageAnswer, error) { return s.answers[q.Kind], nil }
}

func (s *languageServer) LanguageEdits(text string, edits []tool.LanguageEdit) (out []tool.TextEdit, _ error) {
	lines := strings.SplitAfter(text, "\n")
	for _, e := range edits {
		at := len(strings.Join(lines[:e.Start.Line], ""))
		out = append(out, tool.TextEdit{Start: at + int(e.Start.Character), End: at + int(e.End.Character), Text: e.Text})
	}
	return out, nil
}

func newLanguageRoom(t *testing.T, files map[string]string) (*room, *languageServer) {
	r, _ := newEditedRoom(t, files)
	s := &languageServer{answers: map[tool.LanguageKind]tool.LanguageAnswer{}}
	r.v.languages = s
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s1"})...)
	return r, s
}

func (r *room) uri(name string) string { return fileuri.Of(r.root + "/" + name) }

func placesAt(uri string, lines ...int) tool.LanguageAnswer {
	var a tool.LanguageAnswer
	for _, line := range lines {
		a.Places = append(a.Places, tool.LanguagePlace{URI: uri, Line: line})
	}
	return a
}

// What is shown of a file is what the editor shows of it, also where the language server
// names lines that are not there any more.
func TestReferencesOfUnsavedText(t *testing.T) {
	r, s := newLanguageRoom(t, map[string]string{"a": "old\n"})
	r.v.DidOpen(r.uri("a"), 1, "old\n")
	r.v.DidChange(r.uri("a"), 2, "new\nmore new\n")
	s.answers[tool.LanguageReferences] = placesAt(r.uri("a"), 2, 1, 2, 9)
	r.want(r.run("references", "path", "a", "symbol", "new"), false, "a\n  1: new\n  2: more new\n(2 references in 1 file; 1 in files or lines that are not there now)")
	if q := s.asked[0]; q.Document.Text != "new\nmore new\n" || q.Document.Version != 2 || q.Offset != 0 {
		t.Errorf("%+v", q)
	}
	r.want(r.run("references", "path", "a", "symbol", "old"), true, "a does not have old")
}

// Very many places are shown as far as grep shows lines.
func TestReferencesAreBounded(t *testing.T) {
	r, s := newLanguageRoom(t, map[string]string{"a": strings.Repeat("x\n", 3000)})
	var all []int
	for line := range 3000 {
		all = append(all, line+1)
	}
	s.answers[tool.LanguageReferences] = placesAt(r.uri("a"), all...)
	res := r.run("references", "path", "a", "symbol", "x")
	r.want(res, false, "(the first 100 of more than 1000 references)")
	if lines := strings.Count(res.Text, "\n"); lines != 101 {
		t.Errorf("%d lines", lines)
	}
	for i := range 300 {
		at := tool.LanguagePlace{URI: fmt.Sprintf("file:///elsewhere/%d", i), Line: 1}
		s.answers[tool.LanguageDefinition] = tool.LanguageAnswer{Places: append(s.answers[tool.LanguageDefinition].Places, at), Hover: "secret"}
	}
	res = r.run("references", "path", "a", "symbol", "x", "kind", "definition")
	r.want(res, false, "(no definition; outside the workspace, not read: /elsewhere/0:1, ", " and 280 more)")
	if strings.Contains(res.Text, "secret") {
		t.Error("what is outside the workspace is told")
	}
}

// What the language server says of files that the session may not read is left out, whatever
// the name that it has for them.
func TestLanguageServersTellNoSecrets(t *testing.T) {
	r, s := newLanguageRoom(t, map[string]string{"a": "x\n", ".env": "x=hunter2\n", "link": "-> .env"})
	r.sensitive(func(object string) bool { return strings.Contains(object, ".env") })
	for _, name := range []string{".env", "link", "%2Eenv", "d/../.env"} {
		found := placesAt("file://"+r.root+"/"+name, 1)
		found.Hover = "hunter2"
		s.answers[tool.LanguageReferences], s.answers[tool.LanguageDefinition], s.answers[tool.LanguageHover] = found, found, found
		s.answers[tool.LanguageSymbols] = tool.LanguageAnswer{Symbols: []tool.LanguageSymbol{{Name: "hunter2", LanguagePlace: found.Places[0]}}}
		for _, res := range []tool.Result{
			r.run("references", "path", "a", "symbol", "x"), r.run("references", "path", "a", "symbol", "x", "kind", "definition"),
			r.run("symbols", "query", "hunter"), r.run("grep", "pattern", "hunter2"),
		} {
			if strings.Contains(res.Text, "hunter2 ") || strings.Contains(res.Text, "=hunter2") || strings.HasSuffix(res.Text, "hunter2") {
				t.Errorf("%s: %s", name, res.Text)
			}
		}
	}
	if _, err := r.plan("rename", "path", ".env", "line", 1, "symbol", "y", "newName", "z"); err == nil || !strings.Contains(err.Error(), "was not read") {
		t.Errorf("a rename tells what is in a file: %v", err)
	}
}

// A rename is a plan with every text. What is typed before it runs is not overwritten.
func TestRename(t *testing.T) {
	r, s := newLanguageRoom(t, map[string]string{"a": "x = 1\r\n", "b": "y\nuse x\n", "c": "x\n"})
	edit := func(name string, line, from, to uint32) tool.LanguageChange {
		return tool.LanguageChange{URI: r.uri(name), Edits: []tool.LanguageEdit{{
			Start: tool.LanguagePosition{Line: line, Character: from}, End: tool.LanguagePosition{Line: line, Character: to}, Text: "z",
		}}}
	}
	s.answers[tool.LanguageRename] = tool.LanguageAnswer{Changes: []tool.LanguageChange{edit("b", 1, 4, 5), edit("a", 0, 0, 1)}}
	args := []any{"path", "a", "line", 1, "symbol", "x", "newName", "z"}
	p, err := r.plan("rename", args...)
	if err != nil {
		t.Fatal(err)
	}
	if got := objectsOf(p); got != "edit vault:/a, edit vault:/b, read vault:/a, read vault:/b" || p.Title != "rename x to z: a, b" || len(p.Lock) != 2 || p.Effect != tool.Write {
		t.Errorf("%s %q %v %v", got, p.Title, p.Lock, p.Effect)
	}
	pre, err := p.Preview(context.Background(), tool.Grant{})
	if err != nil || !strings.Contains(pre.Text, "-x = 1\n+z = 1\n") || !strings.Contains(pre.Text, "-use x\n+use z\n") {
		t.Errorf("%s %v", pre.Text, err)
	}
	r.put(map[string]string{"b": "y\nuse x\nmore\n"})
	r.want(r.finish(p), true, "nothing was changed: b: ")
	if got := r.file("a"); got != "x = 1\r\n" {
		t.Errorf("a: %q", got)
	}

	p, _ = r.plan("rename", args...)
	r.want(r.finish(p), false, "patched 2 files (+2 −2)")
	if got := r.file("a"); got != "z = 1\r\n" {
		t.Errorf("a: %q", got)
	}
	if got := r.file("b"); got != "y\nuse z\nmore\n" {
		t.Errorf("b: %q", got)
	}
	// The model has not seen the files, and may not edit them unseen.
	r.want(r.run("edit", "path", "b", "old", "more", "new", "less"), true, "was not read in this session")
}

// A rename for another text than the editor shows by then is refused.
func TestRenameOfTextThatMoved(t *testing.T) {
	r, s := newLanguageRoom(t, map[string]string{"a": "x\n"})
	r.v.DidOpen(r.uri("a"), 1, "x\n")
	change := tool.LanguageChange{URI: r.uri("a"), Version: 1, Edits: []tool.LanguageEdit{{End: tool.LanguagePosition{Character: 1}, Text: "z"}}}
	s.answers[tool.LanguageRename] = tool.LanguageAnswer{Changes: []tool.LanguageChange{change}}
	s.before = func() { r.v.DidChange(r.uri("a"), 2, "typed x\n") }
	args := []any{"path", "a", "line", 1, "symbol", "x", "newName", "z"}
	if _, err := r.plan("rename", args...); err == nil || !strings.Contains(err.Error(), "changed in the editor meanwhile") {
		t.Error(err)
	}
	s.before = nil // the document is as it was asked about, and the edit is for an older one
	if _, err := r.plan("rename", args...); err == nil || !strings.Contains(err.Error(), "changed in the editor meanwhile") {
		t.Error(err)
	}
	s.answers[tool.LanguageRename] = tool.LanguageAnswer{Changes: []tool.LanguageChange{{URI: r.uri("a"), Edits: change.Edits}, {URI: r.uri("./a"), Edits: change.Edits}}}
	if _, err := r.plan("rename", args...); err == nil || !strings.Contains(err.Error(), "more than once") {
		t.Error(err)
	}
}
