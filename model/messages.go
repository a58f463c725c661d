package model

import (
	"net/url"
	"strings"
)

// Anthropic's Messages API: how a request is written is in messages_request.go, how an answer
// is read in messages_stream.go, what of it goes back in messages_blocks.go. Amazon and Google
// have the same API at addresses of another form, with the model in them.

const (
	messagesKeyHeader = "X-Api-Key"
	messagesDate      = "2023-06-01" // the version of the API, a header
	versionAtGoogle   = "vertex-2023-10-16"
	versionAtAmazon   = "bedrock-2023-05-31"
)

// needsMessages says where a model is asked by this API: as configured, else by the address.
func needsMessages(configured string, base *url.URL) bool {
	return configured == string(apiMessages) ||
		configured == "" && (base.Hostname() == "api.anthropic.com" || messagesVersion(base) != "")
}

// messagesVersion is what a request says in the place of the model's name, "" where it
// names the model.
func messagesVersion(base *url.URL) string {
	if isAmazon(base) {
		return versionAtAmazon
	}
	if isGoogle(base) {
		return versionAtGoogle
	}
	return ""
}

// isAmazon: the address is the runtime of Bedrock.
func isAmazon(base *url.URL) bool {
	host := base.Hostname()
	return strings.HasPrefix(host, "bedrock-runtime.") && strings.HasSuffix(host, ".amazonaws.com")
}

// isGoogle: the address is Vertex's for the models of Anthropic.
func isGoogle(base *url.URL) bool {
	host := base.Hostname()
	return (host == "aiplatform.googleapis.com" || strings.HasSuffix(host, "-aiplatform.googleapis.com")) &&
		strings.Contains(base.Path+"/", "/publishers/anthropic/")
}

// messagesURL is where requests for a model go.
func messagesURL(base *url.URL, model string) *url.URL {
	switch name := url.PathEscape(model); {
	case isAmazon(base):
		return base.JoinPath("model", name, "invoke-with-response-stream")
	case isGoogle(base):
		u := *base
		u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/models")
		return u.JoinPath("models", name+":streamRawPredict")
	}
	return base.JoinPath("messages")
}
