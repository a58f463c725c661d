package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// shell is one start of the real binary as a person types it.
type shell struct {
	dir, home string
	env       []string
	model     *scriptmodel.Model // of scriptedShell
}

// newShell has an empty directory and a home of its own. settings, if not "", is
// the person's configuration.
func newShell(t *testing.T, settings string, env ...string) *shell {
	t.Helper()
	root := t.TempDir()
	s := &shell{dir: filepath.Join(root, "work"), home: filepath.Join(root, "home"), env: env}
	for _, d := range []string{s.dir, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := testclient.AskingHome(filepath.Join(s.home, ".agent-sidecar")); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "HOME="+s.home, "PATH="+os.Getenv("PATH"), "TMPDIR="+filepath.Join(root, "tmp"))
	if settings != "" {
		s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), settings)
	}
	return s
}

func (s *shell) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command is the binary, ready to start. Its input is the null device.
func (s *shell) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

// run starts it, types input and waits for the end.
func (s *shell) run(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := s.command(t, args...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// answered types input at a terminal; "" is nobody there.
func (s *shell) answered(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if input == "" {
		return s.run(t, "", args...)
	}
	return s.typed(t, input, args...)
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// list is everything below dir but dir itself.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			all = append(all, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// oneTry keeps tests from waiting for a second one.
const oneTry = `{"agents": {"runtime": {"retry": {"maxAttempts": 1}}}}`

// TestCommandsSayWhatIsWrong: every mistake has an exit code and a sentence that
// names the place.
func TestCommandsSayWhatIsWrong(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + free.Addr().String() + "/v1"
	free.Close() // nobody listens there now
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/unauthorized/"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}`)
		case strings.HasPrefix(path, "/page/"):
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html><title>Welcome!</title></html>")
		case strings.HasSuffix(path, "/many/v1/models"):
			_, _ = io.WriteString(w, `{"data": [{"id": "one"}, {"id": "two"}, {"id": "three\u001b[2J"}]}`)
		}
	}))
	t.Cleanup(answers.Close) // after the parallel ones
	model := func(base string) []string {
		return []string{"OPENAI_BASE_URL=" + base, "OPENAI_API_KEY=k", "OPENAI_MODEL=m"}
	}
	for _, row := range []struct {
		name     string
		args     string
		env      []string
		settings string
		code     int
		says     string
	}{
		{name: "unknown command", args: "frobnicate", code: 2, says: `there is no command "frobnicate"`},
		{name: "unknown flag", args: "demo --frob", code: 2, says: "not defined: -frob"},
		{name: "a word too many", args: "version now", code: 2, says: `one word too many: "now"`},
		{name: "two directories", args: "demo a b", code: 2, says: `one word too many: "b"`},
		{name: "nothing to do", args: "run", code: 2, says: "no prompt given"},
		{name: "unknown format", args: "schema --format xml", code: 2, says: "there are metamodel, jsonschema, config, ts and lua"},
		{name: "no such directory", args: "demo nowhere", code: 1, says: "nowhere: file does not exist"},
		{name: "not a directory", args: "demo file.txt", code: 1, says: "file.txt is not a directory"},
		{name: "not a directory, sessions", args: "sessions file.txt", code: 1, says: "file.txt is not a directory"},
		{name: "no model", args: "run hi", code: 1, says: "agent-sidecar: No model is set up.\n  "},
		{name: "only a provider", args: "run --model anthropic hi", env: []string{"ANTHROPIC_API_KEY=k"}, code: 1, says: "agent-sidecar: \"anthropic\" is a provider, and no model of it is named.\n  Write it as anthropic/<name>; agent-sidecar models anthropic lists"},
		{name: "a key and no model", args: "run hi", env: []string{"GROQ_API_KEY=k"}, code: 1, says: "GROQ_API_KEY is set: name a model as groq/<name>. "},
		{name: "models of nobody", args: "models nobody", code: 1, says: `there is no provider "nobody"`},
		{name: "models without a key", args: "models groq", code: 1, says: "agent-sidecar: groq: no API key for provider"},
		{name: "no key", args: "run hi", env: []string{"OPENAI_MODEL=m"}, code: 1, says: "set OPENAI_API_KEY"},
		{name: "not a URL", args: "run hi", env: model("localhost"), code: 1, says: `base URL "localhost"`},
		{name: "nobody listens", args: "run hi", env: model(closed), settings: oneTry, code: 1, says: "agent-sidecar: cannot connect: connection refused; is the server running?\n  asking openai/m at " + closed + "/chat/completions"},
		{name: "wrong key", args: "run hi", env: model(answers.URL + "/unauthorized/v1"), code: 1, says: "\n  asking openai/m at " + answers.URL + "/unauthorized/v1/chat/completions: status 401"},
		{name: "a web page", args: "run hi", env: model(answers.URL + "/page/v1"), settings: oneTry, code: 1, says: "is the base URL right?: Welcome!"},
		{name: "nothing", args: "run hi", env: model(answers.URL + "/nothing/v1"), settings: oneTry, code: 1, says: answers.URL + "/nothing/v1/chat/completions"},
		{name: "models to choose from", args: "run hi", env: []string{"OPENAI_BASE_URL=" + answers.URL + "/many/v1"}, code: 1, says: "agent-sidecar: Which model? The server at " + answers.URL + "/many/v1 has: one, two.\n  Choose one from the list in the editor, give it with --model openai/one, or set OPENAI_MODEL.\n"},
		{name: "no list to choose from", args: "run hi", env: []string{"OPENAI_BASE_URL=" + closed}, code: 1, says: "agent-sidecar: Which model? The server at " + closed + " does not say which it has: cannot connect"},
		{name: "broken configuration", args: "run hi", settings: `{"model": [`, code: 1, says: "config.jsonc:"},
		{name: "home is a file", args: "run --home file.txt hi", env: model(closed), code: 1, says: "file.txt"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, row.settings, row.env...)
			s.write(t, filepath.Join(s.dir, "file.txt"), "text")
			code, out, errs := s.run(t, "", strings.Fields(row.args)...)
			if code != row.code || !strings.Contains(errs, row.says) {
				t.Errorf("exit %d, want %d; stderr must say %q:\n%s\nstdout:\n%s", code, row.code, row.says, errs, out)
			}
			if strings.Contains(errs, "panic") || strings.Contains(errs, "goroutine ") {
				t.Errorf("a stack is no sentence:\n%s", errs)
			}
		})
	}
}

