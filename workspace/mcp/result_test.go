package mcp

import (
	"errors"
	"fmt"
	"io"
	"runtime"
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
		"forges a giant": "x",
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

// An answer of 100 MB becomes an artifact and is never in memory as a whole.
func TestGiantAnswer(t *testing.T) {
	for _, mode := range []string{"100 MB", "20 MB, id last"} {
		_, echo, _ := one(t, mode)
		k := &outputtest.Kept{Mute: true}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := outputtest.Allowed(t.Context(), outputtest.Plan(t, echo, `{}`), k)
		runtime.ReadMemStats(&after)
		if err != nil || r.Spilled == nil {
			t.Fatalf("%s: %+v %v", mode, r, err)
		}
		line := "0123456789 é 🙂 \"line\"\n"
		if want := int64(len(line)*giantLines(mode)) + 1; r.Spilled.Bytes != want || k.Files[0].Size != want {
			t.Errorf("%s: %d bytes, %d in the file, want %d", mode, r.Spilled.Bytes, k.Files[0].Size, want)
		}
		if !strings.HasPrefix(r.Spilled.Head, line+line) || !strings.HasSuffix(r.Spilled.Tail, line+line+"\n") {
			t.Errorf("%s: %.60q … %q", mode, r.Spilled.Head, r.Spilled.Tail[len(r.Spilled.Tail)-60:])
		}
		if last := mode == "20 MB, id last"; r.Failed != last || strings.Contains(r.Spilled.Note, "that are no text are left out: 1") == last || !r.Tainted {
			t.Errorf("%s: failed %v, %q", mode, r.Failed, r.Spilled.Note)
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 48<<20 {
			t.Errorf("%s: the heap grew by %d MiB", mode, grown>>20)
		}
	}
}

// A file that cannot be read to its end says so.
func TestLargeResultThatBreaks(t *testing.T) {
	var g giants
	m, err := g.create()
	if err != nil {
		t.Fatal(err)
	}
	m.file.Close()
	if r := largeResult(m, &outputtest.Kept{}); !strings.Contains(r.Text, "could not be read") {
		t.Errorf("%+v", r)
	}
	if _, err := io.ReadAll(newFrames(iotest.ErrReader(io.ErrUnexpectedEOF), &g, nil)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
