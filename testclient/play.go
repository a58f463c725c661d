package testclient

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// Env is where a server under test lives. All paths are absolute and exist.
type Env struct {
	Root  string // the folder that holds everything of one conversation
	Home  string // the person's home directory; the sidecar's is Home/.agent-sidecar
	Vault string // the workspace
	// Dial reaches the scripted model inside a bubble; nil in real time, where
	// the model listens on loopback.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	Env  map[string]string // the whole environment
	Args []string          // the section args, one line each
}

// ACP is true when the server is to speak the Agent Client Protocol.
func (e Env) ACP() bool { return speaksACP(e.Args) }

// Process is a running server under test.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader
	// Wait gives the exit code. It is called once, after Stdout has ended.
	Wait func() int
	// Kill ends it at once, as kill -9 does: nothing more reaches the disk, and
	// Stdout ends.
	Kill func()
	// Stderr, if not nil, is what it wrote there; shown when a conversation fails.
	Stderr func() string
}

// Options say how a conversation is played.
type Options struct {
	Dir   string // an empty directory
	Start func(Env) (*Process, error)
	// Settle waits until nothing moves any more (synctest.Wait). nil plays in
	// real time, which only conversations marked realtime may ask for.
	Settle func()
	Update bool
	// Watch is shown every request to the model (Model.Watch).
	Watch func(scriptmodel.Request)
	// Usual are the tools that the section requests does not name one by one.
	Usual []string
	// Patience is how long an expected line may take in real time (default two minutes).
	Patience time.Duration
	// ACP is the official schema, for conversations over the Agent Client Protocol.
	ACP *acpschema.Schema
	// Quiet is how long nothing may come before a real-time update believes that
	// nothing will (default 1 s).
	Quiet time.Duration
}

// Result is what came of it.
type Result struct {
	Problems []string // empty: the conversation went as written and broke no law
	Updated  string   // the file's text; only with Options.Update, else ""
	Wire     string   // the exchange as it was, for reading when something failed
}

// grace is how long a server may take to end by itself. Of real time a busy machine may
// need much, and only a failure waits for it.
func (c *Conversation) grace() time.Duration {
	if c.Realtime {
		return 2 * time.Minute
	}
	return 10 * time.Second
}

// Play plays c once. Inside a bubble it must be called from the bubble's first
// goroutine; everything it started has ended when it returns, unless a problem
// says that the server did not.
func Play(c *Conversation, o Options) *Result {
	if c.Realtime && o.Update {
		return updateRealtime(c, o)
	}
	return play(c, o)
}

func play(c *Conversation, o Options) *Result {
	p := &player{c: c, o: o, result: &Result{}}
	p.begin()
	return p.result
}

type player struct {
	c *Conversation
	o Options

	env      Env
	names    *names
	model    *scriptmodel.Model
	lines    *renderer
	stop     func() // the model's server
	links    []*link
	now      *link
	answers  map[string]string // automatic answers by method
	killed   []eventLog        // the logs as the last kill left them
	together int
	at       int // the step being played
	batch    [][]byte

	got  [][]*shown // lines by step
	pool []*shown   // realtime: lines nobody expected yet

	result *Result
	golden bool // the conversation went otherwise than written
	probe  bool // that is all that is asked
}

// link is one life of the server.
type link struct {
	client *Client
	proc   *Process
	seen   int // records rendered
	killed bool
	left   bool // the client sent exit
	eof    bool // the conversation closed its input
	code   chan int
	ended  bool
	told   bool // the exit line was written
	exit   int
}

func (p *player) problem(format string, args ...any) {
	p.result.Problems = append(p.result.Problems, fmt.Sprintf(format, args...))
}

func (p *player) begin() {
	p.got = make([][]*shown, len(p.c.steps))
	if p.c.ACP && p.o.ACP == nil {
		p.problem("over the Agent Client Protocol: Options.ACP is needed")
		return
	}
	if !p.c.ACP {
		p.o.ACP = nil
	}
	if p.c.Realtime {
		p.o.Settle = nil
	} else if p.o.Settle == nil {
		p.problem("not marked realtime: Options.Settle is needed")
		return
	}
	if err := p.prepare(); err != nil {
		p.problem("%v", err)
		return
	}
	defer p.stop()
	if err := p.start(); err != nil {
		p.problem("%v", err)
		return
	}
	for i := range p.c.steps {
		p.at = i
		if err := p.perform(i); err != nil {
			p.golden = true
			p.problem("conversation line %d: %v", p.c.steps[i].line, err)
			break
		}
		if p.together == 0 {
			p.after(i)
		}
		if p.golden && p.probe {
			break // it is known now that it no longer plays as written
		}
	}
	if p.together > 0 {
		p.problem("the conversation ends inside --- together: %d messages are missing", p.together)
	}
	p.finish()
	p.judge()
}

