// Package sample lets a test that takes long try a part of what it could in `make test`,
// another part in each run, and everything in `make soak`. It knows nothing of what is
// tested, and chooses nothing by the clock.
package sample

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

var thorough = flag.Bool("thorough", false, "try everything instead of a sample")

// Thorough says that everything is tried: `make soak` runs the tests with -thorough.
func Thorough() bool { return *thorough }

// Seed is where chance begins in this run: AGENT_SIDECAR_SEED repeats another one.
// A test that uses it logs it in that form.
func Seed(t testing.TB) uint64 {
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

// Chosen says whether the case that the names name is in the sample: one of oneOf is, and
// with -thorough each. The same seed chooses the same cases, in whatever order they come.
func Chosen(seed, oneOf uint64, names ...any) bool {
	sum := fnv.New64a()
	fmt.Fprint(sum, seed)
	for _, name := range names {
		fmt.Fprint(sum, " ", name)
	}
	return *thorough || sum.Sum64()%oneOf == 0
}
