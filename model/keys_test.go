package model

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// byKey answers by the key and by how often it was used; the last answer of a key
// repeats. It notes "key@time".
func byKey(t *testing.T, answers map[string][]step) (*Catalog, *[]string) {
	begun, asked, used := time.Now(), []string{}, map[string]int{}
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		asked = append(asked, fmt.Sprintf("%s@%v", key, time.Since(begun)))
		steps := answers[key]
		s := steps[min(used[key], len(steps)-1)]
		used[key]++
		for name, value := range s.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(s.status)
		_, _ = w.Write([]byte(s.body))
	})
	c.Providers[0].APIKeys = []string{"one", "two", "three"}
	return c, &asked
}

// TestKeys: which key is asked after which, and when.
func TestKeys(t *testing.T) {
	limited := func(header ...string) step { return refuse(429, "", header...) }
	for _, row := range []struct {
		name    string
		answers map[string][]step
		asked   string
		kind    Kind // "" is an answer
	}{
		{"a refused key", map[string][]step{"one": {refuse(401, "")}, "two": {ok()}}, "one@0s two@0s", ""},
		{"a forbidden key", map[string][]step{"one": {refuse(403, "")}, "two": {ok()}}, "one@0s two@0s", ""},
		{"all refused", map[string][]step{"one": {refuse(401, "")}, "two": {refuse(403, "")}, "three": {refuse(401, "")}}, "one@0s two@0s three@0s", KindAuth},
		{"a limited key does not make anybody wait", map[string][]step{"one": {limited("Retry-After", "30")}, "two": {ok()}}, "one@0s two@0s", ""},
		{"all limited: the first that is free again", map[string][]step{"one": {limited("Retry-After", "30")}, "two": {limited("Retry-After", "5"), ok()}, "three": {limited("Retry-After", "9")}}, "one@0s two@0s three@0s two@5s", ""},
		{"a key that is limited for long is left out", map[string][]step{"one": {limited("Retry-After", "61")}, "two": {limited("Retry-After", "60"), ok()}, "three": {limited("Retry-After", "3600")}}, "one@0s two@0s three@0s two@1m0s", ""},
		{"limited and refused", map[string][]step{"one": {limited("Retry-After", "5"), ok()}, "two": {refuse(401, "")}, "three": {refuse(401, "")}}, "one@0s two@0s three@0s one@5s", ""},
		{"three attempts for each key", map[string][]step{"one": {limited()}, "two": {limited()}, "three": {refuse(401, "")}}, "one@0s two@0s three@0s one@2s two@2s one@6s two@6s", KindRateLimited},
		{"a server's failure is not the key's", map[string][]step{"one": {refuse(500, "")}}, "one@0s one@2s one@6s", KindServer},
		{"nor is a quota", map[string][]step{"one": {refuse(402, "")}}, "one@0s", KindQuota},
		{"a failure after a limit stays with its key", map[string][]step{"one": {limited("Retry-After", "30")}, "two": {refuse(503, ""), ok()}}, "one@0s two@0s two@2s", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, asked := byKey(t, row.answers)
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if got := strings.Join(*asked, " "); got != row.asked {
					t.Errorf("asked %s, want %s", got, row.asked)
				}
				if h.modelError().Kind != row.kind || (row.kind == "") != (h.done != nil) || h.ends != 1 {
					t.Errorf("kind %q (%v), want %q", h.modelError().Kind, h.err, row.kind)
				}
				if row.kind != "" && len(h.modelError().Attempts) != len(*asked) {
					t.Errorf("%d attempts listed of %d", len(h.modelError().Attempts), len(*asked))
				}
			})
		})
	}
}

// A key that failed is asked last for a while: a limited one until its limit is
// over, a refused one for ten minutes. One that works again is first again.
func TestFailedKeyRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := byKey(t, map[string][]step{
			"one": {refuse(429, "", "Retry-After", "30"), ok()}, "two": {refuse(401, ""), refuse(401, ""), ok()}, "three": {ok()},
		})
		m := open(t, c, "test/m")
		for _, after := range []time.Duration{0, 29 * time.Second, 2 * time.Second} {
			_ = pause(t.Context(), after)
			hear(t.Context(), m, ask("hi"))
		}
		want := "one@0s two@0s three@0s three@29s one@31s"
		if got := strings.Join(*asked, " "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
		c.Providers[0].APIKeys = []string{"two", "three"}
		c.Configure(c.Providers, RetryLimits{})
		*asked = nil
		m = open(t, c, "test/m")
		for _, after := range []time.Duration{0, restKeyFor - 31*time.Second - time.Second, time.Second, 0} {
			_ = pause(t.Context(), after)
			hear(t.Context(), m, ask("hi"))
		}
		want = "three@31s three@9m59s two@10m0s three@10m0s three@10m0s"
		if got := strings.Join(*asked, " "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) { // no credit: the next model at once, but another key the next time
		c, asked := byKey(t, map[string][]step{"one": {refuse(402, "")}, "two": {ok()}})
		m := open(t, c, "test/m")
		if h := hear(t.Context(), m, ask("hi")); h.modelError().Kind != KindQuota {
			t.Error(h.err)
		}
		if h := hear(t.Context(), m, ask("hi")); h.done == nil || strings.Join(*asked, " ") != "one@0s two@0s" {
			t.Errorf("asked %v: %v", *asked, h.err)
		}
	})
	// If every key rests, they are asked all the same.
	synctest.Test(t, func(t *testing.T) {
		c, asked := byKey(t, map[string][]step{"one": {refuse(401, ""), ok()}, "two": {refuse(401, "")}, "three": {refuse(401, "")}})
		m := open(t, c, "test/m")
		hear(t.Context(), m, ask("hi"))
		if h := hear(t.Context(), m, ask("hi")); h.done == nil || len(*asked) != 4 {
			t.Errorf("asked %v: %v", *asked, h.err)
		}
	})
}
