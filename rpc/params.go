package rpc

import (
	"encoding/base64"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// pageOf cuts a page out of a list and names the next one; null is the end.
func pageOf[T any](all []T, from, limit, usual int) ([]T, *string) {
	if limit <= 0 {
		limit = usual
	}
	from = min(from, len(all))
	to := min(from+limit, len(all))
	if to == len(all) {
		return all[from:to], nil
	}
	next := base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(to)))
	return all[from:to], &next
}

func decodeCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		var n int
		if n, err = strconv.Atoi(string(raw)); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, wire.InvalidParams("cursor", "is not one that was given")
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
