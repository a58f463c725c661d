// Package durable puts bytes on disk so that a crash at any instant leaves
// something readable: append a line, replace a file, hold a lock. It knows
// nothing of what the bytes mean.
package durable
