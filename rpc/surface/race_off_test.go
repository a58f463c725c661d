//go:build !race

package surface

const raceDetector = false
