package changes

import "io/fs"

// Folder is a directory that is followed with all that its rules do not leave out.
type Folder struct {
	Path  string // absolute, without links
	Rules Rules  // for the names in it; never nil
}

// Rules say what is nobody's business. What a look found is used again by the next
// as long as the rules are ==, and of two that are deeply equal the older is taken.
type Rules interface {
	// Skips says whether what is at an absolute path is left out, with all that
	// is below it. Directories above it were asked about before.
	Skips(path string, dir bool) bool
	// In are the rules for the names in dir, which holds entries: the same value
	// where dir has none of its own. own says that files in dir make rules, so that
	// these have to be asked for again although dir is the same.
	In(dir string, entries []fs.DirEntry) (rules Rules, own bool)
}
