package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// splitFrontMatter parts a file into what is between two lines of `---` and
// what follows. A byte order mark and CRLF are what some editors write.
func splitFrontMatter(text []byte) (head, body string, err error) {
	all := strings.ReplaceAll(strings.TrimPrefix(string(text), string(byteOrderMark)), "\r\n", "\n")
	first, rest, _ := strings.Cut(all, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", "", errors.New(`an agent file begins with a line "---", its front matter, and another "---"`)
	}
	for from := 0; from < len(rest); {
		line, _, _ := strings.Cut(rest[from:], "\n")
		next := min(from+len(line)+1, len(rest))
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:from], rest[next:], nil
		}
		from = next
	}
	return "", "", errors.New(`the front matter does not end: there is no second line "---"`)
}

// yamlPlace finds the place in the errors of the YAML parser.
var yamlPlace = lazy.Regexp(`line (\d+): `)

// unquoted is a line of front matter whose value holds what YAML takes for
// another member, as in "description: Use when: asked".
var unquoted = lazy.Regexp(`^([A-Za-z][A-Za-z0-9_-]*:[ \t]+)([^\s"'\[{|>&*!%@` + "`" + `#].*)$`)

// parse returns the mapping of the front matter, nil where there is none. What
// people write without quotes is quoted and read once more.
func (r *agentReader) parse(head string) *yaml.Node {
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(head), &doc)
	if err != nil {
		var again yaml.Node
		if yaml.Unmarshal([]byte(quoteValues(head, unquoted())), &again) == nil {
			doc, err = again, nil
		}
	}
	if err != nil {
		at, message := place{1 + r.above, 1}, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlPlace().FindStringSubmatch(message); m != nil {
			line, _ := strconv.Atoi(m[1]) // digits by the expression
			at.line, message = line+r.above, strings.Replace(message, m[0], "", 1)
		}
		r.fail(at, "the front matter cannot be read: %s", message)
		return nil
	}
	if len(doc.Content) == 0 {
		return nil // empty: everything is as if absent
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		r.fail(r.at(top), "the front matter must be members and values")
		return nil
	}
	if alias := findAlias(top); alias != nil {
		r.fail(r.at(alias), "anchors and aliases are not allowed here")
		return nil
	}
	return top
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
