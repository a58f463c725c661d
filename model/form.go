package model

// api is one of the ways to ask a model.
type api string

const (
	apiChat      api = "" // chat completions
	apiResponses api = "responses"
	apiMessages  api = "messages" // Anthropic's
)

// form is how requests are written for an endpoint, whatever they say.
type form struct {
	api api
	// version is in the place of the model's name where that is part of the address.
	version string
	// marks: what is to be cached is marked, or nothing is.
	marks bool
	// session: requests name their session, which leads them to the same cache.
	session bool
	host    string // that is asked; some services write things in their own way
}

// anthropic: requests go to the Messages API as Anthropic itself serves it.
func (f form) anthropic() bool { return f.api == apiMessages && f.version == "" }
