package main

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// thorough makes the tests of crashes die every death there is, and the long session
// as long as it can be (make soak does).
var thorough = flag.Bool("thorough", false, "die at every step in every way, 200 times at random, and play the long session in every window")

// seedOf is where chance begins in this run: AGENT_SIDECAR_SEED repeats another one.
// A test that uses it logs it.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("AGENT_SIDECAR_SEED")
	if given == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}
