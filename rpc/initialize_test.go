package rpc

import (
	"fmt"
	"runtime"
	"testing"
)

// A folder is what its URI names on this machine, and documents are read by the
// same rules: what lies on another host is no folder, though it has a path.
func TestFoldersOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	at := func(uris ...string) (p initializeParams) {
		for _, uri := range uris {
			p.WorkspaceFolders = append(p.WorkspaceFolders, wireFolder{URI: uri})
		}
		return p
	}
	root := func(uri, path string) initializeParams { return initializeParams{RootURI: &uri, RootPath: &path} }
	for _, row := range []struct {
		params  initializeParams
		folders string
		ignored string
	}{
		{at("file:///a/b", "file:///c%20d/"), "[{b /a/b file:///a/b} {c d /c d file:///c%20d/}]", "[]"},
		{at("FILE:///a", "file://localhost/b", "file:/c"), "[{a /a FILE:///a} {b /b file://localhost/b} {c /c file:/c}]", "[]"},
		{at("file:///a", "file://host/etc", "untitled:x", "file:///a%00b", "file:x", ""), "[{a /a file:///a}]", "[file://host/etc untitled:x file:///a%00b file:x ]"},
		{root("file:///a", "/b"), "[{a /a file:///a}]", "[]"},
		{root("", "/b c"), "[{b c /b c file:///b%20c}]", "[]"},
		{root("", "b"), "[]", "[]"},
	} {
		folders, ignored := foldersOf(row.params)
		if fmt.Sprint(folders) != row.folders || fmt.Sprint(ignored) != row.ignored {
			t.Errorf("got %v, ignored %v\nwant %s, ignored %s", folders, ignored, row.folders, row.ignored)
		}
	}
}
