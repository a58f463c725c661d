package frontmatter

import "go.yaml.in/yaml/v3"

// Member is one member of front matter as its text says it.
type Member struct {
	Key  string
	Line int // of the whole text, from 1
	// Text is the value where it is a single one, and List where it is several; Other says
	// that it is neither.
	Text  string
	List  []string
	Empty bool // it has no value
	Other bool
}

// Members are those of front matter, in their order, and what follows it. The error names
// a line of the whole text as an *Error. Where a key is there twice, both are returned.
func Members(text []byte) (members []Member, body string, err error) {
	head, body, err := Split(text)
	if err != nil {
		return nil, "", &Error{1, 1, err.Error()}
	}
	top, err := Parse(head)
	if found, is := err.(*Error); is {
		return nil, "", &Error{found.Line + 1, found.Column, found.Message}
	}
	if top == nil {
		return nil, body, nil
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		m := Member{Key: key.Value, Line: key.Line + 1}
		m.take(value)
		members = append(members, m)
	}
	return members, body, nil
}

func (m *Member) take(value *yaml.Node) {
	if value.Kind == yaml.SequenceNode {
		m.List = []string{}
		for _, item := range value.Content {
			m.Other = m.Other || item.Kind != yaml.ScalarNode
			m.List = append(m.List, item.Value)
		}
		return
	}
	m.Other = value.Kind != yaml.ScalarNode
	m.Empty = value.Tag == "!!null"
	m.Text = value.Value
}
