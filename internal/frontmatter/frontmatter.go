// Package frontmatter reads what is between two lines of `---` at the beginning of a text:
// members of YAML and their places. It knows no file, and nothing of what the members mean.
package frontmatter

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Why a text has no front matter that can be read.
var (
	ErrNone    = errors.New(`it does not begin with a line "---", its front matter, and another "---"`)
	ErrEndless = errors.New(`the front matter does not end: there is no second line "---"`)
)

// Error is what is wrong with front matter, and where, counted in lines and columns of it from 1.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string { return e.Message }

const byteOrderMark = "\uFEFF"

// Split parts a text into what is between two lines of `---` and what follows. A byte
// order mark and CRLF are what some editors write.
func Split(text []byte) (head, body string, err error) {
	all := Plain(text)
	first, rest, _ := strings.Cut(all, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", "", ErrNone
	}
	for from := 0; from < len(rest); {
		line, _, _ := strings.Cut(rest[from:], "\n")
		next := min(from+len(line)+1, len(rest))
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:from], rest[next:], nil
		}
		from = next
	}
	return "", "", ErrEndless
}

// Plain is a text without a byte order mark, its lines ended by \n alone.
func Plain(text []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(text), byteOrderMark), "\r\n", "\n")
}

// yamlPlace finds the place in the errors of the YAML parser.
var yamlPlace = lazy.Regexp(`line (\d+): `)

// unquoted is a line of front matter whose value holds what YAML takes for
// another member, as in "description: Use when: asked".
var unquoted = lazy.Regexp(`^([A-Za-z][A-Za-z0-9_-]*:[ \t]+)([^\s"'\[{|>&*!%@` + "`" + `#].*)$`)

// Parse returns the mapping of front matter, nil where there is none. What people write
// without quotes is quoted and read once more. The error is an *Error.
func Parse(head string) (*yaml.Node, error) {
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(head), &doc)
	if err != nil {
		var again yaml.Node
		if yaml.Unmarshal([]byte(quoteValues(head, unquoted())), &again) == nil {
			doc, err = again, nil
		}
	}
	if err != nil {
		found := &Error{Line: 1, Column: 1, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := yamlPlace().FindStringSubmatch(found.Message); m != nil {
			found.Line, _ = strconv.Atoi(m[1]) // digits by the expression
			found.Message = strings.Replace(found.Message, m[0], "", 1)
		}
		found.Message = "the front matter cannot be read: " + found.Message
		return nil, found
	}
	if len(doc.Content) == 0 {
		return nil, nil // empty: everything is as if absent
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, &Error{top.Line, top.Column, "the front matter must be members and values"}
	}
	if alias := findAlias(top); alias != nil {
		return nil, &Error{alias.Line, alias.Column, "anchors and aliases are not allowed here"}
	}
	return top, nil
}

func quoteValues(head string, unquoted *regexp.Regexp) string {
	lines := strings.Split(head, "\n")
	for i, line := range lines {
		if m := unquoted.FindStringSubmatch(line); m != nil && (strings.Contains(m[2], ": ") || strings.HasSuffix(m[2], ":")) {
			lines[i] = m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'"
		}
	}
	return strings.Join(lines, "\n")
}

// findAlias finds what would make a small file large.
func findAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return n
	}
	for _, inner := range n.Content {
		if found := findAlias(inner); found != nil {
			return found
		}
	}
	return nil
}
