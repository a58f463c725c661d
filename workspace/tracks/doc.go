// Package tracks follows the files of folders while a command runs, and says what
// the command changed and what was there before (workspace §5). It knows no Vault:
// what is followed is told to it as folders with their rules, and what somebody else
// changed meanwhile as paths. It changes no file, keeps nothing beyond the process,
// and decides nothing: who asks makes of a difference what it likes.
package tracks
