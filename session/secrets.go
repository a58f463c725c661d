package session

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/session/tasks"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// contents are the arguments in which a secret is put back, by tool: the new text
// of a file, and what is looked for in it.
var contents = map[string][]string{"write": {"content"}, "edit": {"old", "new"}, "apply_patch": {"patch"}}

// filled is the plan of a call. Secrets are put into its arguments where the model
// wrote placeholders, and only if the call goes to nothing but the file that they
// came from, or the model has written them itself in this very call.
func (l *caller) filled(ctx context.Context, t tool.Tool, callID string, input json.RawMessage) (*tool.Plan, error) {
	filled, toProve, err := l.root.redactor.Restore(input, contents[t.Spec().Name], writerOf(l.id, callID))
	if err != nil {
		return nil, err
	}
	plan, err := tool.PlanOf(ctx, t, filled)
	if len(toProve) == 0 {
		return plan, err
	}
	judged := plan
	if err != nil { // also what is wrong with it may tell of the secret
		judged = l.touchedBy(t, filled)
	}
	files := filesOf(judged)
	for _, name := range toProve {
		if len(files) == 0 || slices.ContainsFunc(files, func(file string) bool { return !l.root.redactor.From(name, file) }) {
			return nil, fmt.Errorf("%w: %s was not read from %s, and a secret is only put back into the file it came from; read that file first, or leave the secret to the user",
				placeholder.ErrPlaceholder, name, cmp.Or(strings.Join(files, ", "), "what this call would change"))
		}
	}
	return plan, err
}

// touchedBy is a plan that says what a call would touch although it cannot be done;
// nil where nobody knows.
func (l *caller) touchedBy(t tool.Tool, input json.RawMessage) *tool.Plan {
	same, ok := tool.NewSet(l.root.place().Tools.ToolsToExplain(l.authority, t.Spec().Name)...).Lookup(t.Spec().Name)
	if !ok {
		return nil
	}
	plan, err := same.Plan(input)
	if err != nil {
		return nil
	}
	return plan
}

// filesOf are the files that a plan is about, as objects: of a tool for one file the
// place that its path resolves to, so that a link to another file is another file.
func filesOf(p *tool.Plan) []string {
	if p == nil {
		return nil
	}
	var files []string
	for _, t := range p.Targets {
		files = append(files, t.Object)
	}
	switch p.Tool {
	case "read", "write", "edit": // the links on the way come first
		return files[max(0, len(files)-1):]
	}
	return files
}

// takeIn hides what a call brought in before anybody sees it: the hooks, the log,
// the model. The whole text, where it is too long for them, goes to an artifact as
// it was: that is a file of the person, and reading it passes here again.
func (l *caller) takeIn(j *invocation) {
	book := l.root.redactor
	for _, known := range j.secrets {
		if known.Text != "" {
			book.Learn(known.Kind, known.Text, known.File)
		}
	}
	text := l.taken(j, j.result.Text)
	if text != j.result.Text {
		j.whole, j.result.Text = j.result.Text, text
	}
	j.hidden = true
	if sp := j.spilled; sp != nil {
		hidden := *sp
		hidden.Text = l.taken(j, sp.Text)
		hidden.Head, hidden.Tail = book.RedactPiece(sp.Head, false, true), book.RedactPiece(sp.Tail, true, false)
		hidden.Note = book.RedactAgain(sp.Note)
		j.spilled = &hidden
	}
}

// taken is the text of a result with placeholders, which remember the file that
// their secret came from where it came from one.
func (l *caller) taken(j *invocation, text string) string {
	book := l.root.redactor
	switch files := filesOf(j.plan); {
	case l.readsArtifact(j), j.plan.Tool == taskName, slices.Contains(tasks.Names, j.plan.Tool):
		// Placeholders in it are ours: also artifacts hold results that were pruned,
		// long answers and reports, and what they name is to be put back as before. A
		// forged one in a raw output names a secret at most for the file that it came from.
		return book.RedactPartAgain(text, within(j.secrets, 0, len(text)))
	case j.result.Status != history.StatusCompleted || len(files) != 1:
	case contents[j.plan.Tool] != nil, j.plan.Tool == "read" && numbered(text):
		return book.RedactPart(text, files[0], within(j.secrets, 0, len(text)))
	case j.plan.Tool == "grep":
		return takeHits(book, text, files[0], j.secrets)
	}
	return book.RedactPart(text, "", within(j.secrets, 0, len(text)))
}

// secretsIn are the secrets that a result says it has. They are where it says only as
// long as its text is the same: of another one each is looked for.
func secretsIn(j *invocation, result tool.Result) []tool.Secret {
	if j.result.Text == result.Text {
		return result.Secrets
	}
	var out []tool.Secret
	for _, s := range result.Secrets {
		if s.Text == "" {
			s.Text = result.Text[s.Start:s.End]
		}
		out = append(out, s)
	}
	return out
}

// within are the secrets that are in a part of a text, which begins at from.
func within(all []tool.Secret, from, to int) []secrets.Found {
	var out []secrets.Found
	for _, s := range all {
		if s.Text == "" && s.Start >= from && s.End <= to {
			out = append(out, secrets.Found{Start: s.Start - from, End: s.End - from, Kind: s.Kind, Part: s.Part})
		}
	}
	return out
}

// numbered says that text begins with a line of a file, not of a directory.
func numbered(text string) bool {
	digits := strings.TrimLeft(text, "0123456789")
	return len(digits) < len(text) && strings.HasPrefix(digits, ": ")
}

// takeHits takes in what grep found: lines below the name of the file they are in.
func takeHits(book *placeholder.Redactor, text, searched string, known []tool.Secret) string {
	const vault = "vault:/"
	var out, section strings.Builder
	source, from := "", 0
	flush := func() {
		to := from + section.Len()
		out.WriteString(book.RedactPart(section.String(), source, within(known, from, to)))
		section.Reset()
		from = to
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "  ") {
			flush()
			file := vault + strings.TrimSuffix(line, "\n")
			if source = ""; strings.HasPrefix(searched, vault) && (file == searched || strings.HasPrefix(file, strings.TrimSuffix(searched, "/")+"/")) {
				source = file
			}
		}
		section.WriteString(line)
	}
	flush()
	return out.String()
}

// namesSecret says that a secret is in what a call is about, such as a command.
func namesSecret(book *placeholder.Redactor, targets []tool.Target) bool {
	return slices.ContainsFunc(targets, func(t tool.Target) bool { return book.RedactAgain(t.Object) != t.Object })
}

// usedNumbers are the highest numbers of placeholders that are in the folder of a
// session: in its log, those of its sub-agents, and what is beside them.
func usedNumbers(dir string) map[string]int {
	used := map[string]int{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read is not shown to a model either
		}
		f, err := durable.Open(path)
		if err != nil {
			return nil
		}
		defer f.Close()
		for r := bufio.NewReaderSize(f, 64<<10); ; {
			line, err := r.ReadBytes('\n')
			placeholder.Highest(used, line)
			if err != nil {
				return nil
			}
		}
	})
	return used
}

// hiddenBlocks are the blocks of a prompt without the secrets that a person typed.
func hiddenBlocks(book *placeholder.Redactor, blocks []history.Block) []history.Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Text, out[i].URI = book.RedactAgain(out[i].Text), book.RedactAgain(out[i].URI)
	}
	return out
}
