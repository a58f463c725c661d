package fileuri

import (
	"runtime"
	"testing"
)

func TestPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		const path, uri = `C:\a b\ü.go`, "file:///C:/a%20b/%C3%BC.go"
		if got, ok := Path(uri); Of(path) != uri || !ok || got != path {
			t.Errorf("%s → %s → %s", path, Of(path), got)
		}
		return
	}
	for _, path := range []string{"/a b/ü%23#?.go", "/x+y&z=1", "/日本/語"} {
		if got, ok := Path(Of(path)); !ok || got != path {
			t.Errorf("%s → %s → %s", path, Of(path), got)
		}
	}
	for uri, want := range map[string]string{
		"file:///a%20b": "/a b", "FILE:///a": "/a", "file://localhost/a": "/a", "file:/a": "/a", "file:///a/../b": "/b",
		"untitled:Untitled-1": "", "vscode-notebook-cell:/a#x": "", "file://host/a": "", "http://x/a": "", "file:": "", "file:a": "", "": "", "file:///a%00b": "", "%zz": "",
	} {
		if way, _ := Way(uri); uri != "file:///a/../b" && way != want || uri == "file:///a/../b" && way != "/a/../b" {
			t.Errorf("the way of %s is %q", uri, way)
		}
		got, ok := Path(uri)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", uri, got, ok)
		}
	}
}
