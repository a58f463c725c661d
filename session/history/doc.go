// Package history is what a session has been: the events, the log they are in
// line by line, and the transcript folded from them.
//
// It does nothing: it runs no model and no tool, decides nothing and tells
// nobody. Reading a log twice gives the same transcript, and writing an event
// again gives the same bytes. What is stored beside the log, because a line may
// not be so long, is read through a function that the caller brings.
package history
