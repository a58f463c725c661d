// Package testclient plays editors and models against the sidecar: a raw LSP
// client that frames by hand, in-memory pipes and network that work inside a
// testing/synctest bubble, and a player of golden conversations (one txtar file
// each) with a scripted model (scriptmodel).
//
// It imports no domain package of this module, on purpose: framing, ordering
// rules and the laws of the log are written here a second time from the
// specification, so that it cannot share a bug with what it tests. It does not
// import testing either: what a test needs (quiescence, a directory, the server) is
// handed in.
package testclient
