package model

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// says is a list as one line: its address, then the names or the kind of the error.
func listLine(l ModelList) string {
	line := l.Provider + "@" + l.BaseURL
	for _, m := range l.Models {
		line += fmt.Sprintf(" %s:%d", m.Name, m.Window)
	}
	if l.Kind != "" {
		line += " " + string(l.Kind) + ": " + l.Message
	}
	return line
}

// An address of which only the beginning is right is found, no key goes to it, and
// what goes wrong there has a kind.
func TestListAt(t *testing.T) {
	const list = `{"data":[{"id":"a","context_length":8192},{"id":"a"},{"id":"b\u001b[2J"},{"id":"c\u202e"},{"id":" d"},{"id":"gpt-4o"}]}`
	for _, row := range []struct {
		name, at string
		serve    func(w http.ResponseWriter, r *http.Request)
		want     string
	}{
		{"as it is", "http://x.test/v1/", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, list) }, "@http://x.test/v1 a:8192 gpt-4o:128000"},
		{"without /v1", "http://x.test", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				http.NotFound(w, r)
				return
			}
			_, _ = io.WriteString(w, list)
		}, "@http://x.test/v1 a:8192 gpt-4o:128000"},
		{"a page at the root", "http://x.test", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				_, _ = io.WriteString(w, "<html>")
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"who are you?"}}`)
		}, "@http://x.test/v1 model_auth: status 401: who are you?"},
		{"a page everywhere", "http://x.test", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>") },
			"@http://x.test no_list: the server answers, and has no list of models at http://x.test/models"},
		{"elsewhere", "http://x.test/v1", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://y.test/v1/models?key=1", http.StatusMovedPermanently)
		}, "@http://x.test/v1 no_list: the server redirects to https://y.test/v1/models; write that address if it is right"},
		{"broken", "http://x.test/v1", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			"@http://x.test/v1 model_server_error: status 502: Bad Gateway"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "" {
						t.Error("a key was sent")
					}
					row.serve(w, r)
				})
				got, err := c.ListAt(t.Context(), row.at)
				if err != nil || listLine(got) != row.want {
					t.Errorf("%s, %v\nwant %s", listLine(got), err, row.want)
				}
			})
		})
	}
	for _, bad := range []string{"", "x.test", "file:///etc/passwd", "ftp://x.test", "http://u:p@x.test/v1", "http://x.test/v1?key=1", "http://"} {
		if got, err := (&Catalog{}).ListAt(t.Context(), bad); err == nil {
			t.Errorf("%q was asked: %s", bad, listLine(got))
		}
	}
}

// A server that never answers costs ten seconds, a local one that nobody named two,
// and what the others said counts.
func TestListsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Host != "quick.test" {
				<-r.Context().Done()
				return
			}
			_, _ = io.WriteString(w, `{"data":[`+strings.Repeat(`{"id":"sk-test-key-2"},{"id":"same"},`, 5)+`{"id":"m"}]}`)
		})
		c.Providers = append(c.Providers,
			Provider{Name: "quick", BaseURL: "http://quick.test/v1", APIKeys: []string{"sk-test-key-2"}, Models: map[string]ModelConfig{"m": {Window: 4096}}},
			Provider{Name: "keyless", BaseURL: "https://far.test/v1", APIKeyEnv: []string{"FAR_KEY"}})
		begun := time.Now()
		lists, _ := c.Lists(t.Context(), "")
		var lines []string
		for _, l := range lists {
			lines = append(lines, listLine(l))
		}
		want := "test@http://model.test/v1 model_unreachable: no answer in time from model.test\n" +
			"quick@http://quick.test/v1 same:0 m:4096\n" +
			`keyless@https://far.test/v1 model_auth: no API key for provider "keyless" (far.test): set FAR_KEY`
		if got := strings.Join(lines, "\n"); got != want || time.Since(begun) != listsWait {
			t.Errorf("after %v:\n%s\nwant:\n%s", time.Since(begun), got, want)
		}
		if _, known := c.Lists(t.Context(), "nobody"); known {
			t.Error("a provider that is not there is known")
		}
	})
}

// However many names a server lists, so many are kept.
func TestListsAreBounded(t *testing.T) {
	c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		var all []string
		for i := range 3 * maxListed {
			all = append(all, fmt.Sprintf(`{"id":"m%d"}`, i))
		}
		_, _ = io.WriteString(w, "["+strings.Join(all, ",")+"]")
	})
	if lists, _ := c.Lists(t.Context(), "test"); len(lists) != 1 || len(lists[0].Models) != maxListed {
		t.Errorf("%d lists", len(lists))
	}
}