// TestServeWithoutInput: the null device is no terminal, so there is no help on
// stdout, where an editor would read it; the end of the input ends the server.
func TestServeWithoutInput(t *testing.T) {
	code, out, errs := newShell(t, "").run(t, "")
	if code != 1 || out != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestCommandsPrint: what is asked for is on stdout, and nothing else anywhere.
func TestCommandsPrint(t *testing.T) {
	s := newShell(t, "")
	before := list(t, s.home)
	for args, want := range map[string]string{
		"version": "agent-sidecar ", "help": "Usage: agent-sidecar", "--help": "Usage: agent-sidecar", "demo -h": "Usage: agent-sidecar",
		"sessions": "No sessions here yet.", "schema": `"requests"`, "schema --format jsonschema": `"$defs"`, "--format=jsonschema schema": `"$defs"`,
		"schema --format ts": "export interface Requests {", "schema --format lua": `agent-sidecar.ToolReturned`,
	} {
		if code, out, errs := s.run(t, "", strings.Fields(args)...); code != 0 || !strings.Contains(out, want) || errs != "" {
			t.Errorf("%s: exit %d, stdout %.200q, stderr %q", args, code, out, errs)
		}
	}
	if left := list(t, s.home); !slices.Equal(left, before) {
		t.Errorf("printing leaves files: %v, and there were %v", left, before)
	}
	code, out, _ := s.run(t, "", "doctor")
	if code != 1 || !strings.Contains(out, "FAIL  model") || !strings.Contains(out, "ok    home") {
		t.Errorf("doctor: exit %d\n%s", code, out)
	}
}

// TestDemoLeavesNothing plays the demonstration with every kind of person in
// front of it. Whatever they answer, the story ends well and the directory is as
// it was, also where sessions already keep artifacts and notes have its name.
func TestDemoLeavesNothing(t *testing.T) {
	for _, row := range []struct {
		name  string
		args  []string
		input string
		says  []string
	}{
		{"yes to all", []string{"demo", "--yes"}, "", []string{"yes (--yes)", "full output in", "1 of 1 citations verified", "and removed it", "summarised", "sha256"}},
		{"nobody", []string{"demo"}, "", []string{"Not interactive", "there is no such note", "no file was changed", "summarised"}},
		{"trusted, then the pipe ends", []string{"demo"}, "y\n", []string{"Nobody is at the terminal to ask", "1 of 1 citations verified", "and removed it"}},
		{"no to the note, yes to the command", []string{"demo"}, "n\nn\n\nwhat\ny\n", []string{"rejected", "full output in", "there is no such note", "no file was changed"}},
		{"yes to the note, no to the rest", []string{"demo"}, "n\ny\nn\nn\n", []string{"1 of 1 citations verified", "deleting it was refused", "summarised"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, "")
			for name, text := range map[string]string{".agent-output/0001/mine.txt": "an artifact of a real session", "agent-sidecar-demo.md": "my own note"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				s.write(t, filepath.Join(s.dir, name), text)
			}
			before := list(t, filepath.Dir(s.dir))
			code, out, errs := s.run(t, row.input, row.args...)
			if code != 0 || errs != "" {
				t.Errorf("exit %d, stderr %q", code, errs)
			}
			for _, want := range append(row.says, "the model is scripted") {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if after := list(t, filepath.Dir(s.dir)); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("left behind: %v", after)
			}
			if t.Failed() {
				t.Logf("the terminal:\n%s", out)
			}
		})
	}
}

