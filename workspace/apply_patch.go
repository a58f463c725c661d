package workspace

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

//go:embed apply_patch.md
var applyPatchDoc string

type applyPatchArgs struct {
	Patch string `json:"patch" jsonschema:"the whole patch"`
}

// maxPatchBytes is how much text one patch may touch, before and after together:
// all of it is in memory at once.
const maxPatchBytes = 64 << 20

// newApplyPatch is the tool that changes several files or none. It is matched whole
// when it is planned, so that a person is asked once, about all of it, and a patch
// that does not fit asks nobody.
//
// A file whose text changes must have been read in this session, as for edit. One
// that is only moved or deleted need not, as for move and delete.
func newApplyPatch(of *toolset) tool.Tool {
	d := &patcher{of}
	spec := tool.Spec{Name: "apply_patch", Description: applyPatchDoc, Effect: tool.Write}
	return tool.Define(spec, func(in applyPatchArgs) (*tool.Plan, error) {
		files, err := patch.Parse(in.Patch)
		if err != nil {
			return nil, err
		}
		steps, err := d.patchSteps(files)
		if err != nil {
			return nil, err
		}
		plan, err := d.planPatch(steps)
		return d.unseen("patch", plan, err, pathsOf(steps)...)
	})
}

// patcher makes a patch's changes.
type patcher struct{ *toolset }

// patchStep is what a patch does to one file.
type patchStep struct {
	file patch.File
	path Path
	to   Path // of a file that moves

	// What planning it adds.
	was     snapshot
	change  change // where a text changes or comes; its path is the new one
	edits   bool
	move    relocation // where it moves
	removed int        // lines of a file that goes

	checkpoint string // what running it has kept of the file; "" of a new one
}

// moves says whether the file gets another path.
func (s *patchStep) moves() bool { return s.file.To != "" }

