package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// keyShapes are a secret of each shape, and a piece of it that stands nowhere else.
var keyShapes = []struct{ kind, secret, piece string }{
	{"ghp", "ghp_aB3dE5fG7hJ8kL9mN0pQrStUvWxYz12345678", "aB3dE5fG7hJ8"},
	{"pat", "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ012", "11ABCDEFG0aBcDe"},
	{"sk", "sk-proj-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0", "Zx9Yw8Vu7Ts6"},
	{"stripe", "sk_live_51HxYzAbCdEfGhIjKlMnOpQr", "51HxYzAbCdEf"},
	{"aws", "AKIAZ7QH5TJ2LMNOPQRS", "Z7QH5TJ2LMNO"},
	{"xox", "xoxb-482910573628-483920157364-Qa8Ws9Ed0Rf1Tg2Yh3Uj4Ik5", "482910573628"},
	{"jwt", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI5ODc2NTQzMjEwIn0.Kq3Zr8Xw2Vt7Lp5Nm1Jh4Gf6Ds9Aa0Sd", "Kq3Zr8Xw2Vt7"},
	{"glpat", "glpat-7Hq2Ws9Xe4Rd1Tf6Yg8U", "7Hq2Ws9Xe4Rd"},
	{"google", "AIzaSyB4Kx9Qw7Er2Ty5Ui8Op1As3Df6Gh0JkLm", "B4Kx9Qw7Er2T"},
	{"npm", "npm_8Jk2Lm4Np6Qr8St0Uv2Wx4Yz6Ab8Cd0Ef2G4", "8Jk2Lm4Np6Qr"},
	{"url", "postgres://app:t0pS3cretPw@db.internal/x", "t0pS3cretPw"},
	{"pem", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nQk9=\n-----END PRIVATE KEY-----", "C7VJTUt9Us8cKj"},
}

// TestSecretsHaveNoSink: a secret of each shape comes in every way that there is, by
// a prompt, instructions, a file, a search, a command, a page that was too long, a
// sub-agent, an error of a provider and the model's own words, and stands in no
// request, no log, no audit, no export and on no terminal. Each shape is dozens of programs:
// without -thorough it is the one of several lines, and a ninth of the others by chance.
func TestSecretsHaveNoSink(t *testing.T) {
	t.Parallel()
	seed := sample.Seed(t)
	t.Logf("AGENT_SIDECAR_SEED=%d", seed)
	for _, shape := range keyShapes {
		if shape.kind != "pem" && !sample.Chosen(seed, 9, shape.kind) {
			continue
		}
		t.Run(shape.kind, func(t *testing.T) {
			t.Parallel()
			quoted := func(s string) string {
				raw, err := json.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			model, err := scriptmodel.New(strings.Join([]string{
				`call c1 read {"path": "a.txt"}`,
				`call c2 grep {"pattern": ".", "path": "a.txt"}`,
				`call c3 bash {"command": "cat a.txt; cat a.txt >&2; cat lines.txt"}`,
				`call c4 bash {"command": "cat big.txt"}`,
				`call c5 bash {"command": ` + quoted("echo '"+shape.secret+"'; exit 3") + `}`,
				`call c6 write {"path": "made.txt", "content": ` + quoted("a "+shape.secret+"\n") + `}`,
				`call c7 edit {"path": "a.txt", "old": "key", "new": ` + quoted("name "+shape.secret) + `}`,
				`call c8 edit {"path": "a.txt", "old": "not there at all", "new": "x"}`,
				`call c9 read {"path": ` + quoted("no/"+strings.ReplaceAll(shape.secret, "\n", " ")) + `}`,
				`call c10 nothing {"x": ` + quoted(shape.secret) + `}`,
				`callraw c11 write {"path": "b" "content": ` + quoted(shape.secret) + `}`,
				`call c12 task {"agent": "explore", "prompt": ` + quoted("look for "+shape.secret) + `}`,
				`call c13 memory {"kind": "daily", "text": ` + quoted("remember "+shape.secret) + `}`,
				`---`,
				`call d1 bash {"command": "cat .agent-output/*/*bash_c4*.txt"}`,
				`---`,
				`think ` + quoted("hm "+shape.secret),
				`say ` + quoted("It is "+shape.secret+" there."),
				`--- for explore`,
				`call k1 read {"path": "a.txt"}`,
				`---`,
				`say ` + quoted("Found "+shape.secret+" in a.txt:1."),
				`--- for compaction`,
				`say ` + quoted("The summary of "+shape.secret),
				`--- for main`,
				`status 400 {"error": {"message": ` + quoted("bad "+shape.secret) + `}}`,
			}, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var sent bytes.Buffer
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				sent.Write(body)
				mu.Unlock()
				r.Body = io.NopCloser(bytes.NewReader(body))
				model.ServeHTTP(w, r)
			}))
			defer server.Close()
			s := newShell(t, `{"hooks": {"tool.before": [{"command": ["sh", "-c", "cat >> $HOME/hooked; echo {}"]}], "tool.after": [{"command": ["sh", "-c", "cat >> $HOME/hooked; echo {}"]}]}}`,
				"OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=k", "OPENAI_MODEL=m")
			for name, text := range map[string]string{
				"a.txt": "key " + shape.secret + "\n", "AGENTS.md": "Use " + shape.secret + "\n", "lines.txt": "x" + strings.Repeat("\n"+shape.secret, 3) + "\n",
				"big.txt": strings.Repeat(shape.secret+" ", 70_000/len(shape.secret)),
			} {
				s.write(t, filepath.Join(s.dir, name), text)
			}
			var shown strings.Builder
			do := func(want int, args ...string) {
				t.Helper()
				code, out, errs := s.run(t, "", args...)
				if code != want {
					t.Errorf("%s: exit %d\n%s\n%s", args, code, out, errs)
				}
				fmt.Fprintf(&shown, "%s\n%s\n%s\n", args[0], out, errs)
			}
			log := filepath.Join(s.home, "own.log")
			do(0, "run", "--yes", "--log", log, "My key: "+shape.secret)
			do(1, "run", "--yes", "--log", log, "Again: "+shape.secret)
			do(0, "sessions")
			do(0, "export", "0001")
			do(0, "audit", "show", "0001")
			do(0, "prompt", "Next: "+shape.secret)
			hidden := func(where, text string) {
				t.Helper()
				if i := strings.Index(text, shape.piece); i >= 0 {
					t.Errorf("%s: …%s…", where, text[max(0, i-200):min(len(text), i+80)])
				}
			}
			mu.Lock()
			hidden("a request", sent.String())
			if !strings.Contains(sent.String(), "«secret:") || len(model.Problems()) > 0 {
				t.Error("the model saw no placeholder", model.Problems())
			}
			mu.Unlock()
			hidden("a terminal", shown.String())
			logs := 0
			err = filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || strings.Contains(path, "checkpoints") {
					return err
				}
				raw, err := os.ReadFile(path)
				hidden(path, string(raw))
				logs++
				return err
			})
			if _, unhooked := os.Stat(filepath.Join(s.home, "hooked")); err != nil || unhooked != nil || logs < 6 {
				t.Errorf("%d files looked at: %v %v", logs, err, unhooked)
			}
			if raw, err := os.ReadFile(filepath.Join(s.dir, "made.txt")); string(raw) != "a "+shape.secret+"\n" {
				t.Errorf("made.txt: %q %v\n%s", raw, err, shown.String()[:6000])
			}
		})
	}
}
