// Package signin signs in to MCP servers with OAuth and keeps their tokens in the sidecar's
// home. It opens no browser, starts no sign-in that nobody asked for, and knows no session
// of MCP. What servers say of themselves is checked before anything is sent to where it leads.
package signin
