package scriptmodel

import "net/http"

// exact writes bytes in the place of everything that net/http would: from the first of them
// on the connection is the script's, and it is closed when the turn ends.
func (p *performance) exact(text string) (stop bool) {
	if p.conn == nil {
		conn, _, err := http.NewResponseController(p.w).Hijack()
		if err != nil {
			panic(err) // only a server of HTTP/1 is asked
		}
		p.conn = conn
	}
	size := len(text)
	if p.apart {
		size = 1
	}
	for text != "" {
		if _, err := p.conn.Write([]byte(text[:size])); err != nil {
			return true // the client has gone
		}
		if text = text[size:]; p.rest() {
			return true
		}
	}
	return false
}
