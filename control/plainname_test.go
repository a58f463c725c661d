package control

import "testing"

// No two files have one name.
func TestPlainName(t *testing.T) {
	for object, want := range map[string]string{
		"vault:/lib/a.js": "lib/a.js", "vault@lib:/b.go": "lib: b.go", "fs:/etc/hosts": "/etc/hosts", "vault:/**": "**",
		"vault:/": "./", "vault:/lib: b.go": "./lib: b.go", "shell:cat vault:/a": "shell:cat vault:/a", "url:https://a.test/b": "url:https://a.test/b",
		"mcp:x": "mcp:x", "": "", "query:vault:/": "query:vault:/",
	} {
		if got := PlainName(object); got != want {
			t.Errorf("%q is called %q, not %q", object, got, want)
		}
	}
	o := offer("w", Rule{Domain: "read", Pattern: "vault:/.env"}, Rule{Domain: "read", Pattern: "vault@lib:/.env"})
	if o.Label != "Always in this workspace: .env + lib: .env" || o.Pattern != "vault:/.env + vault@lib:/.env" {
		t.Errorf("%+v", o)
	}
	if o = offer("", Rule{Domain: "bash", Pattern: "vault:/x"}); o.Label != "Always, in every folder: vault:/x" {
		t.Errorf("%+v", o)
	}
}
