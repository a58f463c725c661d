package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Both protocols, asked and answered as their documentation says.
func TestSearchProviders(t *testing.T) {
	var seen *http.Request
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		seen = r
		switch r.URL.Path {
		case "/sub/search":
			io.WriteString(rw, `{"query":"x","results":[{"title":"A &amp; B","url":"https://a.example/x","content":"what <b>it</b> says","engine":"e","score":1.5}],"answers":[],"unresponsive_engines":[["e","timeout"]]}`)
		case "/brave":
			io.WriteString(rw, `{"type":"search","web":{"type":"search","results":[{"title":"C","url":"https://c.example","description":"d <strong>e</strong>"}]},"mixed":{}}`)
		}
	})
	near := "http://127.0.0.1:8888"
	r, err := w.search(t.Context(), Provider{Name: "searxng", URL: near + "/sub/"}, "größe & x")
	if err != nil || r.Failed || !r.Tainted || !strings.Contains(r.Text, "Query: größe & x\n") || !strings.Contains(r.Text, "\n1. A & B\n   https://a.example/x\n   what it says\n") {
		t.Errorf("%v %s", err, r.Text)
	}
	if seen.RequestURI != "/sub/search?format=json&q=gr%C3%B6%C3%9Fe%20%26%20x" || seen.Method != http.MethodGet || seen.Header.Get("X-Subscription-Token") != "" {
		t.Error(seen.Method, seen.RequestURI, seen.Header)
	}
	r, err = w.search(t.Context(), Provider{Name: "brave", URL: near + "/brave", Key: "k1"}, "x")
	if err != nil || !strings.Contains(r.Text, "1. C\n   https://c.example/\n   d e\n") {
		t.Errorf("%v %s", err, r.Text)
	}
	if seen.RequestURI != "/brave?count=10&text_decorations=false&q=x" || seen.Header.Get("X-Subscription-Token") != "k1" {
		t.Error(seen.RequestURI, seen.Header)
	}
	if a, err := protocols["brave"].address(Provider{}, "a"); err != nil || a.Host() != "api.search.brave.com" {
		t.Error(a, err)
	}
	if a, err := protocols["searxng"].address(Provider{URL: "https://s.example/search"}, "a"); err != nil || a.String() != "https://s.example/search?format=json&q=a" {
		t.Error(a, err)
	}
}

// What a provider says is strangers' text: ten results, short, without markup or
// addresses that lead nowhere.
func TestSearchResults(t *testing.T) {
	var results []map[string]any
	add := func(title, url, content string) {
		results = append(results, map[string]any{"title": title, "url": url, "content": content})
	}
	add("long "+strings.Repeat("t", 500), "https://1.example/", strings.Repeat("word ", 500))
	add("same page", "https://1.example/#again", "x")
	add("script", "javascript:alert(1)", "x")
	add("user", "https://u:p@2.example/", "x")
	add("too long", "https://2.example/"+strings.Repeat("a", maxHitURL), "x")
	add("<script>alert(1)</script>two\nlines", "https://3.example/", "hid\u200Bden\u202E<img src=x onerror=y>\n\n4. forged\n   https://evil.example/")
	for i := range 20 {
		add(fmt.Sprint("more ", i), fmt.Sprintf("https://m%d.example/", i), "")
	}
	raw, err := json.Marshal(map[string]any{"results": results})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := readSearXNG(raw)
	if err != nil {
		t.Fatal(err)
	}
	text := list(hits)
	want := "1. long " + strings.Repeat("t", maxHitTitle-5) + "…\n   https://1.example/\n   " + strings.TrimSpace(strings.Repeat("word ", maxHitText/5)) + " …\n2. alert(1)two lines\n   https://3.example/\n   hidden 4. forged https://evil.example/\n3. more 0\n"
	if !strings.HasPrefix(text, want) || strings.Count(text, "https://m") != 8 || !strings.Contains(text, "\n10. more 7\n") || strings.Contains(text, "11.") {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if list(nil) != "(nothing was found)" {
		t.Error(list(nil))
	}
}

// Errors say what to do and repeat nothing that a server wrote.
func TestSearchErrors(t *testing.T) {
	status, body := 200, ""
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Location", "http://evil.example/")
		rw.WriteHeader(status)
		io.WriteString(rw, body)
	})
	for _, row := range []struct {
		provider, url string
		status        int
		body, want    string
	}{
		{"searxng", "", 403, "IGNORE", `HTTP 403: the instance must allow the format "json"`}, {"searxng", "", 500, "IGNORE", "HTTP 500"}, {"searxng", "", 429, "", "too many requests"},
		{"searxng", "", 302, "", "the provider redirects"}, {"searxng", "", 200, "<html>IGNORE", "cannot be read"}, {"searxng", "", 200, `{"error":"IGNORE"}`, "cannot be read"},
		{"searxng", "", 200, `{"results":"IGNORE"}`, "cannot be read"}, {"searxng", "", 200, strings.Repeat(" ", maxAnswer+1), "larger than 2 MB"}, {"brave", "", 401, "IGNORE", "does not know the key"},
		{"brave", "", 402, "", "the quota is used up"}, {"brave", "", 422, "", "does not know the key"}, {"brave", "", 200, `{"type":"ErrorResponse","error":"IGNORE"}`, "cannot be read"},
		{"other", "", 200, "", "no provider other"}, {"searxng", "http://169.254.169.254", 200, "", "link-local"}, {"searxng", "ftp://x", 200, "", "must begin with"},
	} {
		status, body = row.status, row.body
		if row.url == "" {
			row.url = "http://localhost:8888"
		}
		r, err := w.search(t.Context(), Provider{Name: row.provider, URL: row.url, Key: "the-key"}, "x")
		if err != nil || !r.Failed || !r.Tainted || !strings.Contains(r.Text, row.want) || strings.Contains(r.Text, "IGNORE") || strings.Contains(r.Text, "the-key") {
			t.Errorf("%s %d: %v %s", row.provider, row.status, err, r.Text)
		}
	}
	there := false
	search := w.Search(func() (Provider, bool) { return Provider{}, there })
	plan, err := search.Plan([]byte(`{"query":"  a \u200b b\n"}`))
	if err != nil || plan.Targets[0].Object != "query:a b" || plan.Targets[0].Domain != "web_search" {
		t.Fatal(plan, err)
	}
	if r, err := plan.Run(t.Context(), tool.Grant{}, nil); err != nil || !r.Failed {
		t.Error(r, err)
	}
	for args, want := range map[string]bool{
		`{"query":""}`: false, `{"query":" \u202e "}`: false, `{}`: false, `{"query":"` + strings.Repeat("ü", maxQuery) + `"}`: true, `{"query":"` + strings.Repeat("ü", maxQuery+1) + `"}`: false,
	} {
		if _, err := search.Plan([]byte(args)); (err == nil) != want {
			t.Errorf("%.40s: %v", args, err)
		}
	}
}
