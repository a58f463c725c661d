// Package convert says in the words of the Agent Client Protocol what the sidecar's own protocol says, and
// the other way round. It is given values and gives values: it knows no connection and no session.
package convert
