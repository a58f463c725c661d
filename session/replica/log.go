package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// place is the end of a line of a log that is here.
type place struct {
	Seq   int64  `json:"seq"`
	Chain []byte `json:"chain"`
	At    int64  `json:"at"` // where the next line begins, in bytes
}

// mark is a place that the server has confirmed: its message at Stream ends there.
type mark struct {
	place
	Stream uint64 `json:"stream"`
}

// copied is one log and its copy: the subject has the lines of the file, from the first, in
// order. The file is the queue of what is to be sent; nothing else has to survive. One
// goroutine uses it at a time.
type copied struct {
	remote  Remote
	seal    *seal
	subject string
	path    string // of the file
	// vacant is asked before the first line is sent to a subject that has none.
	vacant func(context.Context) error

	acked  mark   // as far as the server is known to have it
	looked bool   // acked is what the server said last, or what followed from it
	nonce  string // of the ids since then
	sent   int    // messages, by this process
	lost   bool   // the server had less than it had confirmed; until the owner asks
}

// DivergedError says that the server has other lines than this machine.
type DivergedError struct {
	Common int64 // the last line that both have
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the copy on the server has other lines from line %d on", e.Common+1)
}

// ErrBehind says that the server has all lines that are here, and more.
var ErrBehind = errors.New("the copy on the server has more lines")

// most is how many bytes of lines are sent at once. A message costs a round trip: a long log
// is sent in few of them, and one that grows by lines is sent line by line.
const most = 256 << 10

// start is where a log begins.
func (c *copied) start() place {
	begin := c.seal.begin()
	return place{Chain: begin[:]}
}

// walk goes through the lines behind a place until each says no.
func (c *copied) walk(from place, each func(to place, line []byte) bool) error {
	_, err := durable.ReadFrom(c.path, from.At, func(line []byte, at int64) bool {
		next := c.seal.after(chain(from.Chain), line)
		from = place{from.Seq + 1, next[:], at + int64(len(line)) + 1}
		return each(from, line)
	})
	return err
}

// send brings the copy to the line upTo, and tells of each message what beside says. Where
// the server has something else it is a DivergedError or ErrBehind.
func (c *copied) send(ctx context.Context, upTo int64, beside func() (note, error)) error {
	for refused := 0; ; {
		if !c.looked {
			was := c.acked.Stream
			if err := c.look(ctx, upTo); err != nil {
				return err
			}
			if c.acked.Stream != was {
				refused = 0 // another machine brings the same lines
			}
		}
		if c.acked.Seq >= upTo {
			return nil
		}
		r, to, err := c.next(ctx, upTo)
		if err != nil {
			return err
		}
		if to.Seq == c.acked.Seq {
			return nil // the file has no more of them
		}
		if r.note, err = beside(); err != nil {
			return err
		}
		data, err := c.fit(ctx, r)
		if err != nil {
			return err
		}
		at, err := c.remote.Append(ctx, c.subject, c.acked.Stream, fmt.Sprintf("%s.%d.%s", c.subject, r.first, c.nonce), data)
		switch {
		case err == nil:
			c.acked, refused = mark{to, at}, 0
			c.sent++
		case errors.Is(err, ErrRefused) && refused < 3:
			c.looked = false // somebody was first, perhaps we ourselves
			refused++
		default:
			c.looked = false // nobody knows whether it is there
			return err
		}
	}
}

// next are the lines that come behind what is confirmed.
func (c *copied) next(ctx context.Context, upTo int64) (r record, to place, err error) {
	limit, err := c.remote.Most(ctx)
	if err != nil {
		return record{}, place{}, err
	}
	limit = min(most, limit/2)
	r.first, to = c.acked.Seq+1, c.acked.place
	err = c.walk(c.acked.place, func(end place, line []byte) bool {
		if end.Seq > upTo || len(r.lines) > 0 && len(r.lines)+len(line) >= limit {
			return false
		}
		r.lines = append(append(r.lines, line...), '\n')
		to = end
		return end.Seq < upTo
	})
	r.last, r.chain = to.Seq, chain(to.Chain)
	return r, to, err
}

// fit is a record as it is sent: what is too long for a message is stored beside it.
func (c *copied) fit(ctx context.Context, r record) ([]byte, error) {
	data, err := c.seal.close(r)
	if err != nil {
		return nil, err
	}
	limit, err := c.remote.Most(ctx)
	if err != nil || len(data) <= limit-headRoom {
		return data, err
	}
	r.Blob = fmt.Sprintf("%s.lines-%x", c.subject, r.chain[:nameBytes])
	if err := c.remote.PutBlob(ctx, r.Blob, c.seal.closeBlob(r.Blob, r.lines)); err != nil {
		return nil, err
	}
	r.lines = nil
	return c.seal.close(r)
}

// headRoom is what a transport may add to a message, in bytes.
const headRoom = 1 << 10

