package seam

import "github.com/agent-sidecar/agent-sidecar/workspace/mirror"

// What is said where the files of a worker are kept the same as those of the sidecar's
// machine, see package mirror.

// ToTake asks for a commit of the files as they are, which is kept under the names of a session
// and a run.
type ToTake struct{ Session, Run string }

// Taken is what the files are, and what they were when both sides knew last: the zero State
// where nothing was sent yet. Head is the last commit of the sidecar's repository that is known.
type Taken struct {
	Laid, Now mirror.State
	Head      string
}

// ToBundle asks for a commit, as a file of the given size that SyncRead reads. Have are
// commits that the sidecar has.
type ToBundle struct {
	Commit string
	Have   []string
}

// BundlePiece is a part of a bundle that is read or written at an offset; a Size says how much is wanted.
type BundlePiece struct {
	At   int64
	Size int
	Data []byte
}

// ToLay asks for the files to become those of To, which comes in the bundle that was
// written, or where there is none is known. They must still be those of Now.
type ToLay struct {
	To      mirror.State
	Bundled bool
	Now     mirror.State
	Head    string
	Branch  string
}
