//go:build race

package control

// raceDetector slows everything down about tenfold.
const raceDetector = true
