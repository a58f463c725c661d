package workspace

import "github.com/agent-sidecar/agent-sidecar/internal/fileuri"

// pathOfURI is the path of a file URI; ok is false also where no tool could name
// such a path.
func pathOfURI(uri string) (abs string, ok bool) {
	if abs, ok = fileuri.Way(uri); !ok || sane(abs) != nil {
		return "", false
	}
	return abs, true
}
