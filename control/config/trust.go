package config

// Untrusted lists the folders that nobody trusted, in their order. A workspace
// is trusted when it has none of them: one folder that was never trusted could
// otherwise bring its own files and commands in under another's name. Paths are
// absolute and resolved, so a link is trusted for where it leads now. Without
// folders only the editor or the command line can trust.
func (s *Store) Untrusted(roots []string) []string {
	var out []string
	for _, root := range roots {
		if !s.Trusted(root) {
			out = append(out, root)
		}
	}
	return out
}

// TrustedAll says that every folder is trusted.
func (s *Store) TrustedAll(roots []string) bool {
	if len(roots) == 0 {
		return s.Trusted("")
	}
	return len(s.Untrusted(roots)) == 0
}
