package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// writeWait is how long a server may leave a message in its pipe.
	writeWait = 10 * time.Second
	// farewell is how long a server may take to end by itself once its input
	// has ended; then it is stopped.
	farewell = 500 * time.Millisecond
	// stderrWait is how long that is waited for once the server is dead: something
	// of another user may hold its stderr open.
	stderrWait = 200 * time.Millisecond
)

// process is a server that was started as a program: under a guard, in a group
// of its own, so that nothing of it outlives its end or ours.
type process struct {
	process *proc.Process
	stdin   *os.File
	stdout  *os.File
	frames  *frames
	said    lastWords
	work    sync.WaitGroup // the readers of stderr and of the exit
	ended   chan struct{}  // closed when nothing of it is left
	exit    string         // how the program ended; read after ended
}

// startServer starts the program of a server. It runs in dir, which is not the
// workspace: a package runner would otherwise start what a project brought along
// under the name of the server.
func startServer(command, environ []string, dir string) (*process, error) {
	started, err := proc.StartPiped(command, environ, dir)
	if err != nil {
		return nil, err
	}
	p := &process{process: started.Process, stdin: started.Stdin, stdout: started.Stdout, ended: make(chan struct{})}
	stderr := started.Stderr
	p.frames = newFrames(p.stdout, func(line []byte) { _, _ = p.said.Write(line) })
	p.frames.ended = p.said.ended
	p.work.Go(func() { output.Copy(&p.said, stderr) })
	p.work.Go(func() {
		defer close(p.ended)
		exit, err := p.process.Wait()
		_, closeErr := p.process.Close()
		p.exit = exitWord(exit, errors.Join(err, closeErr))
		stderr.SetReadDeadline(time.Now().Add(stderrWait)) // something of another user may hold it open
	})
	return p, nil
}

func exitWord(exit proc.Exit, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case exit.Signal != "":
		return "it was ended by " + exit.Signal
	}
	return fmt.Sprintf("it ended with exit code %d", exit.Code)
}

// serverEnv is the scrubbed environment and what the configuration names,
// which may also be a secret: that is why it is named.
func serverEnv(scrubbed []string, extra map[string]string) []string {
	env := slices.DeleteFunc(scrubbed, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, given := extra[name]
		return given
	})
	for name, value := range extra {
		env = append(env, name+"="+value)
	}
	return env
}

// transport is how the SDK talks to the server.
func (p *process) transport() mcp.Transport {
	// frames never gives more than one message of frameBytes; the SDK's own limit
	// would end the connection.
	return &mcp.IOTransport{Reader: readCloser{p.frames, p.stdout}, Writer: &patientWriter{p.stdin}, MaxLineLength: 2 * frameBytes}
}

type readCloser struct {
	*frames
	file *os.File
}

func (r readCloser) Close() error { return r.file.Close() }

// patientWriter fails where the server does not read: a pipe that is full would
// hold the caller for ever.
type patientWriter struct{ file *os.File }

func (w *patientWriter) Write(p []byte) (int, error) {
	w.file.SetWriteDeadline(time.Now().Add(writeWait))
	return w.file.Write(p)
}

func (w *patientWriter) Close() error { return w.file.Close() }

// stop ends the server and returns when nothing of it is left: its input ends,
// then TERM, then KILL.
func (p *process) stop() {
	p.said.enough()
	p.stdin.Close()
	farewell := time.NewTimer(farewell)
	select {
	case <-p.ended:
	case <-farewell.C:
		p.process.Stop(proc.Grace)
	}
	farewell.Stop()
	<-p.ended
	p.stdout.Close()
	p.work.Wait()
}

func (p *process) close() {}

// why is how the server ended where that was its own doing, else err; with its
// last words.
func (p *process) why(err error) error {
	switch end := p.said.end(); {
	case errors.Is(end, errFlood), errors.Is(end, errGiant):
		return end // its last words are what it flooded us with
	case errors.Is(end, io.EOF):
		err = errors.New(p.exit)
	}
	if words := p.said.Last(); words != "" {
		return fmt.Errorf("%w; it said: %s", err, words)
	}
	return err
}

// lastWords keeps the end of what a server says to people, and why its output
// ended before we ended it.
type lastWords struct {
	output.LastWords
	mu   sync.Mutex // guards everything below
	why  error
	over bool // we end it
}

func (l *lastWords) ended(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.why = err
	}
}

// enough says that what comes now is our doing.
func (l *lastWords) enough() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

func (l *lastWords) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}
