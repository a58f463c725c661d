// Package session is one conversation: the loop that asks a model and runs what it
// calls, compaction and recovery. Its log and the lock are those of session/journal.
//
// The log is the session. Every change goes to disk, then into memory, then to
// anyone who watches, in that order; nothing is kept anywhere else. The package
// knows neither JSON-RPC nor the Vault nor a provider: it is given a model,
// tools, a policy's facts, somebody to ask and somebody to tell.
package session
