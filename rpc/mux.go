package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// concurrency is when a request's handler runs (architecture §3.7).
type concurrency int

const (
	// ordered runs in the dispatcher, in order of arrival; nothing is dispatched
	// meanwhile. For what is quick and changes what later requests see: document
	// sync, initialize; for a cancel, which a yes behind it must not overtake; and
	// for shutdown, which must be answered before exit.
	ordered concurrency = iota
	// perSession runs in its own goroutine once the earlier calls of the same
	// session have returned or called release.
	perSession
	// read runs in its own goroutine at once.
	read
	// global is read for requests that are taken even when too many are running:
	// a Stop or a yes is never refused.
	global
)

// row is one line of the method table of a receiver S, usually *Server.
type row[S any] struct {
	name        string
	concurrency concurrency
	method      method[S]
	// key names the chain of a request, behind whose earlier ones it waits; nil
	// takes, of a perSession request, the params' sessionId, else its sessionKey,
	// else "", and chains no other.
	key func(params json.RawMessage) string
}

// method is a typed handler with its types forgotten.
type method[S any] struct {
	bind           func(S) handler
	notification   bool
	params, result reflect.Type // for the schema
}

// handler answers with a finished result.
type handler func(ctx context.Context, c *call, params json.RawMessage) (json.RawMessage, error)

// handle makes a method of a typed handler of requests. P and R are types of
// ours or LSP types, never mixed. Unknown members of params are ignored,
// ill-typed ones are -32602; where *P implements checked it is asked as well.
func handle[S, P, R any](f func(S, context.Context, *call, P) (R, error)) method[S] {
	in := codecOnce[P]()
	return method[S]{params: reflect.TypeFor[P](), result: reflect.TypeFor[R](), bind: func(s S) handler {
		return func(ctx context.Context, c *call, raw json.RawMessage) (json.RawMessage, error) {
			var params P
			if err := decodeParams(in(), raw, &params); err != nil {
				return nil, err
			}
			result, err := f(s, ctx, c, params)
			if err != nil {
				return nil, err
			}
			encoded, err := encodeResult(result)
			if err != nil {
				return nil, fmt.Errorf("encode the result: %w", err)
			}
			return encoded, nil
		}
	}}
}

// codecOnce looks at a type when it is first needed: looking through all types
// of the table would make an editor wait at every start. A test does it.
func codecOnce[T any]() func() codec {
	return sync.OnceValue(func() codec { return codecFor(reflect.TypeFor[T]()) })
}

// encodeResult picks the codec by R where it is a union of LSP and by the value
// where it is any.
func encodeResult[R any](result R) (json.RawMessage, error) {
	if t := reflect.TypeFor[R](); t.Kind() != reflect.Interface || t.PkgPath() == lspPackage {
		return codecFor(t).marshal(result)
	}
	return encodeValue(result)
}

// notice makes a method of a typed handler of notifications. They run in order,
// whatever their row says; their errors are reported and answer nothing.
func notice[S, P any](f func(S, context.Context, P) error) method[S] {
	in := codecOnce[P]()
	return method[S]{notification: true, params: reflect.TypeFor[P](), bind: func(s S) handler {
		return func(ctx context.Context, _ *call, raw json.RawMessage) (json.RawMessage, error) {
			var params P
			if err := decodeParams(in(), raw, &params); err != nil {
				return nil, err
			}
			return nil, f(s, ctx, params)
		}
	}}
}

// none is P of methods without params and R of methods whose result is null.
type none struct{}

// MarshalJSON makes none null.
func (none) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// boundRow is a row with its receiver.
type boundRow struct {
	concurrency  concurrency
	notification bool
	handle       handler
	key          func(json.RawMessage) string
}

// bind makes the table of one connection. It panics on a method that occurs
// twice, which is a defect of the table.
func bind[S any](s S, rows []row[S]) map[string]boundRow {
	table := make(map[string]boundRow, len(rows))
	for _, r := range rows {
		if _, twice := table[r.name]; twice {
			panic("rpc: method " + r.name + " stands twice in the table")
		}
		key := r.key
		if key == nil && r.concurrency == perSession {
			key = sessionKeyOf
		}
		table[r.name] = boundRow{r.concurrency, r.method.notification, r.method.bind(s), key}
	}
	return table
}

func sessionKeyOf(params json.RawMessage) string {
	if id := memberString(params, "sessionId"); id != "" {
		return id
	}
	return memberString(params, "sessionKey")
}
