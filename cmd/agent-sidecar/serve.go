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
	wire := p.out
	os.Stdout = os.Stderr
	ctx, stop := interrupted()
	defer stop()
	return p.serveOn(ctx, p.in, wire, p.wiring())
}

// serveOn is serve over any pair of pipes.
func (p *program) serveOn(ctx context.Context, in io.Reader, out io.Writer, w *wiring) int {
	return rpc.Serve(ctx, in, out, rpc.Options{
		Name: "agent-sidecar", Version: version, Open: w.open, ClientProcessID: p.clientProcessID,
		Schema: schema.MetaModel(), SchemaHash: schema.Hash(), Log: p.log, Panicked: p.panicked,
	})
}

// wiring is what this start of the program serves with.
func (p *program) wiring() *wiring {
	return &wiring{home: p.home, userHome: p.userHome, log: p.log, trustClient: p.trustClient, env: p.env, model: p.model}
}
