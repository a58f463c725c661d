package model

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// chain is a Model: endpoints that are asked one after the other until one
// answers (session §8).
type chain struct {
	catalog *Catalog
	ends    []*endpoint
}

// Info implements Model.
func (c *chain) Info() Info {
	first := c.ends[0]
	info := first.info
	if known := c.catalog.learned(first.place()); known.window > 0 && !first.fixed {
		info.Window = known.window
	}
	info.Quirks = slices.Sorted(maps.Keys(c.catalog.quirks(first.place())))
	return info
}

// Stream implements Model.
func (c *chain) Stream(ctx context.Context, req Request) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		a := &asking{catalog: c.catalog, ctx: ctx, req: req, yield: yield}
		a.run(c.catalog.rested(c.ends))
	}
}

// asking is one Stream: every attempt at it.
type asking struct {
	catalog  *Catalog
	ctx      context.Context
	req      Request
	yield    func(Part, error) bool
	attempts []Attempt
	ended    bool // the consumer has everything, or wants no more
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
		last, v = a.model(e, ends[i+1:])
		if a.ended {
			return
		}
		if v == giveUp {
			break
		}
		a.catalog.rest(e.place(), time.Now().Add(restFor))
		if i == len(ends)-1 && len(ends) > 1 {
			a.finish(a.exhausted(last))
			return
		}
	}
	err := *last.err
	err.Attempts = a.attempts
	a.finish(&err)
}

func (a *asking) finish(err error) {
	a.ended = true
	a.yield(nil, err)
}

// exhausted is the error of a chain (ruling 12).
func (a *asking) exhausted(last *failure) *Error {
	err := *last.err
	err.Kind, err.Status, err.RetryAfter = KindUnavailable, 0, 0
	err.Attempts = a.attempts
	var lines []string
	for _, t := range a.attempts {
		line := t.Model + ": " + t.Message
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	err.Message = clip("no model of the chain could answer; "+strings.Join(lines, "; "), maxMessage)
	return &err
}

// model asks one endpoint with each of its keys.
func (a *asking) model(e *endpoint, rest []*endpoint) (last *failure, v verdict) {
	fixed, moved := "", false // the one quirk that was learned on the way, and the other API
	for k, key := range e.keys {
		for n := 1; ; n++ {
			quirks := a.catalog.quirks(e.place())
			q := e.question(a.req, quirks)
			if a.cancelled() {
				return nil, giveUp
			}
			done, fail, stopped := e.ask(a.ctx, key, q, a.emit)
			if stopped {
				a.ended = true
				return nil, giveUp
			}
			if fail == nil {
				done.Moved = moved
				a.answered(done, fixed, quirks)
				return nil, giveUp
			}
			if a.cancelled() {
				return nil, giveUp
			}
			a.failed(e, fail)
			last = fail
			var wait time.Duration
			v, wait = a.judge(fail, n)
			if v == giveUp && fixed == "" && (fail.class == classBadRequest || fail.class == classHistory) {
				if fixed = findQuirk(fail.body, q.sent); fixed != "" {
					a.catalog.learnQuirk(e.place(), fixed)
					v = withoutQuirk
					n-- // the fix is not one of the three
				}
				if fixed == quirkResponses { // another door: what is refused behind it is the one quirk
					fixed, moved = "", true
				}
			}
			if v == nextKey && k == len(e.keys)-1 {
				v = nextModel
			}
			if !a.announce(fail, v, n, wait, e, rest) {
				return nil, giveUp
			}
			if v == nextKey {
				break
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
	return last, nextModel
}

// judge decides by class alone what follows the n-th failed attempt.
func (a *asking) judge(f *failure, n int) (verdict, time.Duration) {
	switch f.class {
	case classAuth:
		return nextKey, 0
	case classQuota, classNotFound:
		return nextModel, 0
	case classOverflow, classOverflowTPM, classBadRequest, classHistory, classContentFilter:
		return giveUp, 0
	case classToolUseFailed: // one more throw of the dice, then the session hears of it
		if n > 1 {
			return giveUp, 0
		}
		return sameAgain, 0
	}
	elsewhere := nextModel
	if f.class == classRateLimit {
		elsewhere = nextKey // limits are counted per key
	}
	if !f.again || n >= a.catalog.attempts() || f.err.RetryAfter > maxAsked {
		return elsewhere, 0
	}
	if f.err.RetryAfter > 0 {
		return sameAgain, f.err.RetryAfter
	}
	return sameAgain, backoff(n, a.catalog.random())
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
		Attempt: max(n, 1), In: wait, Err: f.err,
		Model: next.info.Name, Provider: next.info.Provider, Switch: next != e,
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
		Model: e.info.Name, Status: f.err.Status, Kind: f.err.Kind, Message: f.err.Message,
	})
	if f.err.Window > 0 {
		a.catalog.learnWindow(e.place(), f.err.Window)
	}
}

// answered hands the answer on. A refused tool_choice is said every time,
// because the session then has to ask in another way (ruling 100); the others
// once, when they are learned.
func (a *asking) answered(done Done, fixed string, quirks map[string]bool) {
	done.Quirk = fixed
	if a.req.ToolChoice != "" && len(a.req.Tools) > 0 && quirks[quirkToolChoice] {
		done.Quirk = quirkToolChoice
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
