package rpc

import "github.com/agent-sidecar/agent-sidecar/control/audit"

// auditor writes down what belongs to no session.
type auditor struct {
	link *link
	of   func(name string) *audit.Log
}

// write adds an entry to the audit of the configuration.
func (a *auditor) write(e audit.Entry) {
	e.Mode = "agent"
	if _, err := a.of("config").Append(e); err != nil {
		a.link.Report("audit", err)
	}
}

// note writes down an answer, or what a client did.
func (a *auditor) note(decision, title, by string) {
	a.write(audit.Entry{Decision: decision, Domain: "config", Targets: []string{title}, By: by})
}
