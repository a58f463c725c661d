// Package gitconfig reads the text of a configuration of git. Everything that git might
// take for a line is one, and what cannot be read says nothing: the modules that read such
// files are strict, and refuse a whole file for a line that git takes.
package gitconfig

import "strings"

// Setting is one line: "core.hookspath" or "user.Sub.name" with its value. The key is in
// lower case, but for what is in quotes in a section. Bare says that it has no "=",
// which is true to git.
type Setting struct {
	Key, Value string
	Bare       bool
}

// Parse reads the lines of a configuration.
func Parse(text string) (out []Setting) {
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, text = gitSection(text[1:])
		default:
			end := strings.IndexAny(text, "=\n#;")
			if end < 0 {
				end = len(text)
			}
			s := Setting{Key: section + "." + strings.ToLower(strings.TrimSpace(text[:end]))}
			if text = text[end:]; text != "" && text[0] == '=' {
				s.Value, text = gitValue(text[1:])
			} else {
				s.Bare = true
			}
			out = append(out, s)
		}
	}
	return out
}

// gitSection reads the name of a section behind its bracket.
func gitSection(text string) (name, rest string) {
	head, line, _ := strings.Cut(text, "\n")
	quote := strings.IndexByte(head, '"')
	if end := strings.IndexByte(head, ']'); quote < 0 || end >= 0 && end < quote {
		if end < 0 {
			return strings.ToLower(strings.TrimSpace(head)), line
		}
		return strings.ToLower(strings.TrimSpace(head[:end])), text[end+1:]
	}
	var sub strings.Builder
	i := quote + 1
	for ; i < len(head) && head[i] != '"'; i++ {
		if head[i] == '\\' && i+1 < len(head) {
			i++
		}
		sub.WriteByte(head[i])
	}
	name = strings.ToLower(strings.TrimSpace(head[:quote])) + "." + sub.String()
	if end := strings.IndexByte(head[min(i, len(head)):], ']'); end >= 0 {
		return name, text[i+end+1:]
	}
	return name, line
}

// gitValue reads a value up to the end of its line, without comment, quotes and escapes.
func gitValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, kept := false, 0 // kept: what is there up to the last character that is no blank
	text = strings.TrimLeft(text, " \t")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			if c != '\n' {
				_, rest, _ = strings.Cut(text[i:], "\n")
			} else {
				rest = text[i+1:]
			}
			return b.String()[:kept], rest
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			if text[i] != '\n' {
				b.WriteByte(unescaped(text[i]))
			}
			kept = b.Len()
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' && c != '\r' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], ""
}

func unescaped(c byte) byte {
	if i := strings.IndexByte("ntb", c); i >= 0 {
		return "\n\t\b"[i]
	}
	return c
}
