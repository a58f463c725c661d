// Command scripted serves a model script (testclient/README.md) on a loopback
// port, for tests whose client is no Go program: real editors. It prints the
// base URL as its only line on stdout and ends with its stdin. What broke a law
// of the history, was asked without a turn, or was never asked for, is on stderr,
// and the exit code is then 1.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: scripted <script file>")
		os.Exit(2)
	}
	problems, err := serve(os.Args[1], os.Stdin, os.Stdout)
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// below is a server that has nothing outside of a prefix, as those have none that people
// give an address without its end.
func below(prefix string, all http.Handler) http.Handler {
	inside := http.NewServeMux()
	inside.Handle(prefix, all)
	return inside
}

// serve answers until in ends and returns what was wrong with what it was asked.
func serve(path string, in io.Reader, out io.Writer) (problems []string, err error) {
	script, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	model, err := scriptmodel.New(string(script))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on a loopback port: %w", err)
	}
	server := &http.Server{Handler: below("/v1/", model)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(out, "http://%s/v1\n", listener.Addr()); err != nil {
		return nil, fmt.Errorf("say where the model is: %w", err)
	}
	_, readErr := io.Copy(io.Discard, in)
	closeErr := server.Close()
	<-served
	if readErr != nil {
		return nil, fmt.Errorf("wait for the end of stdin: %w", readErr)
	}
	return append(model.Problems(), model.Unused()...), closeErr
}
