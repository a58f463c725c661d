package secrets

import (
	"strings"
	"testing"
)

// What has the shape of a secret is replaced, whatever stands around it; what
// only looks alike stays, so that the audit can be read.
func TestRedact(t *testing.T) {
	x := func(n int) string { return strings.Repeat("aB3dE5fG7h", 20)[:n] }
	for in, want := range map[string]string{
		"token ghp_" + x(36) + " x":                        "token «secret:ghp» x",
		"GH=gho_" + x(30) + ";ghs_" + x(36):                "GH=«secret:ghp»;«secret:ghp»",
		"github_pat_" + x(22) + "_" + x(59):                "«secret:ghp»",
		"sk-" + x(48):                                      "«secret:sk»",
		"curl -H 'x: sk-proj-" + x(20) + "_" + x(20) + "'": "curl -H 'x: «secret:sk»'",
		"sk-ant-api03-" + x(40) + "-AA":                    "«secret:sk»",
		"sk-or-v1-" + strings.Repeat("0af3", 16):           "«secret:sk»",
		"sk_live_" + x(24):                                 "«secret:stripe»",
		"AKIAIOSFODNN7EXAMPLE":                             "«secret:aws»",
		"(ASIAIOSFODNN7EXAMPLE)":                           "(«secret:aws»)",
		"xoxb-123456789012-abcdefABCDEF":                   "«secret:xox»",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1": "«secret:jwt»",
		"glpat-" + x(20):                                  "«secret:glpat»",
		"AIza" + x(35):                                    "«secret:google»",
		"npm_" + x(36):                                    "«secret:npm»",
		"hf_" + x(34):                                     "«secret:hf»",
		"pypi-" + x(60):                                   "«secret:pypi»",
		"SG." + x(22) + "." + x(43):                       "«secret:sendgrid»",
		"git clone https://me:hunter2@host/x":             "git clone https://«secret:url»@host/x",
		"redis://:hunter2@host":                           "redis://«secret:url»@host",
		"postgres://u:p%40ss@db:5432/x?y=1":               "postgres://«secret:url»@db:5432/x?y=1",
		"curl -H 'Authorization: Bearer " + x(12) + "' h": "curl -H 'Authorization: Bearer «secret:header»' h",
		"-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY----- y":           "«secret:pem» y",
		"-----BEGIN PRIVATE KEY-----\nMIIE":                                             "«secret:pem»",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----": "«secret:pem»",
		"a\x00sk-" + x(48) + "\nb":                                                      "a\x00«secret:sk»\nb",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	for _, same := range []string{
		"sk-short and task-abcdefghijklmnopqrstuvwxyz", "pip install sk-learn-contrib-lightning-extras", "disk-" + strings.ToLower(x(40)), "task-0123456789abcdef0123456789abcdef01234567", "npm_config_registry", "npm_package_version",
		"ghp_short", "gh_" + x(36), "AKIASHORT", "MAKIAIOSFODNN7EXAMPLEX", "akiaiosfodnn7example", "xoxo-love-letters", "foxxoxb-1", "eyJ.eyJ.x", "eyJhbGciOiJIUzI1NiJ9", "AIzaShort",
		"https://host:443/@scope/pkg", "http://localhost:8080/a@b", "git@github.com:me/x.git", "ssh://git@github.com/me/x", "scp a:b@c", "https://user@host/x", "mailto:a@b", "vault:/a:b@c",
		"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "go test ./...", strings.Repeat("0af3", 16), "sha256:" + strings.Repeat("0af3", 16), "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
		"Authorization: none", "SG.txt", "hf_hub_download", "«set»", "",
	} {
		if got := Redact(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}
