// Package mcp runs the MCP servers of a person's configuration and makes tools of
// what they offer. Everything that a server says is somebody else's text:
// bounded, cleaned, and marked as the server's words.
package mcp
