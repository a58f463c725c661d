// Package rpc is the only package that knows JSON-RPC and LSP. It turns bytes
// into calls of typed handlers and what the session says into bytes.
//
// The wire half, from the outside in:
//
//	frame.go       headers and exact reads; damaged input is skipped, never fatal
//	message.go     what one JSON body is: request, notification, response, or which error
//	calls.go       the requests being answered, and the client's ids for them
//	stream.go      the jsonrpc2.ObjectStream made of these
//	lifecycle.go   what is allowed when, as a pure state machine
//	dispatch.go    order of handling; mux.go is the method table
//	client.go      our requests to the client
//	outbox.go      the queue of what goes out; lanes.go what may be merged in it; writer.go the one writer
//	connection.go  the place where these meet
//
// Laws. The reader waits for nobody, except that more than 32 MiB of unread
// answers stop it. A session waits for nobody: whatever it says is queued,
// joined or left in its log. Every request is answered exactly once. No input
// ends the process. Nothing here knows what a method means, what a session
// holds or where the Vault is; the package does not log, it reports.
package rpc
