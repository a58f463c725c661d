// Package surface is how an open question and a run look in an editor without a plugin:
// messages, code actions and lenses, diagnostics, progress, reviews and a transcript.
// It also keeps the open questions, no matter who answers them.
//
//	surface.go   all of it for one connection; the order in which it is built
//	screen.go    the client: what it shows (Facts), and six methods to reach it (Client)
//	shown.go     text that is safe to show
//	approvals.go the open questions; pending.go how one reads on a line
//	ask.go       questions as messages, one at a time; review.go the whole of one as a file
//	choices.go   code actions and lenses; fileprompt.go prompts in files
//	annotations.go  where in documents a question is shown
//	progress.go  $/progress; transcript.go, done_message.go what was said
//
// Laws. It knows no server, no method of the protocol and no configuration: it is given
// the connection and the sessions. What comes from a session is shown without waiting,
// under that session's lock. A line offers a yes only where all that the yes allows can
// be read.
package surface
