package model

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// strangers are the events of the Messages API by their type.
var strangers = map[text]bool{
	"message_start": true, "content_block_start": true, "content_block_delta": true, "content_block_stop": true,
	"message_delta": true, "message_stop": true,
}

// strange says which other API has answers like this piece of one, zero where it may be one
// of chat completions.
func (c *chunk) strange() said.Text {
	switch {
	case len(c.Choices) > 0:
		return said.Text{}
	case len(c.Done) > 0 && (len(c.Message) > 0 && c.Message[0] == '{' || c.Response != ""):
		return said.That("This is the form of Ollama's own API: set a base URL that ends in /v1.")
	case strings.HasPrefix(string(c.Type), "response."):
		return said.That("This is the form of the Responses API: set \"api\": \"responses\" for this model.")
	case strangers[c.Type]:
		return said.That("This is the form of the Messages API: set \"api\": \"messages\" for this model.")
	}
	return said.Text{}
}
