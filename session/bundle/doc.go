// Package bundle is one session as one file: what it takes to look at it
// and to go on with it somewhere else. It writes, checks, prints and unpacks; it opens
// no session, asks no model and runs nothing. A name in a bundle is never a path.
//
// A bundle is lines of JSON. Any language reads it, a difference of two is a
// difference of lines, it can be shown in a terminal as it is, and what is damaged
// has a line number. The lines of the log are in it exactly as they are in
// events.jsonl; docs/bundles.md has the rest.
package bundle
