package shell

import "testing"

func TestWords(t *testing.T) {
	w := words("rm mv [ -exec\n\trmdir git")
	for word, want := range map[string]bool{
		"rm": true, "mv": true, "[": true, "-exec": true, "rmdir": true, "git": true,
		"": false, "r": false, "m": false, "rmd": false, "xec": false, "exec": false, "rm mv": false, "gi": false, "it": false, "GIT": false, " ": false, "rm ": false,
	} {
		if w.has(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}
