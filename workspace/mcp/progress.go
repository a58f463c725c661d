package mcp

import (
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
}

// callAtWork is one of them.
type callAtWork struct {
	sink  tool.Sink
	shown time.Time // when its progress was shown last
	last  string
}

// begin makes a token for a call. Where it ends, end takes the token back.
func (c *callsAtWork) begin(sink tool.Sink) (token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]*callAtWork{}
	}
	c.next++
	token = strconv.Itoa(c.next)
	c.by[token] = &callAtWork{sink: sink}
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.by, token)
	}
}

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
