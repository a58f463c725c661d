package tool

// CutLine keeps at most n characters of a line, and marks a cut with "…".
func CutLine(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n {
			return s[:at] + "…"
		}
		i++
	}
	return s
}
