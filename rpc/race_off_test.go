//go:build !race

package rpc

const raceDetector = false
