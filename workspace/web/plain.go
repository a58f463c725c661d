package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blocks begin on a line of their own in plain text.
var blocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dt: true,
	atom.Dd: true, atom.Table: true, atom.Tr: true, atom.Caption: true, atom.Blockquote: true, atom.Pre: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true,
	atom.Nav: true, atom.Main: true, atom.Aside: true, atom.Figure: true, atom.Figcaption: true, atom.Hr: true, atom.Form: true, atom.Fieldset: true, atom.Address: true,
	atom.Details: true, atom.Summary: true, atom.Li: true,
}

// plain is the text of a page that was cleaned, without links and marks.
func plain(doc *html.Node) string {
	w := &plainWriter{}
	w.node(doc, false)
	return w.b.String()
}

type plainWriter struct {
	b     strings.Builder
	lines int  // newlines that are due before the next word
	space bool // a blank is due before the next word
}

func (w *plainWriter) node(n *html.Node, pre bool) {
	switch {
	case n.Type == html.TextNode && pre:
		w.gap()
		w.b.WriteString(n.Data)
		return
	case n.Type == html.TextNode:
		w.words(n.Data)
		return
	case n.DataAtom == atom.Br:
		w.lines = max(w.lines, 1)
		return
	}
	due := 0
	switch {
	case n.DataAtom == atom.Li || n.DataAtom == atom.Tr || n.DataAtom == atom.Dt || n.DataAtom == atom.Dd:
		due = 1
	case blocks[n.DataAtom]:
		due = 2
	}
	w.lines = max(w.lines, due)
	if n.DataAtom == atom.Li {
		w.words("- ")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, pre || n.DataAtom == atom.Pre)
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		w.words(" | ")
	}
	w.lines = max(w.lines, due)
}

// gap writes the newlines or the blank that are due.
func (w *plainWriter) gap() {
	if w.b.Len() > 0 {
		switch {
		case w.lines > 0:
			w.b.WriteString(strings.Repeat("\n", w.lines))
		case w.space:
			w.b.WriteByte(' ')
		}
	}
	w.lines, w.space = 0, false
}

func (w *plainWriter) words(s string) {
	fields := strings.Fields(s)
	if s == "" {
		return
	}
	w.space = w.space || s[0] == ' ' || s[0] == '\n' || s[0] == '\t' || s[0] == '\r'
	for i, word := range fields {
		w.space = w.space || i > 0
		w.gap()
		w.b.WriteString(word)
	}
	if last := s[len(s)-1]; len(fields) > 0 {
		w.space = last == ' ' || last == '\n' || last == '\t' || last == '\r'
	}
}