// patchSteps finds the paths of a patch. No file is named twice: then the order
// of the steps says nothing, and each can be taken back by itself.
func (d *patcher) patchSteps(files []patch.File) ([]*patchStep, error) {
	var steps []*patchStep
	named := map[string]bool{}
	find := func(name string, follow bool) (Path, error) {
		if strings.HasSuffix(name, "/") {
			return Path{}, fmt.Errorf("%s names a directory", name)
		}
		resolve := d.entry
		if follow {
			resolve = d.path
		}
		p, err := resolve(name)
		if err == nil && named[p.key()] {
			err = fmt.Errorf("%s stands in the patch more than once; put all that happens to a file in one place", p)
		}
		named[p.key()] = true
		return p, err
	}
	for _, f := range files {
		s := &patchStep{file: f}
		var err error
		// A change goes through a link to the file, as with edit; what goes or
		// moves is the entry itself, as with delete and move.
		if s.path, err = find(f.Path, f.Op != patch.Delete && f.To == ""); err != nil {
			return nil, err
		}
		if s.moves() {
			if s.to, err = find(f.To, false); err != nil {
				return nil, err
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// changedBy are the files whose text is another one afterwards.
func changedBy(steps []*patchStep) []Path {
	var out []Path
	for _, s := range steps {
		if s.edits {
			out = append(out, s.change.path)
		}
	}
	return out
}

func pathsOf(steps []*patchStep) []Path {
	var out []Path
	for _, s := range steps {
		out = append(out, s.path)
		if s.moves() {
			out = append(out, s.to)
		}
	}
	return out
}

// planPatch matches every step with its file. The error names all that does not
// fit.
func (d *patcher) planPatch(steps []*patchStep) (*tool.Plan, error) {
	var problems []error
	size := 0
	for _, s := range steps {
		if err := d.planStep(s); err != nil {
			problems = append(problems, err)
		}
		if size += len(s.was.data) + len(s.change.data); size > maxPatchBytes {
			return nil, fmt.Errorf("the files of the patch are too large together (over %d bytes); split it", maxPatchBytes)
		}
	}
	switch {
	case len(problems) == 1:
		return nil, fmt.Errorf("nothing was changed: %w", problems[0])
	case problems != nil:
		return nil, fmt.Errorf("nothing was changed.\n%w", errors.Join(problems...))
	}
	return d.planOf(steps, "patch "+stepNames(steps)), nil
}

// planOf is the plan of steps whose texts are known.
func (d *patcher) planOf(steps []*patchStep, title string) *tool.Plan {
	repository := d.v.makesRepository(pathsOf(steps)...)
	for _, s := range steps {
		s.change.repository, s.move.repository = repository, repository
	}
	plan := &tool.Plan{
		Title:   title,
		Targets: targets(tool.DomainEdit, pathsOf(steps)...),
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) { return previewPatch(steps), nil },
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			watch := d.v.watchProblems(changedBy(steps)...)
			result := d.runPatch(ctx, steps)
			if !result.Failed {
				result.Text += watch.News(ctx)
			}
			return result, nil
		},
	}
	for _, p := range pathsOf(steps) {
		plan.Lock = append(plan.Lock, p.key())
	}
	for _, s := range steps {
		plan.Base = append(plan.Base, s.was.hash)
		if !s.was.exists || !s.edits || !plan.Why.IsZero() {
			continue
		}
		if n := openat.LinkCount(s.was.info); n > 1 { // as for edit
			plan.Why = said.That("%s is one of %d hard links, and the others keep the old content", s.path.title(), n)
		}
	}
	return plan
}

// stepNames names the first files.
func stepNames(steps []*patchStep) string {
	const shown = 3
	var names []string
	for i, s := range steps {
		if i == shown {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(steps)-shown)
		}
		names = append(names, s.title())
	}
	return strings.Join(names, ", ")
}

func (s *patchStep) title() string {
	switch {
	case s.file.Op == patch.Add:
		return s.path.title() + " (new)"
	case s.file.Op == patch.Delete:
		return s.path.title() + " (deleted)"
	case s.moves():
		return s.path.title() + " → " + s.to.title()
	}
	return s.path.title()
}

// planStep finds what a step makes of its file as it is now.
func (d *patcher) planStep(s *patchStep) error {
	var err error
	switch {
	case s.moves():
		if s.move, err = d.newRelocation(s.path, s.to); err != nil {
			return err
		}
		if !s.move.info.Mode().IsRegular() {
			return fmt.Errorf("%s is %s; move it by itself", s.path, openat.KindOf(s.move.info))
		}
		s.was = s.move.was
	case s.file.Op == patch.Delete:
		if s.was, err = d.toDelete(s); err != nil {
			return err
		}
		_, s.removed = countLines(textOrNote(s.was.data), "")
		return nil
	default:
		if s.was, err = d.v.snapshot(s.path); err != nil {
			return err
		}
	}
	if s.file.Op == patch.Add {
		return d.toAdd(s)
	}
	if !s.was.exists {
		return fmt.Errorf("%s does not exist; a new file stands below `*** Add File:` or `--- /dev/null`", s.path)
	}
	if len(s.file.Hunks) == 0 {
		return nil
	}
	return d.toEdit(s)
}

func (d *patcher) toAdd(s *patchStep) error {
	if s.was.exists {
		return fmt.Errorf("%s exists already; change it by hunks, or use write", s.path)
	}
	if err := d.v.notDirty(s.path); err != nil {
		return err
	}
	s.change, s.edits = change{path: s.path, data: []byte(s.file.Content), to: s.file.Content}, true
	return nil
}

// toDelete is the file that goes. Lines that a unified diff shows of it must be all
// of it.
func (d *patcher) toDelete(s *patchStep) (snapshot, error) {
	fi, err := s.path.lstat()
	switch {
	case isMissing(err):
		return snapshot{}, fmt.Errorf("%s does not exist", s.path)
	case err != nil:
		return snapshot{}, fmt.Errorf("%s: %w", s.path, err)
	case !fi.Mode().IsRegular():
		return snapshot{}, fmt.Errorf("%s is %s; use delete for it", s.path, openat.KindOf(fi))
	}
	if err := d.v.notDirty(s.path); err != nil {
		return snapshot{}, err
	}
	was, err := s.path.snapshot()
	if err != nil {
		return snapshot{}, err
	}
	if len(s.file.Hunks) == 0 || d.explains {
		return was, nil
	}
	// Whether lines are those of a file is not told to a session that may not have
	// seen it.
	if err := d.mayChange(s.path, was); err != nil {
		return snapshot{}, err
	}
	if doc, err := decodeDoc(was.data); err != nil || !textedit.Removes(s.file, doc.text) {
		return snapshot{}, fmt.Errorf("%s: the lines that the patch removes are not all that the file holds; read it again", s.path)
	}
	return was, nil
}

// toEdit makes the new text.
func (d *patcher) toEdit(s *patchStep) error {
	if err := d.mayChange(s.path, s.was); err != nil {
		return err
	}
	doc, err := decodeWhole(s.path, s.was)
	if err != nil {
		return err
	}
	text, err := textedit.Apply(s.file, doc.text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", s.path, err)
	case text == doc.text && !s.moves():
		return fmt.Errorf("%s: nothing would change: what the patch adds is there already", s.path)
	}
	at := s.path
	if s.moves() {
		at = s.to
	}
	s.change = change{path: at, was: s.was, data: doc.encode(text), from: doc.text, to: text}
	s.edits = text != doc.text
	return nil
}

// decodeWhole is the text of a file that can be written back as it was.
func decodeWhole(p Path, was snapshot) (document, error) {
	doc, err := decodeDoc(was.data)
	if err != nil {
		return document{}, fmt.Errorf("%s %w", p, err)
	}
	if !bytes.Equal(doc.encode(doc.text), was.data) { // broken UTF-16
		return document{}, fmt.Errorf("%s: its encoding is damaged and could not be kept", p)
	}
	return doc, nil
}

// previewPatch is one diff of all files.
func previewPatch(steps []*patchStep) tool.Preview {
	out := tool.Preview{Kind: "diff"}
	for _, s := range steps {
		text, places := s.diff()
		out.Text += text
		out.Places = append(out.Places, places...)
		out.Files = append(out.Files, s.compared())
	}
	return out
}

// compared is the text of the file before and after the step, under the path that it
// has then.
func (s *patchStep) compared() tool.Compared {
	switch {
	case s.file.Op == patch.Delete:
		return comparedFile(s.path, textOrNote(s.was.data), "")
	case s.file.Op == patch.Add:
		return comparedFile(s.path, "", s.change.to)
	case !s.moves():
		return comparedFile(s.path, s.change.from, s.change.to)
	case !s.edits:
		return movedFile(s.to, textOrNote(s.was.data), textOrNote(s.was.data))
	}
	return movedFile(s.to, s.change.from, s.change.to)
}

// diff is what happens to the file, as git writes it, and where in the files as
// they are.
func (s *patchStep) diff() (string, []tool.Place) {
	switch {
	case s.file.Op == patch.Delete && len(s.was.data) == 0:
		return "--- a/" + diffName(s.path) + "\n+++ /dev/null\n", []tool.Place{{URI: s.path.URI()}}
	case s.file.Op == patch.Delete:
		return unified(s.path, textOrNote(s.was.data), "", false, true, 0)
	case s.file.Op == patch.Add && s.change.to == "":
		return "--- /dev/null\n+++ b/" + diffName(s.path) + "\n", nil
	case s.file.Op == patch.Add:
		return unified(s.path, "", s.change.to, true, false, 0)
	case !s.moves():
		return unified(s.path, s.change.from, s.change.to, false, false, 0)
	}
	renamed := s.move.preview()
	if !s.edits {
		return renamed.Text, renamed.Places
	}
	text, places := unified(s.path, s.change.from, s.change.to, false, false, 0)
	old, now := diffName(s.path), diffName(s.to)
	text = strings.Replace(text, "\n+++ b/"+old+"\n", "\n+++ b/"+now+"\n", 1)
	head, _, _ := strings.Cut(renamed.Text, "similarity index")
	_, names, _ := strings.Cut(renamed.Text, "100%\n")
	return head + names + text, places
}
