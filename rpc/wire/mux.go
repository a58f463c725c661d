package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// Concurrency is when a request's handler runs.
type Concurrency int

const (
	// Ordered runs in the dispatcher, in order of arrival; nothing is dispatched
	// meanwhile. For what is quick and changes what later requests see: document
	// sync, initialize; for a cancel, which a yes behind it must not overtake; and
	// for shutdown, which must be answered before exit.
	Ordered Concurrency = iota
	// PerSession runs in its own goroutine once the earlier calls of the same
	// session have returned or called Release.
	PerSession
	// Read runs in its own goroutine at once.
	Read
	// Global is read for requests that are taken even when too many are running:
	// a Stop or a yes is never refused.
	Global
)

// Row is one line of the method table of a receiver S, whose methods the handlers
// are.
type Row[S any] struct {
	Name        string
	Concurrency Concurrency
	Method      Method[S]
	// Key names the chain of a request, behind whose earlier ones it waits; nil
	// takes, of a PerSession request, the params' sessionId, else its sessionKey,
	// else "", and chains no other.
	Key func(params json.RawMessage) string
}

// Method is a typed handler with its types forgotten.
type Method[S any] struct {
	bind           func(S) handler
	notification   bool
	Params, Result reflect.Type // for the schema; Result is nil for a notification
}

// handler answers with a finished result.
type handler func(ctx context.Context, c *Call, params json.RawMessage) (json.RawMessage, error)

// Handle makes a method of a typed handler of requests. P and R are types of
// ours or LSP types, never mixed. Unknown members of params are ignored,
// ill-typed ones are -32602; where *P has a method Check() error it is asked as well.
func Handle[S, P, R any](f func(S, context.Context, *Call, P) (R, error)) Method[S] {
	in := codecOnce[P]()
	return Method[S]{Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](), bind: func(s S) handler {
		return func(ctx context.Context, c *Call, raw json.RawMessage) (json.RawMessage, error) {
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
	if t := reflect.TypeFor[R](); t.Kind() != reflect.Interface || t.PkgPath() == LSPPackage {
		return codecFor(t).marshal(result)
	}
	return encodeValue(result)
}

// Notice makes a method of a typed handler of notifications. They run in order,
// whatever their row says; their errors are reported and answer nothing.
func Notice[S, P any](f func(S, context.Context, P) error) Method[S] {
	in := codecOnce[P]()
	return Method[S]{notification: true, Params: reflect.TypeFor[P](), bind: func(s S) handler {
		return func(ctx context.Context, _ *Call, raw json.RawMessage) (json.RawMessage, error) {
			var params P
			if err := decodeParams(in(), raw, &params); err != nil {
				return nil, err
			}
			return nil, f(s, ctx, params)
		}
	}}
}

// None is P of methods without params and R of methods whose result is null.
type None struct{}

// MarshalJSON makes None null.
func (None) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// boundRow is a row with its receiver.
type boundRow struct {
	concurrency  Concurrency
	notification bool
	handle       handler
	key          func(json.RawMessage) string
}

// bind makes the table of one connection. It panics on a method that occurs
// twice, which is a defect of the table.
func bind[S any](s S, rows []Row[S]) map[string]boundRow {
	table := make(map[string]boundRow, len(rows))
	for _, r := range rows {
		if _, twice := table[r.Name]; twice {
			panic("wire: method " + r.Name + " stands twice in the table")
		}
		key := r.Key
		if key == nil && r.Concurrency == PerSession {
			key = sessionKeyOf
		}
		table[r.Name] = boundRow{r.Concurrency, r.Method.notification, r.Method.bind(s), key}
	}
	return table
}

func sessionKeyOf(params json.RawMessage) string {
	if id := MemberString(params, "sessionId"); id != "" {
		return id
	}
	return MemberString(params, "sessionKey")
}
