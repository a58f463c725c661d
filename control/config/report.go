package config

import (
	"maps"
	"slices"
)

// Report replaces what one source has found wrong outside the configuration
// itself: a tool.jsonc that cannot be read, a server that does not start. It
// stands among Settings.Diagnostics, and who watches the configuration is told.
// Reporting the same again changes nothing.
func (s *Store) Report(source string, found []Diagnostic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(s.reported[source], found) {
		return
	}
	if s.reported == nil {
		s.reported = map[string][]Diagnostic{}
	}
	s.reported[source] = slices.Clone(found)
	s.announce()
}

// addReported puts what was reported behind what the configuration says itself,
// sources in the order of their names. The lock is held.
func (s *Store) addReported() {
	for _, source := range slices.Sorted(maps.Keys(s.reported)) {
		s.now.Diagnostics = append(s.now.Diagnostics, s.reported[source]...)
	}
}

// lookAtNetwork says at its place what is wrong with the files of the way out. The lock is held.
func (s *Store) lookAtNetwork() {
	n := s.now.Network
	if n == nil || s.opts.Network == nil {
		return
	}
	for _, problem := range s.opts.Network(s.now) {
		d := Diagnostic{Source: "config", Line: n.Line, Column: n.Column, Severity: "error", Message: problem.Error() + "; connections that need it fail"}
		s.now.Diagnostics = append(s.now.Diagnostics, d)
	}
}
