package session

// quirkWords say what was learned about a model where it is not a parameter that
// is left out.
var quirkWords = map[string]string{
	"responses":         "This model takes tools only through the Responses API; it is asked there from now on.",
	"images":            "The provider refused an image; this model gets a line of text in place of images from now on.",
	"tool_call_id":      "The provider wants the ids of calls in another form; they are rewritten for it from now on.",
	"content":           "The provider wants a text beside every call; it gets one from now on.",
	"one_call":          "This model takes one call at a time; several calls of one answer go back to it one by one from now on.",
	"plain":             "The provider refused the form of the conversation; from now on calls and their results are sent to this model as plain text.",
	"encrypted_content": "The reasoning of this model cannot go back to its provider; it is left out from now on.",
	"input.id":          "The provider does not accept the ids of its own reasoning; they are left out from now on.",
	"output_limit":      "The provider refused the limit of the output; it is left out from now on.",
	"thought_signature": "The provider wants a signature with every call; calls of other models are marked for it from now on.",
	"reasoning_wanted":  "The provider wants the model's reasoning back; it is sent along from now on.",
	"reasoning":         "The provider shows no summaries of the reasoning; they are not asked for from now on.",
}

func quirkNotice(name string) Notice {
	title := quirkWords[name]
	if title == "" {
		title = "The provider refused a parameter; it is left out from now on: " + name
	}
	return Notice{Severity: "info", Title: title, Kind: "quirk"}
}
