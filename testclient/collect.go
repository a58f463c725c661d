package testclient

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// after waits until nothing moves any more and writes down what came of step i.
// In real time nobody knows when nothing moves, so it waits for the lines that
// the step expects, or in an update until nothing came for a while.
func (p *player) after(i int) {
	switch {
	case p.o.Settle != nil:
		for again := true; again; {
			p.o.Settle()
			again = p.drain(i)
		}
	case p.o.Update:
		p.quiet(i)
	default:
		p.expectLines(i)
	}
}

// drain renders what has come since. It is true when it answered a request by
// itself, so that more may come.
func (p *player) drain(i int) (answered bool) {
	l := p.now
	records := l.client.Records()
	if l.seen < len(records) {
		p.names.workspaces(p.env.Env["AGENT_SIDECAR_HOME"])
	}
	for ; l.seen < len(records); l.seen++ {
		rec := records[l.seen]
		if rec.Sent {
			continue
		}
		s := p.lines.line(rec)
		if p.answer(rec) {
			answered = true
		}
		p.add(i, s)
	}
	select {
	case l.exit = <-l.code:
		l.ended = true
	default:
	}
	if l.ended && !l.told {
		l.told = true
		p.add(i, shown{text: fmt.Sprintf("<-- exit %d", l.exit), order: "exit"})
	}
	return answered
}

func (p *player) add(i int, s shown) {
	if !p.lines.visible(&s) {
		return
	}
	if p.o.Settle != nil {
		p.got[i] = p.lines.fold(p.got[i], s)
		return
	}
	p.pool = p.lines.fold(p.pool, s)
}

// answer answers a request of the server that has an automatic answer.
func (p *player) answer(rec Record) bool {
	m, err := parseMessage(rec.Frame)
	if err != nil || m.Method == "" || m.ID == nil {
		return false
	}
	body, ok := p.answers[m.Method]
	if !ok {
		return false
	}
	p.now.client.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, restoreJSON(p.names, body)))
	return true
}

// expectLines waits for the lines below step i, those of one kind in their
// order, whatever else comes.
func (p *player) expectLines(i int) {
	patience := p.o.Patience
	if patience == 0 {
		patience = 2 * time.Minute // a busy machine may need much, and only a failure waits for it
	}
	missing := p.c.steps[i].expected()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for waiting := true; waiting; {
		changed := p.now.client.Changed()
		p.drain(i)
		missing = p.take(missing)
		if len(missing) == 0 {
			return
		}
		if p.now.ended {
			break // all it ever said has been read
		}
		select {
		case <-changed:
		case l := <-p.exits():
			p.now.exit, p.now.ended = l, true
		case <-timer.C:
			waiting = false
		}
	}
	p.golden = true
	p.problem("conversation line %d: did not come within %v, or in another order:\n%s",
		p.c.steps[i].line, patience, difference(missing, texts(p.left())))
}

// exits is the server's exit code while nobody has taken it yet.
func (p *player) exits() <-chan int {
	if p.now.ended {
		return nil
	}
	return p.now.code
}

// take removes from the expected lines those that are in the pool. Of the lines
// of one kind only the first unused one may be taken, and only by the first
// expected one, unless they are volatile.
func (p *player) take(expected []string) (missing []string) {
	waits := map[string]bool{}
	for _, want := range expected {
		order, volatile := p.lines.orderOf(want)
		if waits[order] || !p.takeOne(want) {
			missing = append(missing, want)
			waits[order] = !volatile
		}
	}
	return missing
}

func (p *player) takeOne(want string) bool {
	passed := map[string]bool{}
	for _, s := range p.pool {
		if s.used || passed[s.order] {
			continue
		}
		if matches(want, s.text) {
			s.used = true
			return true
		}
		passed[s.order] = !s.volatile
	}
	return false
}

// left are the lines nobody expected, without volatile ones.
func (p *player) left() []*shown {
	return slices.DeleteFunc(slices.Clone(p.pool), func(s *shown) bool { return s.used || s.volatile })
}

// quiet collects until nothing came for a while.
func (p *player) quiet(i int) {
	quiet := p.o.Quiet
	if quiet == 0 {
		quiet = time.Second
	}
	for {
		changed := p.now.client.Changed()
		p.drain(i)
		timer := time.NewTimer(quiet)
		select {
		case <-changed:
			timer.Stop()
			continue
		case l := <-p.exits():
			timer.Stop()
			p.now.exit, p.now.ended = l, true
			continue
		case <-timer.C:
		}
		p.drain(i)
		for _, s := range p.pool {
			if !s.used && (!s.volatile || s.raw != "") {
				p.got[i] = append(p.got[i], s)
			}
			s.used = true
		}
		return
	}
}

// updateRealtime rewrites only what no longer happens: a real-time file that
// still plays as written keeps its bytes, whatever order things came in.
func updateRealtime(c *Conversation, o Options) *Result {
	first, second := o, o
	first.Update = false
	first.Dir, second.Dir = filepath.Join(o.Dir, "as-written"), filepath.Join(o.Dir, "update")
	for _, dir := range []string{first.Dir, second.Dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return &Result{Problems: []string{err.Error()}}
		}
	}
	p := &player{c: c, o: first, probe: true, result: &Result{}}
	p.begin()
	if !p.golden {
		p.result.Updated = c.archive.format()
		return p.result
	}
	return play(c, second)
}

// finish ends the server as an editor that closes does. In a bubble everything
// that the last step caused has been written down before; in real time it may
// still be on its way, and counts.
func (p *player) finish() {
	l := p.now
	if p.o.Settle == nil && !p.o.Update {
		p.drain(p.at)
		l.told = l.told || !l.left && !l.eof // that it ends now is not the conversation's doing
		defer p.drain(p.at)
	}
	l.client.Resume()
	l.client.CloseInput()
	if p.gone(l) {
		return
	}
	p.problem("the server did not end within %v of the end of its input", p.c.grace())
	l.proc.Kill()
	if !p.gone(l) {
		p.problem("the server did not end when it was killed")
	}
}

func texts(lines []*shown) []string {
	var out []string
	for _, s := range lines {
		out = append(out, s.text)
	}
	return out
}
