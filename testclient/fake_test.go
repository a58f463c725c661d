package testclient_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// fake is a server just large enough to be right or wrong in every way that the
// player has to notice. Each method misbehaves as it is named.
type fake struct {
	env    testclient.Env
	client *http.Client
	mu     sync.Mutex // guards out and asked
	out    io.WriteCloser
	asked  map[string]string // our request id -> the client's id it belongs to
	wg     sync.WaitGroup
	ctx    context.Context
}

func startFake(env testclient.Env) (*testclient.Process, error) {
	inR, inW := testclient.NewPipe()
	outR, outW := testclient.NewPipe()
	ctx, cancel := context.WithCancel(context.Background())
	transport := &http.Transport{DialContext: env.Dial}
	f := &fake{env: env, client: &http.Client{Transport: transport}, out: outW, asked: map[string]string{}, ctx: ctx}
	code := make(chan int, 1)
	go func() {
		c := f.serve(inR)
		cancel()
		inR.Close()
		f.wg.Wait()
		transport.CloseIdleConnections()
		outW.Close()
		code <- c
	}()
	return &testclient.Process{
		Stdin: inW, Stdout: outR,
		Wait: func() int { return <-code },
		Kill: func() { cancel(); inR.Close(); outR.Close() },
	}, nil
}

type fakeMessage struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
}

func (f *fake) serve(in io.Reader) int {
	r := bufio.NewReader(in)
	for {
		body, err := f.next(r)
		if err != nil {
			return 1
		}
		var m fakeMessage
		if json.Unmarshal(body, &m) != nil {
			f.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`)
			continue
		}
		if m.Method == "exit" {
			return 0
		}
		f.handle(m)
	}
}

// next is the next message, a frame or a line.
func (f *fake) next(r *bufio.Reader) ([]byte, error) {
	if f.env.ACP() {
		return r.ReadBytes('\n')
	}
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		length, _ = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "Content-Length:")))
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

func (f *fake) handle(m fakeMessage) {
	switch m.Method {
	case "":
		f.mu.Lock()
		id := f.asked[string(m.ID)]
		f.mu.Unlock()
		if m.Result == nil {
			m.Result = []byte("null") // it was refused
		}
		if id != "" {
			f.write(`{"jsonrpc":"2.0","id":%s,"result":{"answer":%s}}`, id, m.Result)
		}
	case "initialize":
		f.answer(m, map[bool]string{false: `{"capabilities":{"huge":true}}`, true: `{"protocolVersion":1}`}[f.env.ACP()])
	case "shutdown":
		f.answer(m, "null")
	case "echo":
		f.answer(m, string(m.Params))
	case "fail":
		f.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32803,"message":"no","data":{"kind":"run_not_active"}}}`, m.ID)
	case "twice":
		f.answer(m, "1")
		f.answer(m, "1")
	case "both":
		f.write(`{"jsonrpc":"2.0","id":%s,"result":1,"error":{"code":1,"message":"x"}}`, m.ID)
	case "stray":
		f.mu.Lock()
		io.WriteString(f.out, "debug: hello\n")
		f.mu.Unlock()
		f.answer(m, "1")
	case "ask", "_ask":
		p := struct {
			Method, ID string
			Params     json.RawMessage
		}{Params: []byte("{}")}
		json.Unmarshal(m.Params, &p)
		f.mu.Lock()
		f.asked[`"`+p.ID+`"`] = string(m.ID)
		f.mu.Unlock()
		f.write(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, p.ID, p.Method, p.Params)
	case "later":
		f.wg.Go(func() {
			timer := time.NewTimer(10 * time.Minute)
			defer timer.Stop()
			select {
			case <-timer.C:
				f.answer(m, `"at last"`)
			case <-f.ctx.Done():
			}
		})
	case "generate":
		f.generate(m)
	case "emit", "agent/run", "agent/session/new", "agent/session/resume", "session/new", "session/prompt", "session/load", "session/resume", "_emit":
		f.emit(m)
	case "flood":
		f.wg.Go(func() {
			for i := range 200 {
				f.write(`{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":4,"message":"%d %s"}}`, i, strings.Repeat("x", 1000))
			}
			f.answer(m, "1")
		})
	case "model":
		f.wg.Go(func() { f.model(m) })
	}
}

// generate answers with one of everything that varies from machine to machine.
func (f *fake) generate(m fakeMessage) {
	id := rand.Text()
	raw, _ := json.Marshal(map[string]any{
		"approvalId": id, "again": "see " + id, "time": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"uri": "file://" + f.env.Vault + "/a.txt", "home": f.env.Home, "durationMs": time.Now().UnixNano() % 1000, "pid": os.Getpid(),
		"digest": fmt.Sprintf("%064x", time.Now().UnixNano()), "sandbox": map[string]any{"level": "none"},
		"file": "out/bash-" + time.Now().UTC().Format("20060102T150405Z") + ".txt", "counted": "0001",
	})
	f.answer(m, string(raw))
}

// emit writes lines to a log and messages to the wire as the conversation says.
func (f *fake) emit(m fakeMessage) {
	var p struct {
		Log    []json.RawMessage
		Sub    []json.RawMessage // the log of a sub-agent
		Append bool              // to the logs that are there
		Torn   string            // what follows the last newline of the log; <ff> is a byte that is not UTF-8
		Raw    []json.RawMessage // whole messages
		As     json.RawMessage   // the result; "never": none
		End    []json.RawMessage // messages that follow it
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		panic(err)
	}
	f.log("0001", p.Log, p.Append, strings.ReplaceAll(p.Torn, "<ff>", "\xff"))
	f.log("0001/sub/1", p.Sub, p.Append, "")
	for _, e := range p.Raw {
		f.write("%s", e)
	}
	switch string(p.As) {
	case "":
		f.answer(m, "1")
	case `"never"`:
	default:
		f.answer(m, string(p.As))
	}
	for _, e := range p.End {
		f.write("%s", e)
	}
}

func (f *fake) log(dir string, lines []json.RawMessage, more bool, torn string) {
	if lines == nil {
		return
	}
	path := filepath.Join(f.env.Env["AGENT_SIDECAR_HOME"], "sessions", "ws-12ab", dir, "events.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		panic(err)
	}
	var all []byte
	if more {
		all, _ = os.ReadFile(path) // none yet is empty
	}
	for _, line := range lines {
		all = append(append(all, line...), '\n')
	}
	if err := os.WriteFile(path, append(all, torn...), 0o600); err != nil {
		panic(err)
	}
}

func (f *fake) model(m fakeMessage) {
	req, err := http.NewRequestWithContext(f.ctx, "POST", f.env.Env["OPENAI_BASE_URL"]+"/chat/completions", bytes.NewReader(m.Params))
	if err != nil {
		panic(err)
	}
	res, err := f.client.Do(req)
	if err != nil {
		f.answer(m, `"refused"`)
		return
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	var answer struct {
		Choices []struct{ Message json.RawMessage }
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Choices) == 0 {
		f.answer(m, fmt.Sprintf(`{"status":%d}`, res.StatusCode))
		return
	}
	f.answer(m, fmt.Sprintf(`{"status":%d,"message":%s}`, res.StatusCode, answer.Choices[0].Message))
}

func (f *fake) answer(m fakeMessage, result string) {
	f.write(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (f *fake) write(format string, args ...any) {
	body := fmt.Sprintf(format, args...)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.env.ACP() {
		fmt.Fprintf(f.out, "%s\n", body)
		return
	}
	fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
}
