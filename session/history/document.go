package history

import (
	"net/url"
	"strings"
)

// The schemes of documents that only the server can give, as far as a log names them.
const (
	DiffScheme       = "agent-diff"
	CheckpointScheme = "agent-checkpoint"
)

// DocumentURI is the URI of a document of ours. It ends with the path of a file, so
// that editors show its name and know its language.
func DocumentURI(scheme string, parts ...string) string {
	return (&url.URL{Scheme: scheme, Path: "/" + strings.Join(parts, "/"), OmitHost: true}).String()
}

// DocumentParts reads what DocumentURI wrote, also where an editor has spelt it anew:
// what its path consists of, between slashes.
func DocumentParts(uri string) (scheme string, parts []string) {
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" || !strings.HasPrefix(u.Path, "/") {
		return "", nil
	}
	return u.Scheme, strings.Split(u.Path[1:], "/")
}
