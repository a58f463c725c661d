package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

//go:embed rename.md
var renameDoc string

type renameArgs struct {
	Path    string `json:"path" jsonschema:"a file that has the name"`
	Line    int    `json:"line" jsonschema:"the line that it is on, from 1"`
	Symbol  string `json:"symbol" jsonschema:"the name, as it is written there"`
	NewName string `json:"newName" jsonschema:"the name that it gets"`
}

// newRename is the tool that renames a symbol in all files. The language server only says
// what would change; it is judged, shown, made and undone like a patch of those files. The
// editor is asked when the call is planned, so that the plan has every text.
func newRename(of *toolset) tool.Tool {
	d := &renamer{&patcher{of}, linguist{of}}
	spec := tool.Spec{Name: "rename", Description: renameDoc, Effect: tool.Write}
	return tool.DefineAsking(spec, func(ctx context.Context, in renameArgs) (*tool.Plan, error) {
		if err := errors.Join(checkName("symbol", in.Symbol), checkName("newName", in.NewName)); err != nil {
			return nil, err
		}
		if in.Line < 1 {
			return nil, errors.New(`argument "line": lines are counted from 1`)
		}
		p, err := d.path(in.Path)
		if err != nil {
			return nil, err
		}
		if d.explains {
			return &tool.Plan{Title: "rename in " + p.title(), Targets: renameTargets(p)}, nil
		}
		plan, err := d.planRename(ctx, in, p)
		return d.unseen("rename in", plan, err, p)
	})
}

// renamer makes a patch of what a language server says.
type renamer struct {
	*patcher
	languages linguist
}

// renameTargets are the files as those of an edit and of a read: the session is shown what
// changes, and need not have read them before.
func renameTargets(paths ...Path) []tool.Target {
	return append(targets(tool.DomainEdit, paths...), targets(tool.DomainRead, paths...)...)
}

func (d *renamer) planRename(ctx context.Context, in renameArgs, p Path) (*tool.Plan, error) {
	switch {
	case !d.languages.answers(tool.LanguageRename):
		return nil, errors.New("the editor cannot be asked to rename; use references or grep, and edit")
	case !p.InVault():
		return nil, fmt.Errorf("%s is outside the workspace; nothing is renamed from there", p)
	case d.reads.hash(p.key()) == "" && slices.ContainsFunc(p.Objects(), d.sensitive("")):
		// What is on a line of it is nothing that a plan may tell before it was judged.
		return nil, fmt.Errorf("%s was not read in this session; read it first (any range)", p)
	}
	timed, done := askedInTime(ctx)
	defer done()
	of, err := d.languages.shownDocument(timed, p)
	if err != nil {
		return nil, err
	}
	at := textedit.Names(of.Text, in.Symbol, in.Line)
	if len(at) == 0 {
		return nil, noName(p, of.Text, in.Symbol, in.Line)
	}
	found, err := d.languages.ask(timed, tool.LanguageQuestion{Kind: tool.LanguageRename, Document: of, Offset: at[0], NewName: in.NewName})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case found.Nobody:
		return nil, fmt.Errorf("no language server of the editor renames in %s; use references or grep, and edit", p)
	case !d.languages.stillShown(of):
		return nil, fmt.Errorf("%s was changed in the editor meanwhile; call rename again", p)
	}
	steps, err := d.renameSteps(found.Changes)
	if err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", err)
	}
	if len(steps) == 0 {
		return nil, errors.New("nothing would change")
	}
	plan := d.planOf(steps, fmt.Sprintf("rename %s to %s: %s", in.Symbol, in.NewName, stepNames(steps)))
	plan.Targets = renameTargets(pathsOf(steps)...)
	for _, s := range steps { // another answer of the language server is another question
		plan.Base = append(plan.Base, hashOf(s.change.data))
	}
	return plan, nil
}

// renameSteps are what a language server wants to change, a file each, in order.
func (d *renamer) renameSteps(changes []tool.LanguageChange) ([]*patchStep, error) {
	slices.SortFunc(changes, func(a, b tool.LanguageChange) int { return strings.Compare(a.URI, b.URI) })
	var steps []*patchStep
	named := map[string]bool{}
	size := 0
	for _, c := range changes {
		if len(c.Edits) == 0 {
			continue
		}
		abs, ok := pathOfURI(c.URI)
		if !ok {
			return nil, fmt.Errorf("%s would change, which is no file", pathname.Printable(tool.CutLine(c.URI, 200)))
		}
		p, err := d.v.locate(abs, true)
		switch {
		case err != nil:
			return nil, err
		case p.visible() != nil:
			return nil, errors.New("a file would change that is hidden from tools")
		case named[p.key()]:
			return nil, fmt.Errorf("the language server names %s more than once", p)
		}
		named[p.key()] = true
		step, err := d.renameStep(p, c)
		if err != nil {
			return nil, err
		}
		if step == nil {
			continue
		}
		if size += len(step.was.data) + len(step.change.data); size > maxPatchBytes {
			return nil, fmt.Errorf("the files are too large together (over %d bytes)", maxPatchBytes)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// renameStep is what becomes of one file; nil where nothing does.
func (d *renamer) renameStep(p Path, c tool.LanguageChange) (*patchStep, error) {
	was, err := d.v.snapshot(p)
	switch {
	case err != nil:
		return nil, err
	case !was.exists:
		return nil, fmt.Errorf("%s would change, which does not exist", p)
	case was.open == nil:
		if err := d.v.notDirty(p); err != nil {
			return nil, err
		}
	}
	if of, _ := d.v.buffers.shown(p); of.URI != "" && c.Version != 0 && c.Version != of.Version {
		return nil, fmt.Errorf("%s was changed in the editor meanwhile; call rename again", p)
	}
	doc, err := decodeWhole(p, was)
	if err != nil {
		return nil, err
	}
	if !doc.utf8 {
		return nil, fmt.Errorf("%s has an encoding that is not known here", p)
	}
	mark := "" // an editor that shows it counts it
	if was.open != nil && strings.HasPrefix(was.open.Text, "\uFEFF") {
		mark = "\uFEFF"
	}
	edits, err := d.v.languages.LanguageEdits(mark+doc.text, c.Edits)
	if err != nil {
		return nil, fmt.Errorf("%s: the answer of the language server does not fit: %w", p, err)
	}
	text := strings.TrimPrefix(replaced(mark+doc.text, edits), mark)
	if text == doc.text {
		return nil, nil
	}
	unread := d.mayChange(p, was) != nil
	return &patchStep{
		file: patch.File{Op: patch.Update, Path: p.Display()}, path: p, was: was, edits: true,
		change: change{path: p, was: was, data: doc.encode(text), from: doc.text, to: text, unread: unread},
	}, nil
}

// replaced is a text with edits that are in order and apart.
func replaced(text string, edits []tool.TextEdit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	return b.String() + text[at:]
}
