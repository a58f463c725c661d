// Package replica keeps copies of the logs of sessions on a server that it does not
// trust: sealed with a key of the person, in order, each line once. It knows lines and
// their numbers. What they say, who runs and who watches is not its business, nor is how
// the server is reached: that is a Remote.
package replica
