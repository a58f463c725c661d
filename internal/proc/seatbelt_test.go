package proc

import (
	"slices"
	"strings"
	"testing"
)

// TestSeatbeltProfile holds the text for macOS's sandbox-exec, which no test has
// run.
func TestSeatbeltProfile(t *testing.T) {
	profile := seatbeltProfile(Confinement{
		Level: Seatbelt, Write: []string{"/Users/a/p", `/Users/a/q "x"\y`}, ReadOnly: []string{"/Users/a/p/.git/hooks"},
		Hidden: []string{"/Users/a/.ssh", "/Users/a/.agent-sidecar"}, Shown: []string{"/Users/a/.ssh/known"}, Temp: "/private/tmp/t",
	})
	// The last rule that matches counts.
	inOrder := []string{
		"(version 1)", "(allow default)", "(deny file-write*)", "(deny network*)",
		`(deny file-read* file-write* (subpath "/Users/a/.ssh"))`,
		`(deny file-read* file-write* (subpath "/Users/a/.agent-sidecar"))`,
		`(allow file-read* (subpath "/Users/a/.ssh/known"))`,
		`(deny file-write* (subpath "/Users/a/p/.git/hooks"))`,
		`(allow file-read* file-write* (subpath "/private/tmp/t"))`,
	}
	at := 0
	for _, rule := range inOrder {
		i := strings.Index(profile[at:], rule)
		if i < 0 {
			t.Fatalf("%s is missing, or too early, in\n%s", rule, profile)
		}
		at += i
	}
	for _, rule := range []string{`(allow file-read* file-write* (subpath "/Users/a/p"))`, `(subpath "/Users/a/q \"x\"\\y")`} {
		if !strings.Contains(profile, rule) {
			t.Errorf("%s is missing in\n%s", rule, profile)
		}
	}
	if strings.Index(profile, `"/Users/a/p"))`) > strings.Index(profile, ".git/hooks") {
		t.Errorf("the folder comes after what is protected in it:\n%s", profile)
	}
	if strings.Count(profile, "(") != strings.Count(profile, ")") {
		t.Errorf("parentheses:\n%s", profile)
	}
	open := seatbeltProfile(Confinement{Level: Seatbelt, Network: true})
	if strings.Contains(open, "(deny network*)") || !strings.Contains(open, "(deny network-outbound (remote unix-socket))") {
		t.Errorf("with the network:\n%s", open)
	}
}

// TestPlaces: the deepest place counts, and of one path the strictest. What is hidden or
// read-only shows nothing by itself.
func TestPlaces(t *testing.T) {
	c := Confinement{
		Read: []string{"/usr", "/h"}, Write: []string{"/v", "/h/cache"}, ReadOnly: []string{"/v/.git/hooks", "/absent/.git", "/v/secret/config"},
		Hidden: []string{"/h", "/v/secret", "/run", "/u/key"}, Shown: []string{"/h/x/y"}, Temp: "/t",
		Own: []Own{{From: "/t/home", At: "/u", Write: true}, {From: "/t/gitconfig", At: "/u/.gitconfig"}},
	}
	views := map[view]string{hidden: "hidden", shown: "shown", writable: "writable", readOnly: "read-only"}
	var got []string
	for _, p := range c.places() {
		got = append(got, p.path+" "+views[p.is])
	}
	want := []string{
		"/usr shown", "/h shown", "/tmp writable", "/u writable", "/v writable", "/h hidden", "/var/tmp writable", "/u/.gitconfig shown", "/h/cache writable",
		"/v/secret hidden", "/v/.git/hooks read-only", "/h/x/y shown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
