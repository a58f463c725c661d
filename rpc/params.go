package rpc

import (
	"encoding/base64"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"strconv"
	"time"
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

// need is the check of params that are about one session.
func need(sessionID string) error {
	if sessionID == "" {
		return wire.Missing("sessionId")
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

// wireTime is now, as the protocol writes times.
func wireTime() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// listPage is how many sessions one answer has where the client says nothing,
// mostListed how many it may ask for.
const listPage, mostListed = 100, 1000
