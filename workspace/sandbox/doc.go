// Package sandbox confines commands: it finds the level that works on this machine, says
// what that level does not keep, lays out for one command what it may read and write, and
// runs it to its end. It knows no Vault: folders, the files to protect in them and what an
// agent is held to are told to it as paths. What a command did all the same to protected
// files, and what is done about that, is the Vault's.
package sandbox
