package store

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"
)

// validID keeps what a client calls a session from being a path.
func validID(id string) bool {
	return id != "" && len(id) <= 12 && strings.Trim(id, "0123456789") == ""
}

// numbered lists the folders of sessions.
func numbered(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && validID(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// compareIDs orders ids as they were given: 9999 before 10000, a session before
// its sub-agents.
func compareIDs(a, b string) int {
	a, subA, _ := strings.Cut(a, ".")
	b, subB, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b), cmp.Compare(len(subA), len(subB)), strings.Compare(subA, subB))
}

// unbegunFor is how long a folder without a log stays: somebody may be making it.
const unbegunFor = time.Hour

// ephemeralFolder is what the folders of ephemeral sessions are called, in the
// temporary directory.
const ephemeralFolder = "agent-sidecar-session-*"

// spreadID is an id that no other machine of the person gives: hundredths of a second since
// 2000, and a digit that tells apart what one machine makes in the same one. It comes behind
// every shorter id.
func spreadID(now time.Time, n int) string {
	since := now.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / (10 * time.Millisecond)
	return fmt.Sprintf("%011d%d", max(0, since), n%10)
}
