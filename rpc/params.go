package rpc

import (
	"encoding/base64"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// pageOf cuts a page out of a list and names the next one; null is the end.
func pageOf[T any](all []T, after uint, limit, usual int) ([]T, *string) {
	if limit <= 0 {
		limit = usual
	}
	from := int(min(after, uint(len(all))))
	to := min(from+limit, len(all))
	if to == len(all) {
		return all[from:to], nil
	}
	return all[from:to], encodeCursor(to)
}

// encodeCursor is a place in a list as a client gives it back.
func encodeCursor(at any) *string {
	raw, _ := json.Marshal(at) // a number, or two strings
	cursor := base64.RawURLEncoding.EncodeToString(raw)
	return &cursor
}

// decodeCursor is such a place; known is false for "".
func decodeCursor[T comparable](cursor string) (at T, known bool, err error) {
	if cursor == "" {
		return at, false, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &at) != nil || at == *new(T) {
		return at, false, wire.InvalidParams("cursor", "is not one that was given")
	}
	return at, true, nil
}

// needs is the check of params that must have a text in each of these members: names
// and values by turns.
func needs(members ...string) error {
	for i := 0; i < len(members); i += 2 {
		if members[i+1] == "" {
			return wire.Missing(members[i])
		}
	}
	return nil
}

// counts is the check of a number that may be left out.
func counts[N int | int64](member string, n N) error {
	if n < 0 {
		return wire.InvalidParams(member, "is negative")
	}
	return nil
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// listPage is how many sessions one answer has where the client says nothing,
// mostListed how many it may ask for.
const listPage, mostListed = 100, 1000
