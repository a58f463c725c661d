package model

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// chain is a Model: endpoints that are asked one after the other until one
// answers.
type chain struct {
	catalog *Catalog
	ends    []*endpoint

	mu   sync.Mutex // guards last
	last *endpoint  // that was asked
}

// Info implements Model. While the first model rests, that is the one that is
// asked instead of it.
func (c *chain) Info() Info {
	first := c.rested()[0]
	info, list := first.info, c.catalog.listed(first)
	info.Window = c.window(first)
	info.Known = c.source(first, info.Window)
	info.MaxOutput = firstOf(info.MaxOutput, list.MaxOutput)
	info.Vision, info.Reasoning = info.Vision || list.Vision, info.Reasoning || list.Reasoning
	info.Efforts = efforts(info)
	info.Quirks = slices.Sorted(maps.Keys(c.catalog.memory.quirks(first.place(), first.known)))
	return info
}

// rested puts the endpoints that failed a moment ago behind the others.
func (c *chain) rested() []*endpoint {
	return tiredLast(c.ends, func(e *endpoint) bool { return c.catalog.memory.cooldown(e.place()) != "" })
}

// window is what is known of an endpoint's window, 0 if nothing.
func (c *chain) window(e *endpoint) int64 {
	if e.fixed {
		return e.info.Window
	}
	// The list says what should be, the text of an error what was: where they
	// differ, nothing above the smaller one was ever accepted.
	return firstOf(least(c.catalog.listed(e).Window, c.catalog.memory.saidWindow(e.place())), e.info.Window)
}

// source is where the window of an endpoint is known from.
func (c *chain) source(e *endpoint, window int64) Source {
	listed := c.catalog.listed(e)
	switch {
	case e.fixed:
		return SourceConfiguration
	case window == 0:
		return SourceNone
	case listed.Window == window:
		return listed.from
	case c.catalog.memory.saidWindow(e.place()) == window:
		return SourceServer
	}
	return SourceTable
}

// least is the smaller of two numbers of which 0 is unknown.
func least(a, b int64) int64 {
	if a > 0 && b > 0 {
		return min(a, b)
	}
	return max(a, b)
}

// Stream implements Model.
func (c *chain) Stream(ctx context.Context, req Request) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		a := &asking{chain: c, catalog: c.catalog, ctx: ctx, req: req, yield: yield}
		ends := c.rested()
		if s, ok := c.moved(ends[0]); ok && !yield(s, nil) {
			return
		}
		a.run(ends)
		c.remember(a.asked)
	}
}

// moved says that another model is asked than the one before, or than the chain
// begins with, before it is asked.
func (c *chain) moved(to *endpoint) (Switch, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.last
	if from == nil {
		from = c.ends[0]
	}
	if from == to {
		return Switch{}, false
	}
	reason := c.catalog.memory.cooldown(from.place())
	if reason == "" {
		reason = Rested
	}
	return Switch{From: c.label(from), To: c.label(to), Reason: string(reason)}, true
}

// label is the name of an endpoint, with its provider where another of the chain
// has the same name.
func (c *chain) label(e *endpoint) string {
	if slices.ContainsFunc(c.ends, func(o *endpoint) bool { return o != e && o.info.Name == e.info.Name }) {
		return e.info.Provider + "/" + e.info.Name
	}
	return e.info.Name
}

// remember keeps who was asked last.
func (c *chain) remember(last *endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last != nil {
		c.last = last
	}
}

// asking is one Stream: every attempt at it.
type asking struct {
	chain    *chain
	catalog  *Catalog
	ctx      context.Context
	req      Request
	yield    func(Part, error) bool
	attempts []Attempt
	asked    *endpoint // last
	ended    bool      // the consumer has everything, or wants no more
}

// verdict is what follows a failure.
type verdict int

const (
	giveUp verdict = iota
	nextModel
	nextKey
	sameAgain
	withoutQuirk
)

