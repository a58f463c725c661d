package control

import "testing"

// What a confined command may leave behind is a secret that no program obeys:
// direnv runs `.envrc` and npm obeys `.npmrc`, although both may also hold
// secrets.
func TestMerelySecret(t *testing.T) {
	for object, want := range map[string]bool{
		"vault:/.env": true, "vault:/a/prod.env.local": true, "vault:/server.key": true, "vault:/id_rsa": true, "vault:/.netrc": true,
		"vault:/.envrc": false, "vault:/sub/.envrc": false, "vault:/.ENVRC": false, "vault:/.npmrc": false, "vault:/.vscode/x.env": false,
		"vault:/.git/hooks/x.key": false, "vault:/a.go": false, "": false,
	} {
		if got := MerelySecret(object); got != want {
			t.Errorf("%s: %v", object, got)
		}
	}
}
