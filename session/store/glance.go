package store

import "github.com/agent-sidecar/agent-sidecar/session"

// Preview says what a session would be sent next, "" for one that has not begun.
// No session is opened or made, and nothing is written.
func (o *folders) Preview(id string, look session.Look) (session.Preview, error) {
	dir, err := o.begun(id)
	if err != nil {
		return session.Preview{}, err
	}
	return session.PreviewOf(o.deps, id, dir, look)
}

// Explain says what would be decided now about a call of a session, "" for one
// that has not begun. No session is opened or made.
func (o *folders) Explain(id string, c session.CallToExplain) (session.Explanation, error) {
	if s := o.here(id); s != nil {
		return s.Explain(c)
	}
	dir, err := o.begun(id)
	if err != nil {
		return session.Explanation{}, err
	}
	return session.Glance(o.deps, id, dir).Explain(c)
}

// begun is the folder of a session. One that has not begun has none: then it is
// the folder of them all, in which nothing of a session lies.
func (o *folders) begun(id string) (dir string, err error) {
	if id == "" {
		return o.dir, nil
	}
	return o.kept(id)
}
