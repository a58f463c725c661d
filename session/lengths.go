package session

// What a client sends beside a prompt is in a line of the log as it is, and a
// line ends at 200 KB.
const (
	mostName   = 1 << 10  // of a model, an agent, a client's id; bytes
	mostSystem = 64 << 10 // of a text for the system prompt, as it is encoded; bytes
)

// Check refuses what no session takes: a prompt that says nothing, and what would
// not fit. Who asks before there is a session makes none for nothing.
func (p Prompt) Check() error {
	switch {
	case p.Kind == "" && isBlank(p.Prompt):
		return &InvalidError{"prompt", "is empty"}
	case len(p.ClientMessageID) > mostName:
		return &InvalidError{"clientMessageId", "is over 1 KiB"}
	case len(p.Model) > mostName:
		return &InvalidError{"model", "is over 1 KiB"}
	case encodedSize(p.System) > mostSystem:
		return &InvalidError{"system", "is over 64 KiB"}
	}
	return nil
}

// tooLong refuses what would not fit; a title is cut.
func (u Update) tooLong() error {
	switch {
	case u.Model != nil && len(*u.Model) > mostName:
		return &InvalidError{"model", "is over 1 KiB"}
	case u.SystemPrompt != nil && encodedSize(*u.SystemPrompt) > mostSystem:
		return &InvalidError{"systemPrompt", "is over 64 KiB"}
	}
	return nil
}
