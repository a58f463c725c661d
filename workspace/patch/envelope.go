package patch

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The marks of the form that begins with `*** Begin Patch`.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	deleteFile = "*** Delete File:"
	updateFile = "*** Update File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

// envelope reads a patch between `*** Begin Patch` and `*** End Patch`. A patch
// without its end was cut off, and nothing of it is done.
func (l *patchLines) envelope() ([]File, error) {
	l.at++
	var files []File
	for {
		l.skipBlank()
		if l.done() {
			return nil, l.wrong("%s is missing: the patch may be cut off", endPatch)
		}
		if l.mark() == endPatch {
			break
		}
		f, err := l.envelopeFile()
		if err != nil {
			return nil, err
		}
		files = join(files, f)
	}
	l.at++
	l.skipBlank()
	switch {
	case !l.done():
		return nil, l.wrong("there is text behind %s", endPatch)
	case len(files) == 0:
		return nil, l.wrong("there is nothing between %s and %s", beginPatch, endPatch)
	}
	return files, nil
}

// join adds a file, or the hunks of one that the patch has named before.
func join(files []File, f File) []File {
	for i := range files {
		if was := &files[i]; was.Path == f.Path && was.Op == Update && f.Op == Update && was.To == "" && f.To == "" {
			was.Hunks = append(was.Hunks, f.Hunks...)
			return files
		}
	}
	return append(files, f)
}

// mark is the line without blanks at its end; marks are at its beginning.
func (l *patchLines) mark() string { return strings.TrimRight(l.peek(), " \t\r") }

// named says whether the line is this mark, and gives the path behind it.
func (l *patchLines) named(mark string) (string, bool) {
	path, ok := strings.CutPrefix(l.mark(), mark)
	if !ok {
		return "", false
	}
	return strings.TrimSpace(path), true
}

func (l *patchLines) envelopeFile() (File, error) {
	f := File{Line: l.at + 1}
	var ok bool
	if f.Path, ok = l.named(addFile); ok {
		f.Op = Add
		l.at++
		return f, l.added(&f)
	}
	if f.Path, ok = l.named(deleteFile); ok {
		f.Op = Delete
		l.at++
		l.skipBlank()
		if !l.done() && !strings.HasPrefix(l.peek(), "*** ") {
			return f, l.wrong("nothing may stand below %s", deleteFile)
		}
		return f, nil
	}
	if f.Path, ok = l.named(updateFile); !ok {
		return f, l.wrong("%q is none of `%s`, `%s`, `%s` and `%s`", tool.CutLine(l.peek(), 80), addFile, updateFile, deleteFile, endPatch)
	}
	f.Op = Update
	l.at++
	if !l.done() {
		if f.To, ok = l.named(moveTo); ok {
			l.at++
		}
	}
	for {
		for !l.done() && l.peek() == "" { // between two hunks
			l.at++
		}
		if l.done() || l.section() {
			return f, nil
		}
		h, err := l.envelopeHunk()
		if err != nil {
			return f, err
		}
		f.Hunks = append(f.Hunks, h)
	}
}

// section says whether the next file or the end of the patch begins.
func (l *patchLines) section() bool {
	for _, mark := range []string{addFile, deleteFile, updateFile} {
		if strings.HasPrefix(l.peek(), mark) {
			return true
		}
	}
	return l.mark() == endPatch
}

// added reads the lines of a new file.
func (l *patchLines) added(f *File) error {
	var b strings.Builder
	for !l.done() && !l.section() {
		line, ok := strings.CutPrefix(l.peek(), "+")
		if !ok {
			l.skipBlank()
			if l.done() || l.section() {
				break
			}
			return l.wrong("%q has no + in front; every line of a new file has one", tool.CutLine(l.peek(), 80))
		}
		b.WriteString(line + "\n")
		l.at++
	}
	f.Content = b.String()
	return nil
}

func (l *patchLines) envelopeHunk() (Hunk, error) {
	h := Hunk{Line: l.at + 1}
	var r lineRange
	for !l.done() && strings.HasPrefix(l.peek(), "@@") {
		if n, ok := hunkRange(l.mark()); ok { // the header of the other form
			r, h.Start, h.Heading = n, n.oldStart, n.heading
		} else if header := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(l.mark(), "@@"), " @@")); header != "" && header != "@@" {
			h.Headers = append(h.Headers, header)
		}
		l.at++
	}
	for ; !l.done() && !l.section() && !strings.HasPrefix(l.peek(), "@@"); l.at++ {
		if l.mark() == endOfFile {
			h.AtEnd = true
			l.at++
			break
		}
		line, ok := hunkLine(l.peek())
		if !ok {
			return h, l.noMark()
		}
		h.Lines = append(h.Lines, line)
	}
	if len(h.Lines) == 0 {
		return h, l.wrong("there are no lines behind @@")
	}
	h.Counted = r.counts(h)
	return h, nil
}
