package web

import (
	"context"
	"errors"
	"io"
	"runtime/metrics"
	"strings"
	"time"

	"golang.org/x/net/html"
)

const (
	// parseWait is how long the reading of a page may take. 5 MB of honest HTML take
	// a fifth of a second.
	parseWait = 3 * time.Second
	// parseGrowth is how much memory may be taken meanwhile, in bytes; honest HTML
	// of 5 MB takes 100 MB.
	parseGrowth = 256 << 20
	// parseStep is how much HTML is read between two looks at both.
	parseStep = 512
)

var (
	errTangled = errors.New("the page is made so that reading it takes too long or too much memory; format html gives its source")
	errDeep    = errors.New("the elements of the page are nested too deeply to be read; format html gives its source")
)

// parse reads HTML as browsers do. A few kilobytes can be written so that a
// correct reader makes gigabytes of them (formatting that is never closed is made
// again in every paragraph), so the reader is watched and stopped.
func parse(ctx context.Context, text string) (*html.Node, error) {
	w := &watched{ctx: ctx, from: strings.NewReader(text), until: time.Now().Add(parseWait)}
	w.start = w.heap()
	doc, err := html.Parse(w)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, errTangled):
		return nil, errTangled
	case err != nil:
		return nil, errDeep
	}
	return doc, nil
}

// watched gives a text in small pieces and ends when its reader has used too much.
type watched struct {
	ctx   context.Context
	from  io.Reader
	until time.Time
	start uint64
}

func (w *watched) Read(p []byte) (int, error) {
	switch {
	case w.ctx.Err() != nil:
		return 0, w.ctx.Err()
	case time.Now().After(w.until), w.heap() > w.start+parseGrowth:
		return 0, errTangled
	}
	return w.from.Read(p[:min(len(p), parseStep)])
}

// heap is the memory of all objects of the process, in bytes.
func (w *watched) heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
