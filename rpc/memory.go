package rpc

import "github.com/agent-sidecar/agent-sidecar/text"

// askMemory asks about memory files that were changed outside, each text once a
// connection; until a yes the prompt goes without them.
func (s *Server) askMemory() {
	if s.back.ForeignMemory == nil {
		return
	}
	for _, f := range s.back.ForeignMemory() {
		s.askConfig(configQuestion{
			title: text.UseMemory.In(s.client.Locale, f.Name), reason: text.MemoryReason.In(s.client.Locale), yes: text.UseIt.In(s.client.Locale), about: f.Name, shown: f.Text,
			accept: f.Accept,
		})
	}
}
