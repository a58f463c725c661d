//go:build race

package rpc

// raceDetector slows everything down about tenfold.
const raceDetector = true
