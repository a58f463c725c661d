// Package workspace is the Vault: the folders of the editor and everything that
// touches them. It holds the confined paths, the unsaved buffers of the editor,
// the file tools, search, the shell and its sandbox, artifacts and checkpoints.
//
// It acts and never decides: whether a call may run is control's business, and
// what a plan says it would touch is all that control sees. In return nothing
// here runs anything other than what its plan named: paths are resolved again
// and contents are hashed again before a change, and any difference means that
// nothing is done. It starts no git and no interpreter outside the guard, does
// not log, and knows no JSON-RPC.
package workspace
