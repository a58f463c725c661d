// Package acp is the Agent Client Protocol: a second front end for the same sidecar. It speaks
// that protocol to one client, and the sidecar's own one to a server in memory for each set of
// folders, as an editor would. So what is asked, shown and promised is the same
// in both, and nothing behind this package knows which one is spoken. What comes from
// the server is handed on in the order in which it came.
package acp
