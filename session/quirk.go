package session

import "github.com/agent-sidecar/agent-sidecar/internal/said"

// quirkWords say what was learned about a model where it is not a parameter that
// is left out.
var quirkWords = map[string]said.Text{
	"responses":         said.That("This model takes tools only through the Responses API; it is asked there from now on."),
	"images":            said.That("The provider refused an image; this model gets a line of text in place of images from now on."),
	"tool_call_id":      said.That("The provider wants the ids of calls in another form; they are rewritten for it from now on."),
	"content":           said.That("The provider wants a text beside every call; it gets one from now on."),
	"one_call":          said.That("This model takes one call at a time; several calls of one answer go back to it one by one from now on."),
	"system":            said.That("This model takes no system prompt; from now on its text is sent before the first message."),
	"schema":            said.That("The provider refused a keyword in the schema of a tool; from now on schemas are sent to this model in their plainest form."),
	"plain":             said.That("The provider refused the form of the conversation; from now on calls and their results are sent to this model as plain text."),
	"encrypted_content": said.That("The reasoning of this model cannot go back to its provider; it is left out from now on."),
	"input.id":          said.That("The provider does not accept the ids of its own reasoning; they are left out from now on."),
	"output_limit":      said.That("The provider refused the limit of the output; it is left out from now on."),
	"thought_signature": said.That("The provider wants a signature with every call; calls of other models are marked for it from now on."),
	"cache_control":     said.That("The provider does not accept marks for its cache; they are left out from now on."),
	"thinking_back":     said.That("The provider does not take back what the model has thought; it is left out from now on."),
	"reasoning_wanted":  said.That("The provider wants the model's reasoning back; it is sent along from now on."),
	"reasoning":         said.That("The provider shows no summaries of the reasoning; they are not asked for from now on."),
}

// quirkNotice says what was learned about a model that answers at this server.
func quirkNotice(name, server string) Notice {
	title, known := quirkWords[name]
	if name == "tools" {
		title, known = said.That("This server offers no tools for this model, so they are described in the system prompt and the model writes its calls as text. %s", ReadsCalls(server)), true
	}
	if !known {
		title = said.That("The provider refused a parameter; it is left out from now on: %s", name)
	}
	return Notice{Severity: "info", Title: title, Kind: "quirk"}
}
