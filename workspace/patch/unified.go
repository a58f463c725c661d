package patch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// unified reads a unified diff, with or without the lines that git puts in front.
// What is before the first file is left alone, as a mail is.
func (l *patchLines) unified() ([]File, error) {
	var files []File
	prose := true
	for {
		for !l.done() && !l.fileHeader() {
			switch line := l.mark(); {
			case strings.HasPrefix(line, "@@"):
				return nil, l.wrong("there is no file above this hunk: `--- a/<path>` and `+++ b/<path>` stand before the first one")
			case prose, line == "", strings.HasPrefix(line, "Index: "), strings.HasPrefix(line, "====="), strings.HasPrefix(line, "diff "):
			case l.signature():
				prose = true
			case strings.HasPrefix(line, beginPatch), strings.HasPrefix(line, updateFile), strings.HasPrefix(line, endPatch):
				return nil, l.wrong("a unified diff and `%s` cannot be mixed", beginPatch)
			default:
				return nil, l.noMark()
			}
			l.at++
		}
		if l.done() {
			break
		}
		f, err := l.unifiedFile()
		if err != nil {
			return nil, err
		}
		files, prose = join(files, f), false
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("this is no patch: it has neither `%s` nor `--- a/<path>` with `+++ b/<path>` below it", beginPatch)
	}
	return files, nil
}

// fileHeader says whether the next file begins here.
func (l *patchLines) fileHeader() bool {
	return strings.HasPrefix(l.peek(), "diff --git ") ||
		strings.HasPrefix(l.peek(), "--- ") && strings.HasPrefix(l.ahead(1), "+++ ")
}

// signature is what git's mails end with.
func (l *patchLines) signature() bool {
	return l.peek() == "-- " && mailVersion().MatchString(l.ahead(1))
}

var mailVersion = lazy.Regexp(`^\d+\.\d+`)

// fileHead is what is above the hunks of a file.
type fileHead struct {
	old, new         string // "" where nothing names them
	renamed          bool
	created, deleted bool
	mode             string // of a link or a module
}

const devNull = "/dev/null"

func (l *patchLines) unifiedFile() (File, error) {
	f := File{Line: l.at + 1}
	head, err := l.fileHead()
	if err != nil {
		return f, err
	}
	for !l.done() && strings.HasPrefix(l.peek(), "@@") {
		h, err := l.unifiedHunk()
		if err != nil {
			return f, err
		}
		f.Hunks = append(f.Hunks, h)
	}
	switch {
	case head.old == "" || head.new == "":
		return f, l.wrong("the name of the file above cannot be told; write `--- a/<path>` and `+++ b/<path>`")
	case head.created:
		f.Op, f.Path = Add, head.new
		return f, l.created(&f)
	case head.deleted:
		f.Op, f.Path = Delete, head.old
		return f, l.deleted(f)
	case head.old != head.new && !head.renamed:
		return f, l.wrong("the patch names two files, %s and %s; a file that moves has `rename from` and `rename to`", head.old, head.new)
	}
	f.Op, f.Path = Update, head.old
	if head.renamed {
		f.To = head.new
	}
	return f, nil
}

// fileHead reads up to the first hunk.
func (l *patchLines) fileHead() (fileHead, error) {
	var head fileHead
	var modes [2]string
	plainNames := false // no a/ and b/ in front
	if names, ok := strings.CutPrefix(l.mark(), "diff --git "); ok {
		head.old, head.new, plainNames = gitNames(names)
		for l.at++; !l.done(); l.at++ {
			key, value := gitLine(l.mark())
			switch key {
			case "":
			case "index ":
				if _, mode, ok := strings.Cut(value, " "); ok {
					head.mode = mode
				}
			case "old mode ":
				modes[0] = value
			case "new mode ":
				modes[1] = value
			case "new file mode ":
				head.created, head.mode = true, value
			case "deleted file mode ":
				head.deleted, head.mode = true, value
			case "rename from ":
				head.renamed, head.old = true, fileName(value)
			case "rename to ":
				head.renamed, head.new = true, fileName(value)
			case "copy from ", "copy to ":
				return head, l.wrong("a patch cannot copy a file here; add the new file with its content")
			case "GIT binary patch", "Binary files ":
				return head, l.wrong("binary patches cannot be applied")
			}
			if key == "" {
				break
			}
		}
	}
	switch {
	case modes[0] != modes[1]:
		return head, l.wrong("the patch changes the mode of a file from %s to %s; modes are not changed here: leave these lines out and use chmod", modes[0], modes[1])
	case head.mode == "120000" || head.mode == "160000":
		return head, l.wrong("the patch changes a link or a submodule (mode %s), which cannot be done here", head.mode)
	case head.created && head.mode == "100755":
		return head, l.wrong("the patch makes a file that can be run (mode 100755); modes are not set here: write 100644 and use chmod")
	}
	if l.done() || !strings.HasPrefix(l.peek(), "--- ") || !strings.HasPrefix(l.ahead(1), "+++ ") {
		if !l.done() && strings.HasPrefix(l.peek(), "Binary files ") {
			return head, l.wrong("binary patches cannot be applied")
		}
		return head, nil
	}
	old, new := fileName(strings.TrimPrefix(l.peek(), "--- ")), fileName(strings.TrimPrefix(l.ahead(1), "+++ "))
	head.created, head.deleted = head.created || old == devNull, head.deleted || new == devNull
	if old == devNull && new == devNull {
		return head, l.wrong("both names are /dev/null")
	}
	if !plainNames {
		old, new = stripPrefixes(old, new)
	}
	switch {
	case old == devNull:
		old = new
	case new == devNull:
		new = old
	}
	if head.renamed && (old != head.old || new != head.new) {
		return head, l.wrong("the patch renames %s to %s, but its hunks name %s and %s", head.old, head.new, old, new)
	}
	head.old, head.new = old, new
	l.at += 2
	if l.done() || !strings.HasPrefix(l.peek(), "@@") {
		return head, l.wrong("a hunk that begins with @@ must stand below `+++`")
	}
	return head, nil
}

