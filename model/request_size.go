package model

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
