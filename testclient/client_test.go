package testclient_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// The client believes only exact frames, so that a stray line on stdout cannot
// pass for a message.
func TestClientReadsFramesStrictly(t *testing.T) {
	good := `{"jsonrpc":"2.0","method":"x"}`
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for name, c := range map[string]struct {
		out, fault string
		frames     int
	}{
		"good":         {frame(good) + frame(good), "", 2},
		"content type": {"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + frame(good), "", 1},
		"stray line":   {frame(good) + "panic: no\n" + frame(good), "not a header line", 1},
		"LF only":      {strings.ReplaceAll(frame(good), "\r", ""), "not a header line", 0},
		"other header": {"X: 1\r\n" + frame(good), "not a header line", 0},
		"no length":    {"Content-Type: x\r\n\r\n" + good, "without Content-Length", 0},
		"bad length":   {"Content-Length: -1\r\n\r\n" + good, "length of a frame", 0},
		"over 1 MiB":   {frame(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 1<<20) + `"}`), "length of a frame", 0},
		"cut header":   {frame(good) + "Content-Len", "ended inside a header", 1},
		"cut frame":    {frame(good)[:40], "ended inside a frame", 0},
		"two objects":  {frame(good + good), "not one JSON object", 0},
		"a batch":      {frame("[" + good + "]"), "not one JSON object", 0},
		"not JSON":     {frame("{"), "not one JSON object", 0},
		"not UTF-8":    {frame("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"), "not UTF-8", 0},
		"version 1":    {frame(`{"jsonrpc":"1.0","method":"x"}`), "not JSON-RPC 2.0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, in := testclient.NewPipe()
			client := testclient.NewClient(in, strings.NewReader(c.out))
			<-client.Done()
			client.CloseInput()
			frames := 0
			for _, r := range client.Records() {
				if r.Frame != nil {
					frames++
				}
			}
			err := client.Fault()
			if frames != c.frames || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%d frames, %v; want %d, %q", frames, err, c.frames, c.fault)
			}
		})
	}
}

// A line client believes only lines of one object each.
func TestClientReadsLinesStrictly(t *testing.T) {
	good := `{"jsonrpc":"2.0","method":"x"}`
	for name, c := range map[string]struct {
		out, fault string
		lines      int
	}{
		"good":         {good + "\n" + good + "\n", "", 2},
		"long":         {`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 2<<20) + `"}` + "\n", "", 1},
		"stray line":   {good + "\npanic: no\n" + good + "\n", "not one JSON object", 1},
		"CRLF":         {good + "\r\n", "ends with CRLF", 0},
		"a frame":      {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(good), good), "ends with CRLF", 0},
		"blank line":   {"\n" + good + "\n", "not one JSON object", 0},
		"cut":          {good + "\n" + good, "ended inside a line", 1},
		"two objects":  {good + good + "\n", "not one JSON object", 0},
		"over 2 lines": {"{\n\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", "not one JSON object", 0},
		"a batch":      {"[" + good + "]\n", "not one JSON object", 0},
		"not UTF-8":    {"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\n", "not UTF-8", 0},
		"over 16 MiB":  {`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 16<<20) + `"}` + "\n", "a line of more than", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, in := testclient.NewPipe()
			client := testclient.NewLineClient(in, strings.NewReader(c.out))
			<-client.Done()
			client.CloseInput()
			lines := 0
			for _, r := range client.Records() {
				if r.Frame != nil {
					lines++
				}
			}
			err := client.Fault()
			if lines != c.lines || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%d lines, %.200v; want %d, %q", lines, err, c.lines, c.fault)
			}
		})
	}
}

func TestClientCallsAndAwaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := startFake(testclient.Env{})
		if err != nil {
			t.Fatal(err)
		}
		client := testclient.NewClient(p.Stdin, p.Stdout)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if got, err := client.Call(ctx, "echo", map[string]int{"a": 1}); err != nil || string(got) != `{"a":1}` {
			t.Errorf("echo: %s %v", got, err)
		}
		if _, err := client.Call(ctx, "fail", nil); err == nil || !strings.Contains(err.Error(), "run_not_active") {
			t.Errorf("fail: %v", err)
		}
		if _, err := client.Call(ctx, "silent", nil); err == nil || !strings.Contains(err.Error(), "deadline") {
			t.Errorf("no answer: %v", err)
		}
		client.CloseInput()
		if _, _, err := client.Await(t.Context(), 0, func(testclient.Message) bool { return false }); err == nil || !strings.Contains(err.Error(), "output ended") {
			t.Errorf("await: %v", err)
		}
		p.Wait()
	})
}

func TestPipeHolds64KiB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := testclient.NewPipe()
		wrote := 0
		go func() {
			for range 3 {
				n, _ := w.Write(make([]byte, 40<<10))
				wrote += n
			}
			w.Close()
		}()
		synctest.Wait()
		if wrote != 40<<10 {
			t.Errorf("wrote %d bytes while nobody reads", wrote)
		}
		all, err := io.ReadAll(r)
		if err != nil || len(all) != 120<<10 {
			t.Errorf("read %d bytes, %v", len(all), err)
		}
		r.Close()
		if _, err := w.Write([]byte("x")); err != io.ErrClosedPipe {
			t.Errorf("write to nobody: %v", err)
		}
	})
}
