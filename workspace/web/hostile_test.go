package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Pages that are made to cost much: each is read, or refused in words, within a
// few seconds and never much longer than it came.
func TestHostilePages(t *testing.T) {
	rep, size := strings.Repeat, 64<<10 // of maxPage the same takes eighty times as long
	var formatting, attributes strings.Builder
	for i := range 490 {
		fmt.Fprintf(&formatting, "<b a%d>", i)
	}
	for i := range 200_000 {
		fmt.Fprintf(&attributes, "a%d=1 ", i)
	}
	for name, src := range map[string]string{
		"nesting":                rep("<div>", 100_000),
		"nested just so":         rep("<div>", 400) + "x",
		"formatting made again":  "<p>" + formatting.String() + "</p>" + rep("<p>x", 1<<20),
		"quotes in quotes":       rep("<blockquote>", 400) + rep("x<br>", 100_000),
		"lists in lists":         rep("<ul><li>", 200) + rep("x<br>", 100_000),
		"quotes in lists":        rep("<ul><li><blockquote>", 150) + rep("x<p>", 100_000),
		"a cell over all":        "<table><tr><td colspan=100000000>x<td rowspan=65000>y</table>",
		"a ragged table":         "<table><tr>" + rep("<td>x", 20_000) + rep("<tr><td>y", 20_000) + "</table>",
		"a long table":           "<table>" + rep("<tr><td>x<td>y", 100_000) + "</table>",
		"tables in tables":       rep("<table><tr><td>", 120) + "x",
		"many tables":            rep("<table><tr><td>x</table>", 100_000),
		"a giant attribute":      "<p title='" + rep("a", 4<<20) + "'>x</p>",
		"a giant link":           "<a href='" + rep("a", 4<<20) + "'>x</a>",
		"many attributes":        "<p " + attributes.String() + ">x",
		"brackets":               "<p>" + rep("[", 4<<20),
		"open angles":            "<p>" + rep("<", 4<<20),
		"emphasis":               rep("<b>x</b><i>y</i>", 200_000),
		"emphasis in emphasis":   rep(rep("<b><i>", 60)+"x"+rep("</i></b>", 60), 2_000),
		"links":                  rep("<a href=/x>y</a> ", 200_000),
		"links in links":         rep("<a href=/x>", 300_000) + "y",
		"backticks":              "<pre>" + rep("`", 4<<20) + "</pre>",
		"code":                   rep("<code>`x`</code>", 200_000),
		"newlines":               "<pre>" + rep("\n", 4<<20) + "</pre>",
		"breaks":                 rep("<br>", 1<<20),
		"blanks":                 "<p>" + rep(" ", 4<<20) + "x",
		"hard blanks":            "<p>" + rep("&nbsp;", 700_000) + "x",
		"comments":               rep("<!-->", 900_000),
		"headings":               rep("<h1>x", 500_000),
		"items":                  "<ul>" + rep("<li>x", 500_000),
		"numbered items":         "<ol start=999999999999>" + rep("<li>x", 300_000),
		"choices":                "<select>" + rep("<option>x", 300_000),
		"no end":                 "<script>" + rep("x", 4<<20),
		"styles":                 rep("<p style='display:/**/none'>x", 150_000),
		"one long style":         "<p style='" + rep("a:b;/*", 700_000) + "'>x",
		"images":                 rep("<img src=data:,x alt=y>", 200_000),
		"templates in templates": rep("<template>", 400) + "x",
		"misnested":              rep("<a><b><table><i>", 50_000),
		"rulers":                 rep("<hr>", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			src = src[:min(len(src), size)]
			for _, format := range []string{formatMarkdown, formatText} {
				began := time.Now()
				p := &page{at: mustAddress(t, "https://example.com/a/"), status: 200, html: true, text: src}
				text, err := p.render(context.Background(), format)
				if took := time.Since(began); took > 2*parseWait {
					t.Errorf("%s took %v", format, took)
				} else if took > time.Second || err != nil {
					t.Logf("%s: %v, %d bytes of %d, %v", format, took, len(text), len(src), err)
				}
				if len(text) > 12*len(src)+4000 {
					t.Errorf("%s: %d bytes became %d", format, len(src), len(text))
				}
			}
		})
	}
}
