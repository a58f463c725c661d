package changes

// Call names the call whose command is followed.
type Call struct {
	Line string `json:"line"` // the session, or the part of it that is a sub-agent's
	ID   string `json:"id"`
}
