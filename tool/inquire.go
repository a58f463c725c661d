package tool

import "context"

// Inquirer is a Sink over which a running call can put questions of somebody else to the
// person.
type Inquirer interface {
	// Inquire asks, in the name of from, and waits for the answers, one a question. ok is false
	// where there is nobody, or the person closed the questions.
	Inquire(ctx context.Context, from string, questions []Inquiry) (answers []Reply, ok bool, err error)
}

// Browser is a Sink, or a person, with whom an address can be opened that the person has said yes to.
type Browser interface {
	// CanBrowse says whether there is somebody to ask, and something that opens addresses.
	CanBrowse() bool
	// Browse opens exactly this address; false where nothing was opened.
	Browse(ctx context.Context, address string) bool
}

// Inquiry is one question. Without options it is answered in the person's own words.
type Inquiry struct {
	Text     string
	Options  []string
	Multiple bool
}

// Reply is a person's answer to one: what they chose, or wrote. It may be empty.
type Reply struct {
	Choices []string
	Text    string
}
