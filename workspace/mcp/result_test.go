package mcp

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestResults(t *testing.T) {
	for mode, want := range map[string]string{
		"parts":          "one red\n[image, image/png, 8 bytes]\n[audio, audio/wav, 3 bytes]\n[resource x\\u202ey: file:///x ]\n[resource mem://a]\ninside\n[resource mem://b, application/pdf, 3 bytes]",
		"structured":     "{\n  \"temperature\": 21.5\n}",
		"is an error":    "no such row",
		"protocol error": "calling \"tools/call\": no such tool",
	} {
		_, echo, _ := one(t, mode)
		r := outputtest.Run(t, echo, `{}`)
		if r.Text != want || r.Failed != strings.Contains(mode, "error") || !r.Tainted || (len(r.Parts) == 1) != (mode == "parts") {
			t.Errorf("%s: %+v", mode, r)
		}
	}
}

// Whatever an answer is, it is a result or a failed call, and the server and we
// live on. Only what is an image becomes one.
func TestOddAnswers(t *testing.T) {
	_, echo, _ := one(t, "odd answers")
	for i, answer := range oddAnswers {
		r := outputtest.Run(t, echo, fmt.Sprintf(`{"N": %d}`, i))
		if len(r.Parts) > 0 || r.Text == "" || strings.ContainsAny(r.Text, "\x00") {
			t.Errorf("%.80s: %+v", answer, r)
		}
		if strings.Contains(answer, "input_required") && !r.Failed {
			t.Errorf("%s: %+v", answer, r)
		}
		t.Logf("%.60s → %.100q %v", answer, r.Text, r.Failed)
	}
}

// An answer over the limit fails its call and says so; the server runs on.
func TestLargeAnswer(t *testing.T) {
	w, echo, _ := one(t, "20 MB, id last")
	if r := outputtest.Run(t, echo, `{}`); !r.Failed || !strings.Contains(r.Text, "at most 8 MiB are taken") {
		t.Errorf("%+v", r)
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

// A stream that breaks says why.
func TestFramesThatBreak(t *testing.T) {
	if _, err := io.ReadAll(newFrames(iotest.ErrReader(io.ErrUnexpectedEOF), nil)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
