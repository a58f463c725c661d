package model

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// What is wrong with an answer in words of ours, which have a language.
var (
	notOfChat  = said.That("the answer is not one of chat completions")
	compressed = said.That("the answer is compressed")
)

// fromStranger is an answer in the form of another API.
func (e *endpoint) fromStranger(advice said.Text) *failure {
	f := e.fail(classServer, 0, notOfChat.String())
	f.again, f.err.Advice = false, advice
	return f
}

// packed is an answer that is compressed, which was not asked for. It is not unpacked: that is
// how few bytes become many.
type packed struct{ how string }

func (p *packed) Error() string { return compressed.String() }

func adviceOnForm(how string) said.Text {
	return said.That("Compression (%s) was not requested: turn it off in the server, or in the proxy in front of it.", how)
}

// wantsTLS says that a server has answered with an alert of TLS.
func wantsTLS(err error) bool {
	return strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`)
}

// adviceOn is what can be done about a refusal, zero where that is not known. It is for when
// everything was tried that this program can do itself.
func adviceOn(f *failure) said.Text {
	switch {
	case f.class == classToolUseFailed:
		return said.That("The model wrote a tool call that its provider could not read. Send the prompt again, or choose another model.")
	case f.class == classBadRequest && mustAlternate().MatchString(unescaped(f.body)):
		return said.That("The template of this model requires that messages of the user and of the model alternate. Choose another model, or give the server another template.")
	case f.err.RetryAfter > maxAsked:
		return said.That("It can be asked again in %s.", f.err.RetryAfter)
	}
	return said.Text{}
}
