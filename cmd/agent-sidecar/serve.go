package main

import (
	"context"
	"io"
	"os"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp"
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// serve speaks the protocol until the client leaves. From here on nothing else
// can write to its stdout: what a library prints goes to stderr.
func (p *program) serve([]string) int {
	wire := p.pipe
	os.Stdout = os.Stderr
	outlivePipes() // an editor may close its end before it has read the last answer
	ctx, stop := interrupted()
	defer stop()
	w := p.wiring()
	w.following = true
	return p.serveOn(ctx, p.in, wire, w)
}

// serveOn is serve over any pair of pipes.
func (p *program) serveOn(ctx context.Context, in io.Reader, out io.Writer, w *wiring) int {
	looked := w.lookForSandbox()
	defer func() { <-looked }()
	return rpc.Serve(ctx, in, out, serverOptions(p, w))
}

// serverOptions are those of a server whose workspace w opens.
func serverOptions(p *program, w *wiring) rpc.Options {
	return rpc.Options{
		Name: "agent-sidecar", Version: version, Open: w.open, ClientProcessID: p.clientProcessID, Locale: p.locale(),
		Schema: schema.MetaModel(), SchemaHash: schema.Hash(), Log: p.log, Panicked: p.panicked,
	}
}

// serveACP speaks the Agent Client Protocol until the client leaves. Its front end opens a
// server of the sidecar's own protocol for each set of folders; they share the home, as several
// processes do, and what this process has found out about the machine.
func serveACP(p *program, _ []string) int {
	wire := p.pipe
	os.Stdout = os.Stderr // from here on nothing else can write there: what a library prints goes to stderr
	outlivePipes()
	ctx, stop := interrupted()
	defer stop()
	w := p.wiring()
	w.following = true
	return serveACPOn(ctx, p, p.in, wire, w)
}

// serveACPOn is serveACP over any pair of pipes; w is what each workspace is made of.
func serveACPOn(ctx context.Context, p *program, in io.Reader, out io.Writer, w *wiring) int {
	looked := w.lookForSandbox()
	defer func() { <-looked }()
	return acp.Serve(ctx, in, out, acp.Options{
		Name: "agent-sidecar", Version: version, Locale: p.locale(), Methods: rpc.Methods(), SchemaHash: schema.Hash(), Panicked: p.panicked,
		Report: func(what string, err error) { p.log.Warn().Err(err).Msg(what) },
		Serve: func(ctx context.Context, in io.Reader, out io.Writer) int {
			return rpc.Serve(ctx, in, out, serverOptions(p, w.another()))
		},
	})
}
