package main

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeysStayInside: a chain of models whose services fail in every way that can
// repeat what was sent, each with two keys and a secret header: the last one
// answers, and no secret stands on the terminal, in a log, in a session, in the
// audit or anywhere else below the home directory but in the configuration.
func TestKeysStayInside(t *testing.T) {
	secrets := []string{"sk-literal-secret", "sk-variable-secret", "header-secret", "password-secret", "query-secret"}
	asked := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodGet {
			http.Error(w, fmt.Sprint(r.Header, r.URL), http.StatusTeapot)
			return
		}
		_, model, _ := strings.Cut(string(body), `"model":"`)
		model, _, _ = strings.Cut(model, `"`)
		asked = append(asked, model)
		echo := fmt.Sprint(r.Header, r.URL)
		switch model {
		case "refused":
			http.Error(w, echo, http.StatusUnauthorized)
		case "limited":
			w.Header().Set("Retry-After", "3600")
			w.Header().Set("X-Echo", echo)
			http.Error(w, "<html><title>"+echo+"</title></html>", http.StatusTooManyRequests)
		case "inside":
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\ndata: {\"error\":{\"message\":%q}}\n\n", echo)
		case "garbled":
			_, _ = fmt.Fprintf(w, "data: %s\n\n", echo)
		case "early": // more than it promised, which stays in the connection
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno%s", echo)
				_ = conn.Close()
			}
		case "broken":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = fmt.Fprintf(conn, "%s\r\n\r\n", strings.ReplaceAll(echo, "\n", ""))
				_ = conn.Close()
			}
		default:
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"The last one answers.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	defer server.Close()
	base := strings.Replace(server.URL, "http://", "http://me:password-secret@", 1) + "/v1?token=query-secret"
	s := newShell(t, `{
		"model": "p/refused", "fallback": ["p/limited", "p/inside", "p/garbled", "p/early", "p/broken", "p/answers"],
		"agents": {"runtime": {"retry": {"maxAttempts": 1}}},
		"providers": {"p": {"baseUrl": "`+base+`", "apiKeys": ["sk-literal-secret"], "apiKeyEnv": ["KEY"], "headers": {"x-team": "header-secret"}}},
	}`, "KEY=sk-variable-secret")
	code, out, errs := s.run(t, "", "run", "--log", filepath.Join(s.home, "own.log"), "hi")
	if code != 0 || !strings.Contains(out, "The last one answers.") {
		t.Fatalf("exit %d, stderr %q:\n%s", code, errs, out)
	}
	for _, say := range []string{"~ from here on limited is asked instead of refused (model_auth)", "; trying again\n"} {
		if !strings.Contains(out, say) {
			t.Errorf("the terminal does not say %q:\n%s", say, out)
		}
	}
	if want := "refused refused limited limited inside garbled early broken answers"; strings.Join(asked, " ") != want {
		t.Errorf("asked %v, want %s", asked, want)
	}
	code, shown, more := s.run(t, "", "config")
	if code != 0 {
		t.Errorf("config: %s", more)
	}
	leaks := func(where, text string) {
		t.Helper()
		for _, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds %s: …%s…", where, secret, text[max(0, i-80):min(len(text), i+80)])
			}
		}
	}
	leaks("stdout", out+shown)
	leaks("stderr", errs+more)
	files := 0
	err := filepath.WalkDir(filepath.Dir(s.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "config.jsonc" {
			return err
		}
		raw, err := os.ReadFile(path)
		leaks(path, string(raw))
		files++
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("%d files looked at: %v", files, err)
	}
}
