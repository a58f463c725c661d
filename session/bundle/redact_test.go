package bundle

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func secretive() *redactor {
	return newRedactor(Private{
		Secrets:     []string{"my-own-secret-key-123456", `quo"te\slash/key<1>`, "abcd", "abc", "ollama", "", "short-key"},
		Roots:       [][]string{{"/srv/work/shop", "/links/shop"}, {"/srv/work/lib"}},
		WorkspaceID: "shop-1a2b3c4d", Home: []string{"/home/alice"}, Sidecar: []string{"/home/alice/.agent-sidecar"}, User: "alice",
	})
}

// What is private is replaced wherever and however it stands.
func TestRedactor(t *testing.T) {
	const key = "my-own-secret-key-123456"
	x := func(n int) string { return strings.Repeat("aB3dE5fG7h", 20)[:n] }
	for in, want := range map[string]string{
		"use " + key + ".": "use «secret:key-1».", "x" + key + "y": "x«secret:key-1»y",
		key + " ghp_" + x(36) + " " + key:                     "«secret:key-1» «secret:ghp-1» «secret:key-1»",
		"ghp_" + x(36) + " ghp_" + x(35):                      "«secret:ghp-1» «secret:ghp-2»",
		`{"k":"quo\"te\\slash\/key\u003c1\u003e"}`:            `{"k":"«secret:key-1»"}`,
		`{\"k\":\"quo\\\"te\\\\slash/key<1>\"}`:               `{\"k\":\"«secret:key-1»\"}`,
		`"my-own\u002dsecret-key-\u0031\u00323456"`:           `"«secret:key-1»"`,
		`"\\u006dy-own-secret-key-123456"`:                    `"«secret:key-1»"`,
		`a\nsk-` + x(40):                                      `a\n«secret:sk-1»`,
		url.QueryEscape(`a=quo"te\slash/key<1>&b`):            "a%3D«secret:key-1»%26b",
		base64.StdEncoding.EncodeToString([]byte(key)):        "«secret:key-1»",
		base64.StdEncoding.EncodeToString([]byte("u:" + key)): "dTp«secret:key-1»Y=",
		"abcd abcdef xabcd abcd-e":                            "«secret:key-1» abcdef xabcd abcd-e",
		"short-key! not-short-key":                            "«secret:key-1»! not-short-key",

		// Cut texts: titles and previews end where their room ends.
		"my key is my-own-secr…": "my key is «secret:key-1»…", "…key-123456 it was": "…«secret:key-1» it was", "my key is my-…": "my key is my-…",
		"my-own-secr\n… 5 lines (90 bytes) omitted …\nkey-123456": "«secret:key-1»\n… 5 lines (90 bytes) omitted …\n«secret:key-1»",
		"token ghp_" + x(8) + "…":                                 "token «secret:cut-1»…", "in /home/al…": "in «home»…", "in /srv/work/sh…, /srv/w… and /srv…": "in «vault»…, «vault:2»… and /srv…",

		"/srv/work/shop/a.go /srv/work/shop": "«vault»/a.go «vault»", "file:///srv/work/shop/a%20b": "file://«vault»/a%20b", "/links/shop/x": "«vault»/x",
		"/srv/work/shopping /srv/work/shop.old /x/srv/work/shop": "/srv/work/shopping /srv/work/shop.old /x/srv/work/shop",
		"in /srv/work/shop. And (/srv/work/lib)":                 "in «vault». And («vault:2»)", `C:\\srv /srv\/work\/shop\/a`: `C:\\srv «vault»\/a`,
		"~/.x /home/alice/.agent-sidecar/sessions/shop-1a2b3c4d/0001": "~/.x «sidecar»/sessions/«workspace»/0001", "/home/alice2 /home/alice/b": "/home/alice2 «home»/b",
		"/mnt/c/Users/alice/x": "/mnt/c/Users/«user»/x", `D:\Users\alice`: `D:\Users\«user»`, "alice@box:~$ /Users/alice": "«user»@box:~$ /Users/«user»",
		"Author: A <a.b+c@corp.io>, b@corp.io, a.b+c@corp.io": "Author: A <«e-mail-1»>, «e-mail-2», «e-mail-1»",

		"DB_PASSWORD=hunter22xyz\nexport API_KEY='" + x(12) + "'":           "DB_PASSWORD=«secret:env-1»\nexport API_KEY='«secret:env-2»'",
		"12: GITLAB_TOKEN=" + x(20):                                         "12: GITLAB_TOKEN=«secret:env-1»",
		"postgres://u:p%40ss@db:5432/x":                                     "postgres://u:«secret:url-1»@db:5432/x",
		`{"Authorization": "Bearer ` + x(20) + `"}`:                         `{"Authorization": "Bearer «secret:header-1»"}`,
		"x-api-key: " + x(20):                                               "x-api-key: «secret:header-1»",
		"aws_secret_access_key = " + x(40):                                  "aws_secret_access_key = «secret:aws-1»",
		"AccountKey=" + x(86) + "==;x":                                      "AccountKey=«secret:azure-1»;x",
		"https://hooks.slack.com/services/T1/B2/" + x(24):                   "https://hooks.slack.com/services/«secret:webhook-1»",
		"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n": "«secret:pem-1»\\n",
	} {
		if got := secretive().text(in); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

// What ordinary code and output hold stays as it is.
func TestRedactorLeavesCodeAlone(t *testing.T) {
	hash := strings.Repeat("0af3", 16)
	image := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for _, same := range []string{
		hash, "sha256:" + hash, hash[:40], "3f2504e0-4f89-11d3-9a0c-0305e82c3301", image, "go.sum h1:" + base64.StdEncoding.EncodeToString([]byte(hash[:32])) + "=",
		"key := cache.Key(user.ID, token)", "token = parser.next()", "const MAX_TOKENS=128000", "KEY=value", "SECRET_KEY=$(openssl rand -hex 32)", "PASSWORD=${PASSWORD:?}",
		"TOKEN=IDENTIFIER", "API_KEY=", "API_KEY=<your key here>", "SSH_KEY=~/.ssh/id_ed25519", "KEY=/etc/ssl/key1.pem", "primaryKey=user_id1", "x.key=abcdef123456",
		"icon@2x.png", "git@github.com:me/x.git", "noreply@github.com", "user@example.com", "npm i @scope/pkg@1.2.3", "actions/checkout@v4", "decorator@Injectable()", "a@b",
		"https://host:443/@scope/pkg", "http://localhost:8080", "alice", "alice's turn", "malice/x", "package alice", "the home of alice.", "ollama/llama3", "abc",
		"path: /srv/work", "vault:/home/alice2/x vault:/srv/work/shop/a", "/home", "func home()", "x-api-key: ${API_KEY}", "Authorization: none", "«vault»/a and «home»", `\n\t\"\u00e9`, "C:\\new\\table", "", "…", "a…b",
		strings.Repeat("QUJD", 500),
	} {
		if got := secretive().text(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}

// The texts of a JSON value are redacted as what they say, however they are
// written; everything else stays byte for byte.
func TestEachString(t *testing.T) {
	in := `{"b":1.50,"a":["my-own\u002dsecret-key-123456", {"my-own-secret-key-123456" :null}],"c":"\u00e9\/","d":"x\ny my-own-secret-key-123456"}`
	out, err := eachString([]byte(in), secretive().text)
	want := `{"b":1.50,"a":["«secret:key-1»", {"«secret:key-1»" :null}],"c":"\u00e9\/","d":"x\ny «secret:key-1»"}`
	if err != nil || string(out) != want || !json.Valid(out) {
		t.Errorf("%v\n got %s\nwant %s", err, out, want)
	}
	for _, bad := range []string{`{"a`, `"\x"`, `{"a":"\`} {
		if out, err := eachString([]byte(bad), secretive().text); err == nil {
			t.Errorf("%s: %s", bad, out)
		}
	}
}
