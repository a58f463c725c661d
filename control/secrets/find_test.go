package secrets

import (
	"slices"
	"strings"
	"testing"
)

// Beside the shapes of Redact, secrets are known by what stands before them; what
// ordinary code holds in the same places is none.
func TestFind(t *testing.T) {
	x := func(n int) string { return strings.Repeat("aB3dE5fG7h", 20)[:n] }
	for in, want := range map[string]string{
		"a agent-sidecar-sync-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypwgdi b": "sync:agent-sidecar-sync-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypwgdi",
		"a ghp_" + x(36) + " b":                      "ghp:ghp_" + x(36),
		"https://me:hunter2@host/x":                  "url:hunter2",
		"Authorization: Bearer " + x(12):             "header:" + x(12),
		`"Authorization", "Bearer ` + x(12) + `"`:    "header:" + x(12),
		"X-Api-Key: " + x(16):                        "header:" + x(16),
		"X-Api-Key: " + x(15):                        "",
		"AWS_SECRET_ACCESS_KEY=" + x(40):             "aws:" + x(40) + " aws:" + x(40) + " env:" + x(40),
		"aws_secret_access_key=" + x(39):             "",
		"SharedAccessKey=" + x(43) + "=":             "azure:" + x(43) + "=",
		"A_KEY=abcdef12":                             "env:abcdef12",
		"A_KEY=abcdef1":                              "",
		"KEY='abc def12'":                            "",
		"export TOKEN=\"abcd1234\"":                  "env:abcd1234",
		"docker run -e DB_PASSWORD=hunter22 x":       "env:hunter22",
		"MAX_TOKENS=12800000":                        "",
		"SECRET=allletters":                          "",
		"TOKEN=$(cat token1)":                        "",
		"monkey=abcdef12345":                         "",
		"if KEY=value1; then":                        "",
		"SSH_KEY=/home/a/.ssh/id_1 KEY=./id_rsa1234": "",
		"http://localhost:8080/a@b":                  "",
	} {
		var got []string
		for _, s := range Find(in) { // what is known in two ways is there twice
			got = append(got, s.Kind+":"+in[s.Start:s.End])
		}
		slices.Sort(got)
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: %q, want %q", in, joined, want)
		}
	}
}
