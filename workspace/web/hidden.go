package web

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// reader takes from a page what a person who looks at it would not see, and bounds
// what could make much text of little.
type reader struct {
	base  Address // what links are relative to
	title string
}

// unseen are elements of which nothing is shown as text.
var unseen = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Svg: true,
	atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Map: true, atom.Datalist: true, atom.Input: true, atom.Select: true, atom.Textarea: true, atom.Noframes: true,
	atom.Noembed: true, atom.Frameset: true, atom.Link: true, atom.Meta: true, atom.Base: true, atom.Head: true,
}

const (
	// maxInside is how deep quotes, lists and tables are inside each other; what
	// is deeper is beside. Each level writes something before every line.
	maxInside = 8
	// maxCells bounds a table, with what its shorter rows are filled up with; a
	// larger one is shown as lines.
	maxCells = 20_000
	// maxSpan bounds what a cell says it covers.
	maxSpan = 50
)

// clean takes a whole document.
func (r *reader) clean(doc *html.Node) {
	for n := range doc.Descendants() {
		switch n.DataAtom {
		case atom.Title:
			if r.title == "" && n.Namespace == "" {
				r.title = words(n)
			}
		case atom.Base:
			if to, err := r.base.join(attribute(n, "href")); err == nil && attribute(n, "href") != "" {
				r.base = to
			}
		}
	}
	r.below(doc, 0)
}

// below cleans the children of n; inside counts the quotes, lists and tables
// around them.
func (r *reader) below(n *html.Node, inside int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode || c.Type == html.DoctypeNode:
			n.RemoveChild(c)
		case c.Type != html.ElementNode:
		case unseen[c.DataAtom] || c.Namespace != "" && c.Namespace != "math" || hidden(c):
			n.RemoveChild(c)
		default:
			r.element(c, inside)
		}
		c = next
	}
}

func (r *reader) element(c *html.Node, inside int) {
	switch c.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir:
		if inside++; inside > maxInside {
			rename(c, atom.Div)
		}
	case atom.Li:
		if inside > maxInside {
			rename(c, atom.Div)
		}
	}
	r.below(c, inside)
	switch c.DataAtom {
	case atom.Table:
		if !smallTable(c) {
			flatten(c)
		}
	case atom.A:
		r.link(c, "href")
	case atom.Img:
		r.link(c, "src")
	}
}

// link makes a link absolute. What leads to no web page loses it: data inside the
// page itself, scripts.
func (r *reader) link(n *html.Node, name string) {
	value := attribute(n, name)
	to, err := r.base.join(value)
	mail := name == "href" && strings.HasPrefix(strings.ToLower(value), "mailto:")
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		switch {
		case a.Key == name && value != "" && err == nil:
			a.Val = to.String() + fragment(value)
			kept = append(kept, a)
		case a.Key == name && mail, a.Key == "alt", a.Key == "title" && len(a.Val) <= 200:
			kept = append(kept, a)
		}
	}
	n.Attr = kept
	if attribute(n, name) == "" && n.DataAtom == atom.A {
		rename(n, atom.Span)
	}
	if attribute(n, name) == "" && n.DataAtom == atom.Img {
		alt := attribute(n, "alt")
		rename(n, atom.Span)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: alt})
	}
}

// fragment is what a link says about the place in the page.
func fragment(link string) string {
	if i := strings.IndexByte(link, '#'); i >= 0 && i+1 < len(link) {
		return "#" + normalEscapes(link[i+1:min(len(link), i+200)])
	}
	return ""
}

func rename(n *html.Node, to atom.Atom) {
	n.Data, n.DataAtom, n.Attr = to.String(), to, nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// hidden says that an element says of itself that it is not seen. What a style
// sheet hides, and other styles than display, are not known.
func hidden(n *html.Node) bool {
	closed := n.DataAtom == atom.Dialog
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if displaysNothing().MatchString(a.Val) {
				return true
			}
		case "open":
			closed = false
		}
	}
	return closed
}

var displaysNothing = lazy.Regexp(`(?i)(^|[;\s])display\s*:\s*none\b`)

// smallTable says that a table can be drawn: its cells with the gaps filled are
// not too many. It bounds what cells say they cover.
func smallTable(t *html.Node) bool {
	rows, columns, width := 0, 0, 0
	for n := range t.Descendants() {
		switch n.DataAtom {
		case atom.Table:
			return false // one in another cannot be drawn
		case atom.Tr:
			rows++
			width = 0
		case atom.Td, atom.Th:
			span := 1
			for i, a := range n.Attr {
				if a.Key == "colspan" || a.Key == "rowspan" {
					k := min(max(1, digits(a.Val)), maxSpan)
					n.Attr[i].Val = strconv.Itoa(k)
					if a.Key == "colspan" {
						span = k
					}
				}
			}
			width += span
			columns = max(columns, width)
		}
	}
	return rows*columns <= maxCells && columns <= 200
}

func digits(s string) int {
	n := 0
	for _, r := range strings.TrimSpace(s) {
		if r < '0' || r > '9' || n > 1000 {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// flatten makes lines of a table: each row a block, its cells words.
func flatten(t *html.Node) {
	for n := range t.Descendants() {
		switch n.DataAtom {
		case atom.Tr, atom.Caption:
			rename(n, atom.P)
		case atom.Td, atom.Th:
			rename(n, atom.Span)
			n.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Colgroup, atom.Col:
			rename(n, atom.Div)
		}
	}
	rename(t, atom.Div)
}
