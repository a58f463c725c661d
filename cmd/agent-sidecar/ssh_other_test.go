//go:build !linux

package main

import "errors"

// there is asked only by conversations that are played on Linux.
func there([]string) error { return errors.New("it is for Linux") }
