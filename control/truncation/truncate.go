// Package truncation says what of a long result reaches the conversation: the beginning,
// the end, and where the whole of it is. It keeps nothing and writes no file.
package truncation

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The defaults of what a result may have.
const (
	DefaultMaxLines = 2000
	DefaultMaxBytes = 51_200
)

// MinWrapperBytes is room for the wrapper without any preview; a smaller
// maxBytes counts as this much.
const MinWrapperBytes = 2048

// Limits bound what a result may cost the conversation. Zero or less means the
// default; fewer bytes than 2,048 count as so many.
type Limits struct {
	MaxLines int
	MaxBytes int
}

func (l Limits) orDefault() Limits {
	if l.MaxLines <= 0 {
		l.MaxLines = DefaultMaxLines
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	l.MaxBytes = max(l.MaxBytes, MinWrapperBytes)
	return l
}

// Output is what a tool, hook, MCP server or sub-agent gave back. Either Text
// is all of it, or Head and Tail what was kept of an output that went
// straight to a file; then the sizes and SHA256 are of the whole output. With
// Text, sizes that are zero are counted here.
type Output struct {
	Tool   string
	CallID string
	Text   string

	Head, Tail string
	Bytes      int64
	Chars      int64
	Lines      int64
	SHA256     string // hex, of the whole output

	// ArtifactPath is Vault-relative (absolute outside the Vault); nil when the
	// output could not be kept.
	ArtifactPath *string
	FullPath     string // absolute
	Capped       bool   // the file itself was cut at its cap
	// TaskAvailable says that the agent has `task`, so that the hint may name it.
	TaskAvailable bool
	Note          string // is after the preview: exit code, time-out
	// TooLong says that Text is not to be shown whole although it is within the
	// limits: with its note, or encoded, it is not.
	TooLong bool
}

// Cut says what Truncate did. The zero Cut means: shown as it was.
type Cut struct {
	Truncated    bool
	OmittedLines int64
	OmittedBytes int64
}

// Needs says whether text is over the limits, so that the caller makes an
// artifact of it before it calls Truncate.
func Needs(text string, lim Limits) bool {
	in, _ := Output{Text: text}.measured()
	return !in.fits(lim.orDefault())
}

// Fits says that a text and the note behind it may be shown as they are.
func Fits(text, note string, lim Limits) bool {
	if note == "" {
		return !Needs(text, lim)
	}
	return !Needs(text, lim) && len(text)+len("\n\n")+len(note) <= lim.orDefault().MaxBytes
}

// Page is the beginning of a text that is in a file as it is: whole lines
// within the limits and how to go on. It is for results that only show an
// artifact, which must not become another artifact.
func Page(text string, lim Limits) string {
	lim = lim.orDefault()
	text = strings.ToValidUTF8(text, "\uFFFD")
	const room = 200 // for the last line
	page := headOf(text, lim.MaxBytes-room, max(1, lim.MaxLines-1))
	if page != "" && !strings.HasSuffix(page, "\n") {
		page += "\n"
	}
	return page + fmt.Sprintf("(cut after %d bytes: a result shows at most %d lines and %d bytes; go on with a larger offset, or a smaller limit)", len(page), lim.MaxLines, lim.MaxBytes)
}

func (in Output) fits(lim Limits) bool {
	return in.size() <= int64(lim.MaxBytes) && in.Lines <= int64(lim.MaxLines)
}

// size is how many bytes there are to show, or how many came where that is more:
// what is not UTF-8 is longer when it is shown, a run of it shorter.
func (in Output) size() int64 { return max(in.Bytes, int64(len(in.Text))) }

// CountLines counts lines as an editor does; a line break at the end starts none.
func CountLines(s string) int64 {
	n := int64(strings.Count(s, "\n"))
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// wrapper is the text of a truncated result, members in the order in which a model reads them.
type truncated struct {
	Truncated     bool    `json:"_truncated"`
	Reason        string  `json:"reason"`
	ToolName      string  `json:"tool_name"`
	ToolUseID     string  `json:"tool_use_id"`
	OriginalChars int64   `json:"original_chars"`
	OriginalBytes int64   `json:"original_bytes"`
	OriginalLines int64   `json:"original_lines"`
	Preview       string  `json:"preview"`
	ArtifactPath  *string `json:"artifact_path"`
	FullPath      string  `json:"full_path"`
	SHA256        string  `json:"sha256"`
	Hint          string  `json:"hint"`
	Capped        bool    `json:"capped,omitempty"`
}

// Truncate bounds an output. What is within the limits is shown as it is;
// anything else becomes the wrapper, which as a whole stays within
// lim.MaxBytes. The preview shows the head and the tail: 30 % and 70 % for
// bash, 80 % and 20 % for everything else, cut at lines where the lines allow
// it, else at runes.
func Truncate(in Output, lim Limits) (shown string, cut Cut) {
	lim = lim.orDefault()
	in, spilled := in.measured()
	if !spilled && !in.TooLong && in.fits(lim) {
		if in.Note == "" {
			return in.Text, Cut{}
		}
		if whole := joinNote(in.Text, in.Note); len(whole) <= lim.MaxBytes {
			return whole, Cut{}
		}
	}
	budget := lim.MaxBytes
	// Encoding can make a text six times longer, so the room for the preview is
	// found by trying. Every step takes off at least a sixteenth: the number of
	// attempts, each one pass over at most maxBytes, stays small.
	for room := budget; ; {
		preview, c := in.preview(room, lim.MaxLines)
		shown = in.wrap(preview)
		over := len(shown) - budget
		if over <= 0 || room < 16 {
			return shown, c
		}
		room = min(room-room/16-1, max(room-over, room/2))
	}
}

func joinNote(text, note string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text + note
	}
	return text + "\n" + note
}

// measured fills in sizes. spilled says that only head and tail are here.
func (in Output) measured() (Output, bool) {
	if in.Text == "" && (in.Head != "" || in.Tail != "") {
		in.Head, in.Tail = strings.ToValidUTF8(in.Head, "\uFFFD"), strings.ToValidUTF8(in.Tail, "\uFFFD")
		return in, true
	}
	if in.Bytes == 0 {
		in.Bytes = int64(len(in.Text))
	}
	if in.Chars == 0 {
		in.Chars = int64(utf8.RuneCountInString(in.Text))
	}
	if in.Lines == 0 {
		in.Lines = CountLines(in.Text)
	}
	in.Text = strings.ToValidUTF8(in.Text, "\uFFFD")
	return in, false
}

// preview makes at most room bytes of at most maxLines lines.
func (in Output) preview(room, maxLines int) (string, Cut) {
	share := 80
	if in.Tool == "bash" {
		share = 30
	}
	lines := max(2, maxLines-1) // one line says what is missing
	head, tail := in.Head, in.Tail
	if in.Text != "" {
		head, tail = in.Text, in.Text
	}
	room = max(0, room-100) // for the line between
	head = headOf(head, room*share/100, lines*share/100)
	tail = tailOf(tail, room-room*share/100, lines-lines*share/100)
	if in.Text != "" && len(head)+len(tail) > len(in.Text) { // they meet: nothing may be shown twice
		tail = in.Text[len(head):]
	}
	omitted := max(0, in.size()-int64(len(head)+len(tail)))
	if in.TooLong && len(head)+len(tail) == len(in.Text) {
		omitted = 0 // a placeholder is shorter than its secret: nothing is missing
	}
	gone := max(0, in.Lines-CountLines(head)-CountLines(tail))
	cut := Cut{Truncated: true, OmittedLines: gone, OmittedBytes: omitted}
	var b strings.Builder
	b.WriteString(head)
	if omitted > 0 {
		if head != "" && !strings.HasSuffix(head, "\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "… %d lines (%d bytes) omitted …\n", gone, omitted)
	}
	b.WriteString(tail)
	return joinNoteIf(b.String(), in.Note), cut
}

func joinNoteIf(text, note string) string {
	if note == "" {
		return text
	}
	return joinNote(text, note)
}

// headOf is the beginning of s within both limits, ending after a line unless
// that would leave less than half of the room.
func headOf(s string, maxBytes, maxLines int) string {
	s = firstLines(s, maxLines)
	if len(s) <= maxBytes {
		return s
	}
	n := maxBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexByte(s[:n], '\n'); i+1 > n/2 {
		n = i + 1
	}
	return s[:n]
}

// tailOf is the end of s within both limits, beginning with a line unless that
// would leave less than half of the room.
func tailOf(s string, maxBytes, maxLines int) string {
	s = lastLines(s, maxLines)
	if len(s) <= maxBytes {
		return s
	}
	from := len(s) - maxBytes
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 && i+1 < (len(s)-from)/2 {
		from += i + 1
	}
	return s[from:]
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	if len(lines) <= n {
		return s
	}
	return s[:len(s)-len(lines[n])]
}

func lastLines(s string, n int) string {
	at := len(s)
	if strings.HasSuffix(s, "\n") {
		at--
	}
	for range n {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return s
		}
		at = i
	}
	return s[at+1:]
}

func (in Output) wrap(preview string) string {
	raw, err := tool.CompactJSON(truncated{
		Truncated: true, Reason: "tool_output_too_large", ToolName: in.Tool, ToolUseID: in.CallID,
		OriginalChars: in.Chars, OriginalBytes: in.Bytes, OriginalLines: in.Lines,
		Preview: preview, ArtifactPath: in.ArtifactPath, FullPath: in.FullPath, SHA256: in.SHA256,
		Hint: in.hint(), Capped: in.Capped,
	})
	if err != nil { // strings and numbers always encode
		return preview
	}
	return string(raw)
}

// hint is the sentence that says where the rest is. Without an artifact there is nothing to
// point at, so it says how to ask for less.
func (in Output) hint() string {
	switch {
	case in.ArtifactPath == nil:
		return fmt.Sprintf("Full output (%d lines, %d bytes) could not be saved. Call the tool again for a smaller part.", in.Lines, in.Bytes)
	case in.TaskAvailable:
		return fmt.Sprintf(`Full output (%d lines, %d bytes) saved to %s. Do not read the whole file into the context: use task(agent="explore", prompt="…"), or grep and read with offset/limit, to extract and summarise only the relevant parts.`,
			in.Lines, in.Bytes, *in.ArtifactPath)
	}
	return fmt.Sprintf("Full output (%d lines, %d bytes) saved to %s. Use grep, or read with offset/limit, on the relevant parts only.", in.Lines, in.Bytes, *in.ArtifactPath)
}