// prepare lays out the files and starts the model.
func (p *player) prepare() error {
	root, err := filepath.EvalSymlinks(p.o.Dir)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	p.env = Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace")}
	script, _ := p.c.archive.get("model")
	if p.model, err = scriptmodel.New(script); err != nil {
		return err
	}
	url, err := p.listen()
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	web, stopWeb, err := p.serveWeb()
	if err != nil {
		p.stop()
		return fmt.Errorf("prepare: %w", err)
	}
	stopModel := p.stop
	p.stop = func() { stopModel(); stopWeb() }
	p.names = newNames(root, p.env.Home, p.env.Vault, url, web)
	// The model's goroutines get names of their own, which nobody adds to.
	p.model.Watch = p.o.Watch
	p.model.Expand = newNames(root, p.env.Home, p.env.Vault, url, web).restore
	p.lines = newRenderer(p.c, p.names)
	p.lines.loose = p.o.Settle == nil
	p.answers = map[string]string{}
	if err := p.layOut(); err != nil {
		p.stop()
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// listen serves the model in memory or on loopback and gives its base URL.
func (p *player) listen() (string, error) {
	var l net.Listener
	var err error
	url := "http://model.test/v1"
	if p.o.Settle != nil {
		network := &Network{}
		if l, err = network.Listen("model.test:80"); err == nil {
			network.Also("127.0.0.1:80", l) // a server of the person's own machine
		}
		p.env.Dial = network.Dial
	} else {
		l, err = net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			url = "http://" + l.Addr().String() + "/v1"
		}
	}
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: p.model}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	p.stop = func() {
		server.Close()
		<-served
	}
	return url, nil
}

func (p *player) layOut() error {
	sidecar := filepath.Join(p.env.Home, ".agent-sidecar")
	for _, dir := range []string{p.env.Home, p.env.Vault, filepath.Join(p.env.Root, "tmp"), sidecar} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := AskingHome(sidecar); err != nil {
		return err
	}
	for _, f := range p.c.archive.files {
		path, data := "", f.data
		switch {
		case f.name == "config":
			path, data = filepath.Join(sidecar, "config.jsonc"), p.names.restore(f.data)
		case strings.HasPrefix(f.name, "home/"), strings.HasPrefix(f.name, "workspace/"):
			path = filepath.Join(p.env.Root, filepath.FromSlash(f.name))
		default:
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			return err
		}
	}
	p.environment(sidecar)
	if setup, ok := p.c.archive.get("setup"); ok {
		return p.shell(setup)
	}
	return nil
}

// environment is what the server sees: nothing of the machine but PATH, and
// what the section env says; `NAME=` takes a name away.
func (p *player) environment(sidecar string) {
	p.env.Env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": p.env.Home, "TMPDIR": filepath.Join(p.env.Root, "tmp"), "TZ": "UTC", "LANG": "C.UTF-8",
		"AGENT_SIDECAR_HOME": sidecar,
		"OPENAI_BASE_URL":    p.names.back["$MODEL"], "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": "scripted",
	}
	text, _ := p.c.archive.get("env")
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case !ok:
		case value == "":
			delete(p.env.Env, name)
		default:
			p.env.Env[name] = p.names.restore(value)
		}
	}
	args, _ := p.c.archive.get("args")
	for line := range strings.Lines(args) {
		if line = strings.TrimSpace(line); line != "" {
			p.env.Args = append(p.env.Args, p.names.restore(line))
		}
	}
}

// shell runs a script in the workspace, outside the server.
func (p *player) shell(script string) error {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = p.env.Vault
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.env.Home, "ROOT=" + p.env.Root, "VAULT=" + p.env.Vault}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("shell %q: %w\n%s", shorten(script, 80), err, out)
	}
	return nil
}

func (p *player) start() error {
	proc, err := p.o.Start(p.env)
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	client := NewClient
	if p.c.ACP {
		client = NewLineClient
	}
	l := &link{client: client(proc.Stdin, proc.Stdout), proc: proc, code: make(chan int, 1)}
	go func() {
		<-l.client.Done()
		l.code <- proc.Wait()
	}()
	p.now = l
	p.links = append(p.links, l)
	return nil
}
