package main

import (
	"context"
	"io"
	"os"

	"github.com/agent-sidecar/agent-sidecar/rpc"
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
	return rpc.Serve(ctx, in, out, rpc.Options{
		Name: "agent-sidecar", Version: version, Open: w.open, ClientProcessID: p.clientProcessID, Locale: p.locale(),
		Schema: schema.MetaModel(), SchemaHash: schema.Hash(), Log: p.log, Panicked: p.panicked,
	})
}
