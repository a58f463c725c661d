package model

// messageTokens is what a message counts besides its text: its role and the marks
// around it (measured: three to five, by vendor).
const messageTokens = 4

// Tokens is what a message counts where text counts as measure says: RawTokens,
// or Counter.Exact for a model.
func (m Message) Tokens(measure func(text string) int64) int64 {
	n := messageTokens + measure(m.Text) + int64(len(m.Images))*ImageTokens
	for _, c := range m.Calls {
		n += messageTokens + measure(c.Name) + measure(c.Arguments)
	}
	return n
}

// Tokens is what the description of a tool counts.
func (t Tool) Tokens(measure func(text string) int64) int64 {
	return messageTokens + measure(t.Name) + measure(t.Description) + measure(string(t.Schema))
}

// leastTokens is a low guess of what a request counts: its texts at six bytes a
// token, which is more than any usual text has.
func (r *Request) leastTokens() int64 {
	bytes := 0
	for _, m := range r.Messages {
		bytes += len(m.Text)
		for _, c := range m.Calls {
			bytes += len(c.Arguments)
		}
	}
	return int64(bytes / 6)
}
