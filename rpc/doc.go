// Package rpc is what an editor or a program can ask of the sidecar, and what it is
// shown: the handlers of the method table. Each is a method of a part, which has what it
// needs and no Server.
//
//	methods.go     the table: every method, what it takes and when its turn comes
//	server.go      one connection, from its start to its exit code; link.go the way to its client
//	initialize.go  who the client is (client.go), the workspace behind it, and the parts
//	run.go         prompts; sessions.go, artifact.go, documents.go, approve.go … the other methods
//	describe.go    what there is, skills.go of skills
//	commands.go    the same by name, for editors without a plugin; views.go what these ask by themselves
//	trust.go       what only a person can say; configwatch.go what the configuration says meanwhile
//	surface/       how questions and runs look in an editor without a plugin
//	events.go      what a session says, on its way to the client and to the surfaces
//	errors.go      every kind of error, and which error of a session is which
//	schema.go      the protocol for machines, made from the types here
//
// Laws. Bytes, ids, order and the queue to the client are rpc/wire's: nothing here
// frames, parses an envelope or writes. A handler decides nothing that a session or
// a policy decides; it translates, and the backend it is given does the work. What
// a session tells is passed on without waiting, under the session's lock. Nothing
// here knows where the Vault is: it is handed interfaces (backend.go).
package rpc
