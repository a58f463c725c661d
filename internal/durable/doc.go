// Package durable puts bytes on disk so that a crash at any instant leaves
// something readable: append a line, replace a file, hold a lock. It knows
// nothing of what the bytes mean, keeps no state of its own beyond open files,
// and never retries: a failure is reported to the one who can decide.
//
// Everything goes through a Disk, so that a test can stop the world of one
// server (Freeze) or break a chosen step (Fail). A nil *Disk is the
// plain disk and costs nothing.
package durable