// run asks the endpoints in order.
func (a *asking) run(ends []*endpoint) {
	var last *failure
	for i, e := range ends {
		var v verdict
		if i > 0 {
			if last = a.tooLong(e); last != nil {
				break
			}
		}
		last, v = a.model(e, ends[i+1:])
		if a.ended {
			return
		}
		if v == giveUp {
			break
		}
		a.catalog.memory.rest(e.place(), time.Now().Add(restFor), last.err.Kind)
		if i == len(ends)-1 && len(ends) > 1 {
			a.finish(a.exhausted(last))
			return
		}
	}
	err := *last.err
	err.Attempts = a.attempts
	a.finish(&err)
}

// tooLong is the overflow of a request that cannot fit the smaller window of a
// model that is asked instead: the session summarises first and asks again. Some
// servers would cut the conversation without a word. The guess is low, so that
// nothing that may fit is refused; nil where it may.
func (a *asking) tooLong(e *endpoint) *failure {
	window := a.chain.window(e)
	if window == 0 || a.req.leastTokens() <= window {
		return nil
	}
	a.asked = e
	f := e.fail(classOverflow, 0, fmt.Sprintf("the conversation does not fit the window of %d tokens", window))
	a.failed(e, f)
	return f
}

func (a *asking) finish(err error) {
	a.ended = true
	a.yield(nil, err)
}

