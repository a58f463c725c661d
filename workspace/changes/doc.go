// Package changes says what a command changed in folders, and what was there before: it
// looks at their files before and behind the command, and follows them meanwhile. It
// knows no Vault: what is followed is told to it as folders with their rules, and what
// somebody else changed meanwhile as paths. It changes no file of theirs and decides
// nothing: who asks makes of a difference what it likes. What it keeps is for this
// process, and for the next one should this be killed.
package changes