// TestDemoWithoutAReader: head has seen enough while the note is there. The demonstration
// stops, and removes it.
func TestDemoWithoutAReader(t *testing.T) {
	s := newShell(t, "")
	before := list(t, filepath.Dir(s.dir))
	cmd := s.command(t, "demo", "--yes")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := bufio.NewScanner(out)
	for seen.Scan() && !strings.Contains(seen.Text(), "full output in") {
	}
	if made := list(t, s.dir); len(made) == 0 {
		t.Error("the note is not there yet")
	}
	out.Close()
	_ = cmd.Wait() // the code says it
	if code := cmd.ProcessState.ExitCode(); code != exitCancelled {
		t.Errorf("exit %d", code)
	}
	if after := list(t, filepath.Dir(s.dir)); !slices.Equal(after, before) {
		t.Errorf("left behind: %v", after)
	}
}

// TestRunAsks: a command runs only after a yes that was typed, and what a model
// says cannot move the cursor.
func TestRunAsks(t *testing.T) {
	const script = `say "\x1b[2Jred\a\n"
call c1 bash {"command": "echo x >> made.txt", "description": "make a file"}
---
say Done.`
	for _, row := range []struct {
		name, input string
		args        []string
		made        bool
		says        string
		code        int
	}{
		{"yes", "n\ny\n", nil, true, "completed", 0},
		{"no", "n\nn\n", nil, false, "rejected", 0},
		{"no, and why", "n\nNo, because I said so\n", nil, false, "because I said so", 0},
		{"another word at the question of trust", "what?\nn\ny\n", nil, true, `"what?" is not an answer here. Type y or n, then Enter.`, 0},
		{"an empty line and an unknown word are no answer", "n\n\nsure\n", nil, false, "Nobody is at the terminal to ask", 3},
		{"the end of the input", "n\n", nil, false, "Nobody is at the terminal to ask", 3},
		{"nobody", "", nil, false, "Not interactive", 3},
		{"--yes", "", []string{"--yes"}, true, "yes (--yes)", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, "", script)
			code, out, errs := s.answered(t, row.input, append([]string{"run", "make", "a", "file"}, row.args...)...)
			if code != row.code || !strings.Contains(out, row.says) {
				t.Errorf("exit %d, must say %q, stderr %q:\n%s", code, row.says, errs, out)
			}
			if strings.ContainsAny(out, "\x1b\a\r") {
				t.Errorf("control characters reach the terminal: %q", out)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "made.txt")); (err == nil) != row.made {
				t.Errorf("made.txt: %v", err)
			}
			for _, p := range s.model.Problems() {
				t.Error(p)
			}
		})
	}
}

