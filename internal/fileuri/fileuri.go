// Package fileuri says what path a file URI names, and which URI names a path. It
// looks at no file. Folders, documents and links are all read by it, so that none
// of them can be read differently.
package fileuri

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Of is the file URI of an absolute path.
func Of(abs string) string {
	p := filepath.ToSlash(abs)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// Path is the absolute, clean path of a file URI, as a text. ok is false for every other
// scheme (`untitled:`, `vscode-notebook-cell:`), for another host, and for what
// names no path.
func Path(uri string) (abs string, ok bool) {
	if abs, ok = Way(uri); ok {
		abs = filepath.Clean(abs)
	}
	return abs, ok
}

// Way is Path with every ".." as it is written: for anyone who follows the links in it.
func Way(uri string) (abs string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Opaque != "" {
		return "", false
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		if len(p) > 2 && p[0] == '/' && p[2] == ':' {
			p = p[1:]
		} else if u.Host != "" {
			p = "//" + u.Host + p
		}
	} else if u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		return "", false
	}
	p = filepath.FromSlash(p)
	if strings.ContainsRune(p, 0) || !filepath.IsAbs(p) {
		return "", false
	}
	if !slices.Contains(strings.Split(filepath.ToSlash(p), "/"), "..") {
		p = filepath.Clean(p)
	}
	return p, true
}
