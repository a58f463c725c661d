// Package wire speaks JSON-RPC and the base of LSP. It turns bytes into calls of
// typed handlers, and what these and others want to say into bytes. From the
// outside in:
//
//	frame.go       headers and exact reads; damaged input is skipped, never fatal
//	message.go     what one JSON body is: request, notification, response, or which error
//	calls.go       the requests being answered, and the client's ids for them
//	stream.go      the jsonrpc2.ObjectStream made of these
//	lifecycle.go   what is allowed when, as a pure state machine
//	dispatch.go    order of handling; mux.go is the form of a method table
//	errors.go      the form of an error, and those made here
//	client.go      our requests to the client
//	outbox.go      the queue of what goes out; lanes.go what is said to the client and may be merged in it; writer.go the one writer
//	connection.go  the place where these meet
//	lsp.go         the two JSON codecs, kept apart; position.go how a client counts characters
//	parent.go      the end of the editor's process
//
// Laws. The reader waits for nobody, except that more than 32 MiB of unread
// answers stop it. Anyone who says something waits for nobody: it is queued, joined
// or left in its log. Every request is answered exactly once. No input ends the
// process. Nothing here knows what a method of ours means, what a session holds or
// which kinds of error there are beside its own four; it imports no package of
// this module and does not log, it reports.
package wire