// TestRunOnlyModel: an endpoint with one model needs no OPENAI_MODEL.
func TestRunOnlyModel(t *testing.T) {
	s := scriptedShell(t, "", "models solo\nsay Hello.", "OPENAI_API_KEY=", "OPENAI_MODEL=")
	if code, out, errs := s.run(t, "", "run", "hi"); code != 0 || !strings.Contains(out, "Model: solo") || !strings.Contains(out, "Hello.") {
		t.Errorf("exit %d, stderr %q:\n%s", code, errs, out)
	}
	if code, out, _ := s.run(t, "", "sessions"); code != 0 || !strings.Contains(out, "0001  idle") || !strings.Contains(out, "hi") {
		t.Errorf("sessions: exit %d\n%s", code, out)
	}
}

// TestRunInterrupted: one Ctrl-C ends a run against a model that hangs, with exit
// code 130, and the session can go on.
func TestRunInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the end of the client is noticed only after it
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	s := newShell(t, "", "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=k", "OPENAI_MODEL=m")
	cmd := s.command(t, "run", "hi")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // the code says it
	defer stuck.Stop()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says it
	if code := cmd.ProcessState.ExitCode(); code != exitCancelled {
		t.Errorf("exit %d; %s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "press Ctrl-C again to quit") || !strings.HasSuffix(errs.String(), "cancelled\n") {
		t.Errorf("stderr %q", errs.String())
	}
	if _, out, _ := s.run(t, "", "sessions"); !strings.Contains(out, "0001  idle") {
		t.Errorf("the session did not end well:\n%s", out)
	}
}

// TestRunPicksModel: where there is a provider and no model, whoever is at the terminal
// chooses one of its list, by number or name, for now or for good.
func TestRunPicksModel(t *testing.T) {
	for _, row := range []struct {
		name, input string
		code        int
		says        string
		stored      string // in the configuration
	}{
		{"by its number, for good", "2\ny\nn\n", 0, "   2  acme/big-2\n", `"model": "acme/big-2"`},
		{"by its name, for now", "acme/small-1\n\nn\n", 0, "[y] Save it · [n] Only now (Enter) > ", ""},
		{"something else first", "3\nhuh\n1\nn\nn\n", 0, `"huh" is none of them.`, ""},
		{"none", "\n", exitFailed, "No model is set up.", ""},
		{"nobody", "", exitFailed, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			model, err := scriptmodel.New("models small-1 big-2\nsay Hello.\noptional")
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(model)
			defer server.Close()
			s := newShell(t, "")
			config := filepath.Join(s.home, ".agent-sidecar", "config.jsonc")
			if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
				t.Fatal(err)
			}
			s.write(t, config, `{"providers": {"acme": {"baseUrl": "`+server.URL+`/v1", "apiKeys": ["k"]}}}`)
			code, out, errs := s.answered(t, row.input, "run", "hi")
			text, _ := os.ReadFile(config)
			if code != row.code || !strings.Contains(out, row.says) || (code == 0) != strings.Contains(out, "Hello.") || strings.Contains(string(text), `"model"`) != (row.stored != "") || !strings.Contains(string(text), row.stored) {
				t.Errorf("exit %d, %s\nconfiguration %s\n%s", code, errs, text, out)
			}
		})
	}
}
