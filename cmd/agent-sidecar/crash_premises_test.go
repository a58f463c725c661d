//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// story is what a person does in one session, and what the model says to it. The
// model answers by what was said last, so that it can be asked in any order.
type story struct {
	name    string
	config  string
	files   map[string]string // of the workspace
	model   string
	deeds   []string          // "method {params}", or "wait 2s"
	answers map[string]string // by callId: members of agent/approve
	effects []string          // calls that leave their id behind in the workspace
	has     []string          // events that it is about
	// pieces are files that are never seen in pieces: what each holds before and
	// behind the call that changes them, "" where it is not there.
	pieces map[string][2]string
}

// premises are one home and workspace, over the lives of several servers.
type premises struct {
	t     *testing.T
	story story
	env   testclient.Env
	model *scriptmodel.Model
	stop  func()

	acks     map[string]ack    // by clientMessageId: the first one
	said     []string          // messages that were sent, in order
	prompts  map[string]string // their params
	approved map[string]string // decisions by approvalId that were applied
	events   []shownEvent
	heard    []scriptmodel.Request // by the model, of servers that lived
	open     map[string]bool       // runs that were open at a crash, by log and id
	pending  map[string]bool       // approvals that were
}

type ack struct {
	SessionID   string `json:"sessionId"`
	RunID       string `json:"runId"`
	Disposition string `json:"disposition"`
	Seq         int64  `json:"seq"`
}

// shownEvent is an agent/event that a client has seen.
type shownEvent struct {
	SessionID string `json:"sessionId"`
	Seq       int64  `json:"seq"`
	SubSeq    int64  `json:"subSeq"`
	AgentPath []string
	Type      string `json:"type"`
	Data      struct {
		ApprovalID string `json:"approvalId"`
		CallID     string `json:"callId"`
	} `json:"data"`
}

