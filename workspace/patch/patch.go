// Package patch reads patches in the forms that models write. It knows no text that
// they are for, and no file.
package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Op is what a patch does to a file. The zero value does nothing.
type Op int

// The operations. An update may move the file too, and a move alone is an update
// without hunks.
const (
	NoOp Op = iota
	Add
	Update
	Delete
)

// File is what a patch does to one file.
type File struct {
	Op      Op
	Line    int    // of the patch, from 1, where it begins
	Path    string // the file as it is named now; of Add the new one
	To      string // Update: its new path, "" where it stays
	Content string // Add
	Hunks   []Hunk // Update; of a Delete what the file must hold, none for anything
}

// Hunk is one change of a file: whole lines that are there, and what becomes of
// them.
type Hunk struct {
	Line  int    // of the patch, from 1, where it begins
	Lines []Line // without line ends

	// Below `*** Begin Patch`: lines that are before the place, the outer one
	// first. Heading is the same of a unified diff, which is only a hint there.
	Headers []string
	Heading string
	// Start is the line of the old file, from 1, that a unified diff names; 0 for
	// none. Counted says that the lengths beside it are right.
	Start   int
	Counted bool

	AtEnd  bool // the old lines are the last ones of the file
	OldEnd bool // a marker says that the old file has no final line end
	NewEnd bool // and the new one
}

// Line is a line of a hunk. Kind is ' ' for one that stays, '-' and '+'.
type Line struct {
	Kind byte
	Text string // may end with a CR
	bare bool   // an empty line of the patch, without even the blank in front
}

const (
	// maxPatchFiles and maxPatchHunks bound what a person would have to look at.
	maxPatchFiles = 200
	maxPatchHunks = 2000
)

// Parse reads a patch in either of the two forms that models write: between
// `*** Begin Patch` and `*** End Patch`, or a unified diff as diff and git write
// it. What it cannot carry out to the letter it refuses: there is no guess about
// a line that has no mark in front. An error names the line of the patch.
func Parse(text string) ([]File, error) {
	l := &patchLines{lines: splitPatch(text)}
	l.unfence()
	l.skipBlank()
	if l.done() {
		return nil, errors.New("the patch is empty")
	}
	var files []File
	var err error
	if strings.TrimRight(l.peek(), " \t\r") == beginPatch {
		files, err = l.envelope()
	} else {
		files, err = l.unified()
	}
	if err != nil {
		return nil, err
	}
	hunks := 0
	for _, f := range files {
		hunks += len(f.Hunks)
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	switch {
	case len(files) > maxPatchFiles:
		return nil, fmt.Errorf("the patch changes %d files, at most %d; split it", len(files), maxPatchFiles)
	case hunks > maxPatchHunks:
		return nil, fmt.Errorf("the patch has %d hunks, at most %d; split it", hunks, maxPatchHunks)
	}
	return files, nil
}

// check refuses what a patch cannot mean.
func (f File) check() error {
	switch {
	case f.Path == "" || f.Op == NoOp:
		return fmt.Errorf("line %d of the patch: the name of the file is missing", f.Line)
	case f.Op == Update && len(f.Hunks) == 0 && (f.To == "" || f.To == f.Path):
		return fmt.Errorf("line %d of the patch: nothing is said about what changes in %s", f.Line, f.Path)
	}
	for _, h := range f.Hunks {
		if f.Op == Update && !h.changes() {
			return fmt.Errorf("line %d of the patch: the hunk of %s has no line with + or -, so it changes nothing", h.Line, f.Path)
		}
	}
	return nil
}

func (h Hunk) changes() bool {
	for _, l := range h.Lines {
		if l.Kind != ' ' {
			return true
		}
	}
	return false
}

// Side is the old ('-') or the new ('+') lines of a hunk, each with its end.
func (h Hunk) Side(kind byte) string {
	var b strings.Builder
	for _, l := range h.Lines {
		if l.Kind == ' ' || l.Kind == kind {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// OldLines are the lines that are in the file before, without their ends.
func (h Hunk) OldLines() []string {
	var out []string
	for _, l := range h.Lines {
		if l.Kind != '+' {
			out = append(out, strings.TrimSuffix(l.Text, "\r"))
		}
	}
	return out
}

// Trimmed is the hunk without the empty lines at its end that lack even the blank
// in front: they may be there to look nice.
func (h Hunk) Trimmed() Hunk {
	for n := len(h.Lines); n > 0 && h.Lines[n-1].bare; n-- {
		h.Lines = h.Lines[:n-1]
	}
	return h
}

// patchLines walks through the lines of a patch.
type patchLines struct {
	lines []string
	at    int
}

// splitPatch makes lines of a patch. One that has CRLF everywhere is taken as if
// it had LF: somebody's editor did it.
func splitPatch(text string) []string {
	if strings.Count(text, "\r\n") == strings.Count(text, "\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// unfence takes off a Markdown fence around the whole.
func (l *patchLines) unfence() {
	l.skipBlank()
	if l.done() || !strings.HasPrefix(l.peek(), "```") {
		return
	}
	for n := len(l.lines) - 1; n > l.at; n-- {
		switch line := strings.TrimSpace(l.lines[n]); line {
		case "":
			continue
		case "```":
			l.lines = l.lines[:n]
			l.at++
		}
		return
	}
}

func (l *patchLines) done() bool   { return l.at >= len(l.lines) }
func (l *patchLines) peek() string { return l.lines[l.at] }

func (l *patchLines) ahead(n int) string {
	if l.at+n >= len(l.lines) {
		return ""
	}
	return l.lines[l.at+n]
}

func (l *patchLines) skipBlank() {
	for !l.done() && strings.TrimSpace(l.peek()) == "" {
		l.at++
	}
}

// wrong is an error about the line where the walk is.
func (l *patchLines) wrong(format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %s", l.at+1, fmt.Sprintf(format, args...))
}

// hunkLine reads one line of a hunk.
func hunkLine(line string) (Line, bool) {
	if line == "" || line == "\r" { // models and mail drop the blank in front of an empty line
		return Line{' ', line, true}, true
	}
	switch line[0] {
	case ' ', '+', '-':
		return Line{line[0], line[1:], false}, true
	}
	return Line{}, false
}

// noMark explains a line that belongs to nothing.
func (l *patchLines) noMark() error {
	if _, ok := hunkLine(l.peek()); ok {
		return l.wrong("%q stands in no hunk; one begins with @@", tool.CutLine(l.peek(), 80))
	}
	return l.wrong("%q begins with neither a blank (stays), `-` (goes) nor `+` (comes); every line of a hunk has one in front", tool.CutLine(l.peek(), 80))
}
