package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Trust is by resolved path: not for what lies inside a trusted folder, and all
// folders of the workspace need it.
func TestTrustOfFolders(t *testing.T) {
	s, path := openStore(t, "-")
	if s.Trusted("") || s.TrustedAll(nil) || s.TrustedAll([]string{"/v/a"}) {
		t.Error("trusted although nobody said so")
	}
	if err := s.TrustWorkspace("/v/a/"); err != nil {
		t.Fatal(err)
	}
	again, err := Open(filepath.Dir(path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Store{s, again} {
		for _, row := range []struct {
			roots []string
			asked []string
		}{
			{[]string{"/v/a"}, nil}, {[]string{"/v/a/"}, nil}, {[]string{"/v/a/b"}, []string{"/v/a/b"}}, {[]string{"/v"}, []string{"/v"}}, {[]string{"/v/ab"}, []string{"/v/ab"}},
			{[]string{"/v/a", "/w"}, []string{"/w"}}, {[]string{"/w", "/v/a"}, []string{"/w"}}, {[]string{"/w", "/x"}, []string{"/w", "/x"}},
		} {
			if got := of.Untrusted(row.roots); !slices.Equal(got, row.asked) || of.TrustedAll(row.roots) != (len(row.asked) == 0) {
				t.Errorf("%v: %v", row.roots, got)
			}
		}
	}
	s.SetClientTrust(true)
	if !s.TrustedAll([]string{"/w", "/x"}) || !s.TrustedAll(nil) || again.TrustedAll([]string{"/w"}) {
		t.Error("the editor's word is for its own process and all of its folders")
	}
	if strings.Contains(read(t, path), "/w") {
		t.Error("the editor's word was written down")
	}
	if s.SetClientTrust(false); s.TrustedAll([]string{"/w"}) {
		t.Error("trusted although the editor took it back")
	}
	if s, err := Open(t.TempDir(), Options{TrustClient: true}); err != nil || !s.Trusted("/x") {
		t.Error("--trust-client trusts the folder", err)
	}
}
