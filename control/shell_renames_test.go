package control

import "testing"

// A sensitive file that a script reaches by a name which it makes itself is asked
// about, although that name is not there yet.
func TestSensitiveFilesUnderNamesOfTheScript(t *testing.T) {
	f := baseFacts(allowBash("*")...)
	for command, want := range map[string]Verdict{
		`ls -A | while read f; do cat "$f"; done`:                  Ask,
		`find . -type f | while IFS= read -r f; do cat "$f"; done`: Ask,
		`git ls-files -o | xargs cat`:                              Ask,
		`cat $(git ls-files --others)`:                             Ask,
		`ls -A | while read f; do echo "$f"; done`:                 Allow,
		`find . -name '*.go' | while read f; do cat "$f"; done`:    Allow,
		`git ls-files | xargs cat`:                                 Allow,
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v, want %v: %s", command, d.Verdict, want, d.Reason)
		}
	}
	for command, want := range map[string]Verdict{
		"ln -s . d; cat d/.env":                      Ask,
		"ln -s . d && cd d && cat .env":              Ask,
		"mv sub x; cat x/.env":                       Ask,
		"cp -r sub x; cat x/id_rsa":                  Ask,
		"ln -s ../.git sub/g; cp a.go sub/g/hooks/x": Ask, // seen from the link it is the project's
		"ln -s .. sub/g; echo x > sub/g/.git/config": Ask,
		"ln -s a.go b.go; cat b.go":                  Allow,
		"cat nowhere/.env":                           Allow, // there is nothing
		"ln -s a.go b.go; cat none/readme":           Allow,
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v, want %v: %s", command, d.Verdict, want, d.Reason)
		}
	}
}