// newPremises lays out the story; it is called in its bubble.
func newPremises(t *testing.T, dir string, s story) *premises {
	t.Helper()
	root := filepath.Join(dir, "all")
	h := &premises{t: t, story: s, acks: map[string]ack{}, prompts: map[string]string{}, approved: map[string]string{}}
	h.env = testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace")}
	h.env.Env = map[string]string{"HOME": h.env.Home, "OPENAI_BASE_URL": "http://model.test/v1", "OPENAI_API_KEY": "k", "OPENAI_MODEL": "scripted"}
	files := map[string]string{filepath.Join(h.sidecar(), "config.jsonc"): s.config}
	for name, text := range s.files {
		files[filepath.Join(h.env.Vault, name)] = text
	}
	if err := testclient.AskingHome(h.sidecar()); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		if _, err := os.Stat(path); err == nil {
			continue // it is not the first life here
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if h.model, err = scriptmodel.New(s.model + goOn); err != nil {
		t.Fatal(err)
	}
	network := &testclient.Network{}
	l, err := network.Listen("model.test:80")
	if err != nil {
		t.Fatal(err)
	}
	h.env.Dial = network.Dial
	server, served := &http.Server{Handler: h.model}, make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	h.stop = func() {
		server.Close()
		<-served
	}
	return h
}

// knownProber has found its level already: no story runs a command.
var knownProber = sync.OnceValue(func() *sandbox.Prober {
	p := sandbox.NewProber("")
	p.Report(sandbox.Settings{})
	return p
})

// goOn is what the model says to the prompt of the next life.
const goOn = `
--- for main
when ^Go on
repeat 1000
say Fine.
`

func (h *premises) sidecar() string { return filepath.Join(h.env.Home, ".agent-sidecar") }

// life is one server in the premises.
type life struct {
	h       *premises
	disk    *durable.Disk
	client  *testclient.Client
	proc    *testclient.Process
	mute    func()
	dead    sync.Once
	at      int // records taken in
	began   int // requests that the model had before
	ids     int
	asked   map[string]asked
	results map[string]json.RawMessage // by request, null for an error
}

type asked struct{ method, message, approval, decision string }

// live starts a server on the disk.
func (h *premises) live(disk *durable.Disk) *life {
	h.t.Helper()
	l := &life{h: h, disk: disk, asked: map[string]asked{}, results: map[string]json.RawMessage{}}
	l.began, _ = h.model.Count()
	var err error
	if l.proc, l.mute, err = serveHere(h.t, knownProber(), disk, h.env); err != nil {
		h.t.Fatal(err)
	}
	l.client = testclient.NewClient(l.proc.Stdin, l.proc.Stdout)
	return l
}

// crash is the death of the process at this very moment: nothing more is seen of
// it and nothing more reaches the disk.
func (l *life) crash() {
	l.dies()
	l.disk.Freeze()
}

// dies lets nothing more be seen of the server. Two that write at the moment of
// its death are one death.
func (l *life) dies() {
	l.dead.Do(func() {
		l.mute()
		l.h.heard = append(l.h.heard, l.h.model.Requests()[l.began:]...)
	})
}

// play does the deeds, as far as the server lives.
func (l *life) play() {
	l.hello()
	for _, deed := range l.h.story.deeds {
		if l.disk.Frozen() {
			return
		}
		word, rest, _ := strings.Cut(deed, " ")
		if word == "wait" {
			l.wait(rest)
			continue
		}
		l.ask(word, rest)
	}
	l.wait("90s") // longer than anything stalls
}

func (l *life) hello() {
	l.ask("initialize", fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {"editInput": {}}, "questions": {}}}}}`, l.h.env.Vault))
	l.client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	l.settle()
}

func (l *life) wait(how string) {
	d, err := time.ParseDuration(how)
	if err != nil {
		l.h.t.Fatal(err)
	}
	<-time.After(d)
	l.settle()
}

// ask sends a request and waits until nothing moves any more.
func (l *life) ask(method, params string) json.RawMessage {
	id := l.post(method, params, asked{})
	l.settle()
	return l.results[id]
}

func (l *life) post(method, params string, a asked) (id string) {
	l.ids++
	id = fmt.Sprint(l.ids)
	a.method = method
	var p struct{ ClientMessageID string }
	if json.Unmarshal([]byte(params), &p) == nil && p.ClientMessageID != "" {
		a.message = p.ClientMessageID
		if _, again := l.h.prompts[a.message]; !again {
			l.h.said = append(l.h.said, a.message)
			l.h.prompts[a.message] = params
		}
	}
	l.asked[id] = a
	l.client.Send(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)))
	return id
}

// settle takes in what came, and answers what is asked, until nothing moves.
func (l *life) settle() {
	for {
		synctest.Wait()
		records := l.client.Records()
		if l.at == len(records) {
			return
		}
		for ; l.at < len(records); l.at++ {
			if r := records[l.at]; !r.Sent && r.Frame != nil {
				l.take(r.Frame)
			}
		}
	}
}

func (l *life) take(frame []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params shownEvent
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		l.h.t.Errorf("%v: %s", err, frame)
		return
	}
	switch a := l.asked[string(m.ID)]; {
	case m.Method == "agent/event":
		if m.Params.Seq > 0 {
			l.h.events = append(l.h.events, m.Params)
		}
		if m.Params.Type == "approval.requested" {
			l.answer(m.Params)
		}
	case m.Method != "" || m.ID == nil:
	case m.Error != nil:
		l.results[string(m.ID)] = m.Error
	default:
		l.results[string(m.ID)] = m.Result
		l.answered(a, m.Result)
	}
}

// answer says what the story wants to a question.
func (l *life) answer(e shownEvent) {
	members, known := l.h.story.answers[e.Data.CallID]
	if !known {
		return // it stays open
	}
	var m struct{ Decision string }
	if err := json.Unmarshal([]byte("{"+members+"}"), &m); err != nil {
		l.h.t.Fatal(err)
	}
	l.post("agent/approve", fmt.Sprintf(`{"approvalId": %q, %s}`, e.Data.ApprovalID, members), asked{approval: e.Data.ApprovalID, decision: m.Decision})
}

func (l *life) answered(a asked, result json.RawMessage) {
	switch a.method {
	case "agent/run":
		var got ack
		if err := json.Unmarshal(result, &got); err != nil {
			l.h.t.Fatal(err)
		}
		first, again := l.h.acks[a.message]
		switch {
		case a.message == "":
		case !again:
			l.h.acks[a.message] = got
		case first != got:
			l.h.t.Errorf("message %s was acknowledged as %+v and then as %+v", a.message, first, got)
		}
	case "agent/approve":
		if strings.Contains(string(result), `"applied"`) {
			l.h.approved[a.approval] = a.decision
		}
	}
}

// end lets the server end: by itself, or as one that has crashed.
func (l *life) end() {
	l.h.t.Helper()
	if l.disk.Frozen() {
		l.proc.Kill()
		l.client.CloseInput()
		l.proc.Wait()
		<-l.client.Done()
		return
	}
	l.ask("shutdown", "null")
	l.client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"exit"}`))
	<-l.client.Done()
	l.client.CloseInput()
	if code := l.proc.Wait(); code != 0 {
		l.h.t.Errorf("exit %d: %s", code, l.proc.Stderr())
	}
	if err := l.client.Fault(); err != nil {
		l.h.t.Errorf("on the wire: %v", err)
	}
}