// created makes the content of a new file of its only hunk.
func (l *patchLines) created(f *File) error {
	if len(f.Hunks) > 1 {
		return l.wrong("the new file %s has %d hunks; it can have one", f.Path, len(f.Hunks))
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		h = h.Trimmed()
		for _, line := range h.Lines {
			if line.Kind != '+' {
				return l.wrong("the new file %s has lines without +", f.Path)
			}
			b.WriteString(line.Text + "\n")
		}
		f.Content = b.String()
		if h.NewEnd {
			f.Content = strings.TrimSuffix(f.Content, "\n")
		}
	}
	f.Hunks = nil
	return nil
}

func (l *patchLines) deleted(f File) error {
	for _, h := range f.Hunks {
		for _, line := range h.Trimmed().Lines {
			if line.Kind != '-' {
				return l.wrong("%s is deleted, so every line of its hunk begins with -", f.Path)
			}
		}
	}
	return nil
}

// lineRange is the header of a hunk of a unified diff.
type lineRange struct {
	oldStart, oldLen, newLen int
	heading                  string
	told                     bool // false: there are no numbers
}

var hunkHead = lazy.Regexp(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$`)

func hunkRange(line string) (lineRange, bool) {
	m := hunkHead().FindStringSubmatch(line)
	if m == nil {
		return lineRange{}, false
	}
	number := func(s string, without int) int {
		if s == "" {
			return without
		}
		n, _ := strconv.Atoi(s) // at most nine digits
		return n
	}
	return lineRange{number(m[1], 0), number(m[2], 1), number(m[4], 1), strings.TrimSpace(m[5]), true}, true
}

// counts says whether the lengths are those of the hunk, as it is or without the
// empty lines at its end.
func (r lineRange) counts(h Hunk) bool {
	return r.told && (r.exactly(h) || r.exactly(h.Trimmed()))
}

func (r lineRange) exactly(h Hunk) bool {
	old, new := 0, 0
	for _, l := range h.Lines {
		if l.Kind != '+' {
			old++
		}
		if l.Kind != '-' {
			new++
		}
	}
	return old == r.oldLen && new == r.newLen
}

func (l *patchLines) unifiedHunk() (Hunk, error) {
	h := Hunk{Line: l.at + 1}
	if strings.HasPrefix(l.peek(), "@@@") {
		return h, l.wrong("a combined diff (@@@) cannot be applied")
	}
	r, ok := hunkRange(l.mark())
	if ok {
		h.Start, h.Heading = r.oldStart, r.heading
	} else {
		h.Heading = strings.Trim(l.mark(), "@ \t")
	}
	l.at++
	end, counted := l.countedEnd(r)
	if !counted {
		end = l.hunkEnd()
	}
	for ; l.at < end; l.at++ {
		if strings.HasPrefix(l.peek(), `\`) {
			if len(h.Lines) == 0 {
				return h, l.wrong("no line stands above this marker")
			}
			kind := h.Lines[len(h.Lines)-1].Kind
			h.OldEnd, h.NewEnd = h.OldEnd || kind != '+', h.NewEnd || kind != '-'
			continue
		}
		line, ok := hunkLine(l.peek())
		if !ok {
			return h, l.noMark()
		}
		h.Lines = append(h.Lines, line)
	}
	h.AtEnd = h.OldEnd || h.NewEnd
	h.Counted = r.counts(h)
	if len(h.Lines) == 0 && !h.Counted {
		return h, l.wrong("there are no lines below @@")
	}
	return h, nil
}

// countedEnd is where a hunk ends by its own lengths, if a hunk can end there.
// Models miscount, and a line `--- x` may be one that goes.
func (l *patchLines) countedEnd(r lineRange) (end int, ok bool) {
	at := *l
	for old, new := r.oldLen, r.newLen; r.told && (old > 0 || new > 0); at.at++ {
		if at.done() {
			return 0, false
		}
		if strings.HasPrefix(at.peek(), `\`) {
			continue
		}
		line, ok := hunkLine(at.peek())
		if !ok {
			return 0, false
		}
		if line.Kind != '+' {
			old--
		}
		if line.Kind != '-' {
			new--
		}
		if old < 0 || new < 0 {
			return 0, false
		}
	}
	for !at.done() && strings.HasPrefix(at.peek(), `\`) {
		at.at++
	}
	return at.at, r.told && (at.done() || at.peek() == "" || at.ends())
}

// hunkEnd is where a hunk ends by what is there.
func (l *patchLines) hunkEnd() int {
	at := *l
	for !at.done() && !at.ends() {
		at.at++
	}
	return at.at
}

// ends says whether something other than a hunk's line begins here.
func (l *patchLines) ends() bool {
	return strings.HasPrefix(l.peek(), "@@") || l.fileHeader() || l.signature() ||
		strings.HasPrefix(l.peek(), "Index: ") || strings.HasPrefix(l.peek(), "diff ")
}