// exhausted is the error of a chain.
func (a *asking) exhausted(last *failure) *Error {
	err := *last.err
	err.Kind, err.Status, err.RetryAfter = KindUnavailable, 0, 0
	err.Attempts = a.attempts
	var lines []string
	for _, t := range a.attempts {
		line := (&Error{Kind: t.Kind, Message: t.Message}).Cause().String() + " (" + t.Model + ")"
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	err.Message = clip(strings.Join(lines, "; "), maxMessage)
	return &err
}

// model asks one endpoint with its keys.
func (a *asking) model(e *endpoint, rest []*endpoint) (last *failure, v verdict) {
	a.asked = e
	keys := newRing(a.catalog.memory.restedKeys(e.place(), e.keys))
	key := keys.next()
	listed := a.catalog.learnList(a.ctx, e, key.key)
	defer listed()
	var mend mending
	for tried := 1; ; tried++ {
		quirks := a.catalog.memory.quirks(e.place(), e.known)
		for _, name := range mend.tried {
			quirks[name] = true
		}
		q := e.wireRequest(a.req, quirks)
		if a.cancelled() {
			return nil, giveUp
		}
		done, fail, stopped := e.ask(a.ctx, key.key, q, a.emit)
		if stopped {
			a.ended = true
			return nil, giveUp
		}
		if fail == nil {
			for _, name := range mend.tried {
				a.catalog.memory.learnQuirk(e.place(), name)
			}
			done.Moved = mend.moved
			e.priced(done.Usage)
			a.lookForCut(e, &done)
			a.answered(done, mend.learned(), quirks)
			listed()
			a.catalog.learnLoaded(a.ctx, e, key.key)
			return nil, giveUp
		}
		if a.cancelled() {
			return nil, giveUp
		}
		fail.err.Message = clip(fail.err.Message+q.about(fail), maxMessage)
		a.failed(e, fail)
		last = mend.failed(fail)
		key.asked++
		v = a.judge(e, fail, keys, key)
		if fix := mend.next(fail, q.sent); fix != "" {
			if !slices.Contains(mend.tried, fix) {
				a.catalog.memory.learnQuirk(e.place(), fix)
			}
			key.asked-- // the fix is not one of the three
			key.ready, key.out, v = time.Time{}, false, withoutQuirk
		}
		if v == nextKey {
			key = keys.next()
		}
		wait := max(0, time.Until(key.ready))
		if v == giveUp || v == nextModel {
			wait = 0
		}
		if !a.announce(fail, v, tried, wait, e, rest) {
			return nil, giveUp
		}
		if v == giveUp || v == nextModel {
			return last, v
		}
		if wait > 0 && pause(a.ctx, wait) != nil {
			a.finish(context.Cause(a.ctx))
			return nil, giveUp
		}
	}
}

// judge decides by class what follows a failure, and when the key may be used
// again.
func (a *asking) judge(e *endpoint, f *failure, keys *ring, key *turn) verdict {
	switch f.class {
	case classAuth:
		key.out = true
		a.catalog.memory.restKey(e.place(), key.key, time.Now().Add(restKeyFor))
		if keys.others(key) {
			return nextKey
		}
		return nextModel
	case classQuota: // the next time another key, which may be another account's, is asked first
		a.catalog.memory.restKey(e.place(), key.key, time.Now().Add(restKeyFor))
		return nextModel
	case classNotFound:
		return nextModel
	case classOverflow, classOverflowTPM, classBadRequest, classHistory, classContentFilter:
		return giveUp
	case classToolUseFailed: // one more throw of the dice, then the session hears of it
		if key.asked > 1 {
			return giveUp
		}
		return sameAgain
	}
	wait := f.err.RetryAfter
	if wait <= 0 {
		wait = backoff(key.asked, a.catalog.random())
	}
	key.ready = time.Now().Add(wait)
	key.out = !f.again || key.asked >= a.catalog.attempts() || wait > maxAsked
	switch {
	case f.class == classRateLimit: // limits are counted per key
		a.catalog.memory.restKey(e.place(), key.key, key.ready)
		if key.out && !keys.others(key) {
			return nextModel
		}
		return nextKey
	case key.out:
		return nextModel
	}
	return sameAgain
}

// announce withdraws what was streamed and says what comes next. False means
// that the consumer stopped.
func (a *asking) announce(f *failure, v verdict, n int, wait time.Duration, e *endpoint, rest []*endpoint) bool {
	next := e
	switch {
	case v == giveUp, v == nextModel && len(rest) == 0:
		return true
	case v == nextModel:
		next = rest[0]
	}
	retry := Retry{
		Attempt: n, In: wait, Err: f.err,
		From: a.chain.label(e), Model: a.chain.label(next), Provider: next.info.Provider, Switch: next != e,
	}
	a.ended = !a.yield(retry, nil)
	return !a.ended
}

func (a *asking) emit(p Part) bool { return a.yield(p, nil) }

// cancelled ends the sequence with the cause of the context, if it ended.
func (a *asking) cancelled() bool {
	if a.ctx.Err() == nil {
		return false
	}
	a.finish(context.Cause(a.ctx))
	return true
}

func (a *asking) failed(e *endpoint, f *failure) {
	a.attempts = append(a.attempts, Attempt{
		Model: a.chain.label(e), Status: f.err.Status, Kind: f.err.Kind, Message: f.err.Message,
	})
	if f.err.Window > 0 {
		a.catalog.memory.learnWindow(e.place(), f.err.Window)
	}
}

// answered hands the answer on. A refused tool_choice is said every time,
// because the session then has to ask in another way; the others once, when
// they are learned.
func (a *asking) answered(done Done, learned []string, quirks map[string]bool) {
	if a.req.ToolChoice != "" && len(a.req.Tools) > 0 && quirks[quirkToolChoice] {
		learned = append([]string{quirkToolChoice}, slices.DeleteFunc(learned, func(name string) bool { return name == quirkToolChoice })...)
	}
	if len(learned) > 0 {
		done.Quirk, done.Also = learned[0], learned[1:]
	}
	a.ended = true
	a.yield(done, nil)
}

// String names the chain for people.
func (c *chain) String() string {
	var names []string
	for _, e := range c.ends {
		names = append(names, fmt.Sprintf("%s/%s", e.info.Provider, e.info.Name))
	}
	return strings.Join(names, ", ")
}
