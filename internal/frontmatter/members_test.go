package frontmatter

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	for name, row := range map[string]struct {
		text, body string
		want       []Member
		err        *Error
	}{
		"members":       {"---\nname: a\ntools: [x, y]\n---\nhello\n", "hello\n", []Member{{Key: "name", Line: 2, Text: "a"}, {Key: "tools", Line: 3, List: []string{"x", "y"}}}, nil},
		"mark and CRLF": {"\uFEFF---\r\nname: a\r\n---\r\nhello\r\n", "hello\n", []Member{{Key: "name", Line: 2, Text: "a"}}, nil},
		"a colon":       {"---\ndescription: Use when: asked\n---\n", "", []Member{{Key: "description", Line: 2, Text: "Use when: asked"}}, nil},
		"no value":      {"---\nname:\n---\n", "", []Member{{Key: "name", Line: 2, Empty: true}}, nil},
		"a mapping":     {"---\nmetadata:\n  a: b\n---\n", "", []Member{{Key: "metadata", Line: 2, Other: true}}, nil},
		"empty":         {"---\n---\nx", "x", nil, nil},
		"none":          {"hello", "", nil, &Error{1, 1, ErrNone.Error()}},
		"endless":       {"---\nname: a\n", "", nil, &Error{1, 1, ErrEndless.Error()}},
		"a list":        {"---\n- a\n---\n", "", nil, &Error{2, 1, "the front matter must be members and values"}},
		"an alias":      {"---\na: &x [1]\nb: *x\n---\n", "", nil, &Error{2, 4, "anchors and aliases are not allowed here"}},
		"broken":        {"---\nname: a\nb: [\n---\n", "", nil, &Error{3, 1, "the front matter cannot be read: did not find expected node content"}},
	} {
		got, body, err := Members([]byte(row.text))
		if diff := cmp.Diff(row.want, got); diff != "" || body != row.body {
			t.Errorf("%s: body %q, members (-want +got):\n%s", name, body, diff)
		}
		if found, _ := err.(*Error); (found == nil) != (row.err == nil) || found != nil && *found != *row.err {
			t.Errorf("%s: %#v", name, err)
		}
	}
}
