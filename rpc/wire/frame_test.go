package wire

import (
	"io"
	"strings"
	"testing"
)

// A body that is too large is skipped, and the document it is about is known
// wherever its name stands; a text that looks like a name is not one.
func TestSkippedDocument(t *testing.T) {
	long := strings.Repeat("x", MaxFrameBytes)
	for body, want := range map[string]string{
		`{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a%20b","version":2},"contentChanges":[{"text":"` + long + `"}]}}`:         "file:///a%20b",
		`{"params":{"contentChanges":[{"text":"` + long + `"}],"textDocument":{"version":2, "uri" : "file:///\u0061"}},"method":"textDocument/didChange"}`:     "file:///a",
		`{"params":{"contentChanges":[{"text":"{\"uri\":\"file:///no\"}` + long + `{\"uri\":\"file:///no\"}"}]},"method":"textDocument/didChange"}           `: "",
	} {
		f := newFrameReader(strings.NewReader(frameOf(body) + frameOf(`{}`)))
		if _, err := f.next(); err != errFrameTooLarge {
			t.Fatalf("%v", err)
		}
		if next, err := f.next(); string(next) != "{}" || err != nil {
			t.Errorf("the next frame: %q, %v", next, err)
		}
		if got := f.skipped(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if _, err := f.next(); err != io.EOF || f.skipped() != "" {
			t.Errorf("at the end: %v", err)
		}
	}
}
