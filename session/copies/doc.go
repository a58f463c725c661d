// Package copies keeps the sessions of a workspace and their copies on a server the same: those
// that are open here are followed, the others are looked at. It decides which lines a session
// has where two machines went on from the same one, and loses none of either. It knows no run,
// no client and nothing of what lines say.
package copies
