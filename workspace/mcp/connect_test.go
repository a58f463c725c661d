package mcp

import (
	"context"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestRefusesWhatServersAsk(t *testing.T) {
	_, echo, file := one(t, "asks")
	outputtest.Run(t, echo, `{}`)
	waitForFile(t, file, `"s1" {"code":-32601`)
	waitForFile(t, file, `"s2" {"action":"cancel"}`) // no call is at work: nobody is asked
	waitForFile(t, file, `"s4" {}`+"\n")             // a ping is no question
}

// A program is told of the folders that are open, and when others are.
func TestRoots(t *testing.T) {
	server, file := badServerOf(t, "asks")
	open := []Root{{"file:///a", "a"}}
	w := newWorldOf(t, Options{Roots: func() []Root { return open }})
	w.start(server)
	waitForFile(t, file, `"s3" {"roots":[{"name":"a","uri":"file:///a"}]}`)
	open = []Root{{"file:///b", "b"}}
	w.FoldersChanged()
	waitForFile(t, file, `"s3" {"roots":[{"name":"b","uri":"file:///b"}]}`)
}

// What an address is told says nothing about this machine.
func TestRootsAreForPrograms(t *testing.T) {
	s := &server{config: Server{URL: "http://127.0.0.1"}, m: New(Options{Roots: func() []Root { return []Root{{"file:///a", "a"}} }})}
	if r := s.roots(); len(r) > 0 {
		t.Errorf("%+v", r)
	}
	s.config = Server{Command: []string{"a"}}
	if r := s.roots(); len(r) != 1 {
		t.Errorf("%+v", r)
	}
}

// heard tells of what is shown live.
type heard struct {
	outputtest.Kept
	lines chan string
}

func (h *heard) Output(_, text string) { h.lines <- text }

// What a server says of the progress of a call is shown as one line; what it says of none
// that is at work is not.
func TestProgress(t *testing.T) {
	_, echo, _ := one(t, "tells its progress")
	h := &heard{lines: make(chan string, 9)}
	ended := make(chan struct{})
	p := outputtest.Plan(t, echo, `{}`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		_, _ = p.Run(ctx, tool.Grant{}, h)
	}()
	select {
	case line := <-h.lines:
		if line != "3/3 read \\u001b[31mall\n" {
			t.Errorf("%q", line)
		}
	case <-time.After(20 * time.Second):
		t.Error("no progress")
	}
	cancel()
	<-ended
	if len(h.lines) > 0 {
		t.Errorf("%q", <-h.lines)
	}
}