// look finds out how far the copy is.
func (c *copied) look(ctx context.Context, upTo int64) error {
	c.nonce = fmt.Sprintf("%x", NewKey().secret[:8])
	was := c.acked.Seq
	last, err := c.remote.Last(ctx, c.subject)
	if errors.Is(err, ErrNone) {
		if err := c.vacant(ctx); err != nil {
			return err
		}
		c.acked, c.looked = mark{place: c.start()}, true
		c.lost = c.lost || was > 0
		return nil
	}
	if err != nil {
		return err
	}
	r, err := c.seal.open(last.Data)
	if err != nil {
		return err
	}
	if r.last > upTo {
		return c.compare(ctx, upTo)
	}
	at, err := c.placeOf(r.last)
	if err != nil {
		return err
	}
	if at.Seq != r.last || chain(at.Chain) != r.chain {
		return c.compare(ctx, upTo)
	}
	c.acked, c.looked = mark{at, last.At}, true
	c.lost = c.lost || at.Seq < was
	return nil
}

// placeOf is the end of a line; of the last one where there are fewer.
func (c *copied) placeOf(seq int64) (place, error) {
	at := c.start()
	if c.acked.Seq > 0 && c.acked.Seq <= seq {
		at = c.acked.place
	}
	if at.Seq == seq {
		return at, nil
	}
	err := c.walk(at, func(end place, _ []byte) bool {
		at = end
		return end.Seq < seq
	})
	return at, err
}

// compare says how the copy and the file have come apart: it is never nil.
func (c *copied) compare(ctx context.Context, upTo int64) error {
	common, err := c.common(ctx, upTo)
	if err != nil {
		return err
	}
	have, err := c.placeOf(upTo)
	if err != nil {
		return err
	}
	if common.Seq == have.Seq {
		c.acked = common
		return ErrBehind
	}
	return &DivergedError{common.Seq}
}

// common is the last line that the copy and the file have both, of the first upTo. Its
// Stream is the last message that ends there or before.
func (c *copied) common(ctx context.Context, upTo int64) (mark, error) {
	at := mark{place: c.start()}
	var failed error
	mine, enough := iter.Pull(func(yield func([]byte) bool) {
		failed = c.walk(c.start(), func(end place, line []byte) bool { return end.Seq <= upTo && yield(line) })
	})
	defer enough()
	stop := errors.New("no more")
	err := c.remote.Each(ctx, c.subject, 0, func(m Message) error {
		r, err := c.opened(ctx, m)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(r.lines) {
			line = line[:len(line)-1]
			if here, ok := mine(); !ok || !bytes.Equal(here, line) {
				return stop
			}
			next := c.seal.after(chain(at.Chain), line)
			at.place = place{at.Seq + 1, next[:], at.At + int64(len(line)) + 1}
		}
		at.Stream = m.At
		return nil
	})
	if errors.Is(err, stop) {
		err = nil
	}
	return at, errors.Join(err, failed)
}

// opened is the record of a message, its lines with it.
func (c *copied) opened(ctx context.Context, m Message) (record, error) {
	r, err := c.seal.open(m.Data)
	if err != nil || r.Blob == "" {
		return r, err
	}
	data, err := c.remote.Blob(ctx, r.Blob)
	if err != nil {
		return record{}, fmt.Errorf("the lines %d to %d: %w", r.first, r.last, err)
	}
	if r.lines, err = c.seal.openBlob(r.Blob, data); err != nil {
		return record{}, err
	}
	if int64(bytes.Count(r.lines, []byte{'\n'})) != r.last-r.first+1 {
		return record{}, ErrForged
	}
	return r, nil
}

// fetch gives the lines of the copy behind those that the file has, which the copy has too,
// each once its message was checked; beside is told first what the message says.
func (c *copied) fetch(ctx context.Context, beside func(note) error, add func(line []byte) error) error {
	at := c.acked
	if at.Seq == 0 {
		at = mark{place: c.start()}
	}
	have, begun := at.Seq, at.Stream > 0
	if !begun {
		at.place = c.start()
	}
	return c.remote.Each(ctx, c.subject, at.Stream, func(m Message) error {
		r, err := c.opened(ctx, m)
		switch {
		case err != nil:
			return err
		case begun: // the one that ends at or before what is here
			begun = false
			if m.At != at.Stream {
				return ErrForged
			}
			at.place = place{Seq: r.last, Chain: r.chain[:], At: c.acked.At}
			return nil
		case r.first != at.Seq+1:
			return ErrForged
		}
		now := chain(at.Chain)
		for line := range bytes.Lines(r.lines) {
			now = c.seal.after(now, line[:len(line)-1])
		}
		if now != r.chain {
			return ErrForged
		}
		if err := beside(r.note); err != nil {
			return err
		}
		seq := r.first - 1
		for line := range bytes.Lines(r.lines) {
			if seq++; seq <= have {
				continue
			}
			if err := add(line[:len(line)-1]); err != nil {
				return err
			}
			c.acked.At += int64(len(line))
		}
		at = mark{place{r.last, r.chain[:], c.acked.At}, m.At}
		c.acked = at
		c.looked = true
		return nil
	})
}
