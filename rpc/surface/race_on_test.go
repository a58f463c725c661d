//go:build race

package surface

// raceDetector slows everything down about tenfold.
const raceDetector = true
