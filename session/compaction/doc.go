// Package compaction decides how a conversation is made to fit the window of a
// model: when it is too full, which results are shown by name alone, which are
// taken out, where a summary cuts, and whether a summary is good enough.
//
// It decides and does nothing: every function here takes a transcript and
// numbers and gives an answer. Asking a model, writing the log and telling
// people is the session's.
package compaction
