package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// frameOf frames a body.
func frameOf(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// framesOf frames bodies one behind the other.
func framesOf(bodies ...string) string {
	var b strings.Builder
	for _, body := range bodies {
		b.WriteString(frameOf(body))
	}
	return b.String()
}

// bodies cuts what the server wrote; anything that is not a frame fails.
func bodies(t testing.TB, wire []byte) (out []string) {
	t.Helper()
	small := len(wire) < 10<<20 // checking 100 MB takes the race detector 10 s
	for len(wire) > 0 {
		head, rest, ok := bytes.Cut(wire, []byte("\r\n\r\n"))
		var n int
		if _, err := fmt.Sscanf(string(head), "Content-Length: %d", &n); !ok || err != nil || n > len(rest) {
			t.Fatalf("not a frame: %.200q", wire)
		}
		if small && !json.Valid(rest[:n]) {
			t.Fatalf("not JSON: %.200q", rest[:n])
		}
		out = append(out, string(rest[:n]))
		wire = rest[n:]
	}
	return out
}

const (
	initFrame = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{}}`
	initReply = `{"jsonrpc":"2.0","id":"init","result":null}`
	inited    = `{"jsonrpc":"2.0","method":"initialized","params":{}}`
)

// scene is the receiver of the tests' methods.
type scene struct {
	mu      sync.Mutex
	seen    []string
	gate    chan struct{} // what the method wait waits for
	started chan string   // told when wait has started
	conn    *Conn
}

// waiting is a scene whose method wait waits.
func waiting() *scene {
	return &scene{gate: make(chan struct{}), started: make(chan string, 9)}
}

type textParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
	Count     int    `json:"count"`
}

type strictParams struct {
	Text *string `json:"text"`
}

func (p *strictParams) Check() error {
	if p.Text == nil {
		return Missing("text")
	}
	return nil
}

func (s *scene) see(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, what)
}

func (s *scene) initialize(context.Context, *Call, None) (None, error) { return None{}, nil }

func (s *scene) echo(_ context.Context, c *Call, _ json.RawMessage) (json.RawMessage, error) {
	s.see(c.method)
	if c.params == nil {
		return json.RawMessage(`"absent"`), nil
	}
	return c.params, nil
}

func (s *scene) text(_ context.Context, _ *Call, p textParams) (string, error) {
	s.see("text " + p.Text)
	return p.Text, nil
}

func (s *scene) strict(_ context.Context, _ *Call, p strictParams) (string, error) {
	return *p.Text, nil
}

func (s *scene) explode(context.Context, *Call, None) (None, error) { panic("boom") }

func (s *scene) wait(ctx context.Context, _ *Call, p textParams) (string, error) {
	if s.started != nil {
		s.started <- p.Text
	}
	select {
	case <-s.gate:
		return p.Text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *scene) awaited(ctx context.Context, _ *Call, p textParams) (map[string]string, error) {
	<-ctx.Done()
	return map[string]string{"stopReason": "cancelled"}, nil
}

func (s *scene) note(_ context.Context, p textParams) error {
	s.see("note " + p.Text)
	return nil
}

func sceneRows() []Row[*scene] {
	return []Row[*scene]{
		{Name: "initialize", Concurrency: Ordered, Method: Handle((*scene).initialize)},
		{Name: "echo", Concurrency: Ordered, Method: Handle((*scene).echo)},
		{Name: "text", Concurrency: Ordered, Method: Handle((*scene).text)},
		{Name: "strict", Concurrency: Ordered, Method: Handle((*scene).strict)},
		{Name: "explode", Concurrency: Read, Method: Handle((*scene).explode)},
		{Name: "wait", Concurrency: Read, Method: Handle((*scene).wait)},
		{Name: "await", Concurrency: PerSession, Method: Handle((*scene).awaited)},
		{Name: "note", Concurrency: Ordered, Method: Notice((*scene).note)},
	}
}

// reports collects what the connection reports.
type reports struct {
	mu   sync.Mutex
	text []string
}

func (r *reports) add(what string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, fmt.Sprintf("%s: %v", what, err))
}

func (r *reports) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.text, "\n")
}

func gapJSON(session string, from, dropped int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"sessionId":%q,"afterSeq":%d,"type":"gap","data":{"fromAfterSeq":%d,"droppedBytes":%d}}`, session, from, from, dropped))
}

// play feeds input to a fresh connection and returns what it wrote and its
// exit code.
func play(t testing.TB, s *scene, input string) (out []string, code int, told *reports) {
	t.Helper()
	var wire bytes.Buffer
	told = &reports{}
	s.conn = Connect(s, sceneRows(), Config{
		In: io.MultiReader(strings.NewReader(input)), Out: &wire,
		Gap: gapJSON, Report: told.add,
		Panicked: func(string, any, []byte) {},
	})
	code = s.conn.Serve(context.Background())
	return bodies(t, wire.Bytes()), code, told
}

// playRecording sends every message an editor sent and checks that each request
// got one answer, in order; whatever the editor answered is ignored.
func playRecording(t *testing.T, path string) {
	recording, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	var want []string
	for line := range strings.Lines(string(recording)) {
		var entry struct {
			Dir string          `json:"dir"`
			Msg json.RawMessage `json:"msg"`
		}
		if json.Unmarshal([]byte(line), &entry) != nil || entry.Dir != "in" {
			continue
		}
		in.WriteString(frameOf(string(entry.Msg)))
		if m := parseMessage(entry.Msg); m.kind == isRequest {
			want = append(want, string(m.id))
		}
	}
	got, _, _ := play(t, &scene{}, in.String())
	var ids []string
	for _, body := range got {
		ids = append(ids, string(parseMessage([]byte(body)).id))
	}
	if strings.Join(ids, " ") != strings.Join(want, " ") {
		t.Errorf("answered %v, asked %v", ids, want)
	}
}

// live is a connection that a test talks to while it runs.
type live struct {
	t    *testing.T
	in   *io.PipeWriter
	wire *tap
	code chan int
	seen int
}

// listen serves s; nothing has been said yet.
func listen(t *testing.T, s *scene, rows []Row[*scene]) *live {
	r, w := io.Pipe()
	l := &live{t: t, in: w, wire: newTap(true), code: make(chan int, 1)}
	s.conn = Connect(s, rows, Config{
		In: r, Out: l.wire,
		Gap: gapJSON, Report: func(string, error) {},
		Panicked: func(string, any, []byte) {},
	})
	go func() { l.code <- s.conn.Serve(context.Background()) }()
	return l
}

// start serves s to a client that has said who it is.
func start(t *testing.T, s *scene, rows []Row[*scene]) *live {
	l := listen(t, s, rows)
	l.send(initFrame, inited)
	l.expect(initReply)
	return l
}

func (l *live) send(bodies ...string) { io.WriteString(l.in, framesOf(bodies...)) }

// expect wants exactly these new messages, once everything is at rest.
func (l *live) expect(want ...string) {
	l.t.Helper()
	synctest.Wait()
	got := bodies(l.t, l.wire.read())[l.seen:]
	l.seen += len(got)
	if !slices.Equal(got, want) {
		l.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (l *live) exit(want int) {
	l.t.Helper()
	l.in.Close()
	if code := <-l.code; code != want {
		l.t.Errorf("exit code %d, want %d", code, want)
	}
}

func ask(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func answer(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func fault(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}
