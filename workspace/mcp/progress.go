package mcp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// callsAtWork are the calls of a link that the server has not answered, by the token with
// which it speaks of their progress.
type callsAtWork struct {
	mu   sync.Mutex // guards everything below
	next int
	by   map[string]*callAtWork
	// asking says that the person is asked for one of them.
	asking bool
}

// callAtWork is one of them.
type callAtWork struct {
	ctx   context.Context // ends with it
	sink  tool.Sink
	wait  *patience
	shown time.Time // when its progress was shown last
	last  string
}

// begin makes a token for a call. Where it ends, end takes the token back.
func (c *callsAtWork) begin(ctx context.Context, sink tool.Sink, wait *patience) (token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]*callAtWork{}
	}
	c.next++
	token = strconv.Itoa(c.next)
	c.by[token] = &callAtWork{ctx: ctx, sink: sink, wait: wait}
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.by, token)
	}
}

// alone is the only call at work, whose server may take its time until end; nil where there is
// none, there are several, or the person is asked already.
func (c *callsAtWork) alone() (call *callAtWork, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.by) != 1 || c.asking {
		return nil, nil
	}
	for _, one := range c.by {
		call = one
	}
	c.asking = true
	call.wait.pause()
	return call, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asking = false
		call.wait.resume()
	}
}

// patience is how long a server may take to answer, without the time in which a person is
// asked.
type patience struct {
	timer *time.Timer
	long  time.Duration
}

// waits is patience at work: over is called when it is at its end.
func waits(long time.Duration, over func()) *patience {
	return &patience{time.AfterFunc(long, over), long}
}

func (p *patience) pause()  { p.timer.Stop() }
func (p *patience) resume() { p.timer.Reset(p.long) }

// progress shows how far a call is. What comes quicker than people read is left out.
func (c *callsAtWork) progress(p *mcp.ProgressNotificationParams) {
	if p == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.by[fmt.Sprint(p.ProgressToken)]
	if call == nil {
		return
	}
	line := progressLine(p)
	if now := time.Now(); line != call.last && (now.Sub(call.shown) >= output.LiveEvery || p.Total > 0 && p.Progress >= p.Total) {
		call.shown, call.last = now, line
		call.sink.Output("", line+"\n")
	}
}

// progressLine is one line for people: "3/10 reading".
func progressLine(p *mcp.ProgressNotificationParams) string {
	line := strconv.FormatFloat(p.Progress, 'g', 6, 64)
	if p.Total > 0 {
		line += "/" + strconv.FormatFloat(p.Total, 'g', 6, 64)
	}
	if p.Message != "" {
		line += " " + output.OneLine(p.Message)
	}
	return line
}
