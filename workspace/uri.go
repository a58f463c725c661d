package workspace

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// fileURI is the file URI of an absolute path.
func fileURI(abs string) string {
	p := filepath.ToSlash(abs)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// pathOfURI is the absolute, clean path of a file URI. ok is false for every
// other scheme (`untitled:`, `vscode-notebook-cell:`), for another host, and
// for what names no path.
func pathOfURI(uri string) (abs string, ok bool) {
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
	if sane(p) != nil || !filepath.IsAbs(p) {
		return "", false
	}
	return filepath.Clean(p), true
}
