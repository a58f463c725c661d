package tool

// Walk is where a path leads, followed as the kernel does: a component, then the link
// that it is, then ".." from where that really led. Who decides about a path is told
// what was met on the way; who opens it goes the same way.
type Walk struct {
	// Objects are to be judged ("vault:/a.go", "fs:/etc/passwd"): other names of the
	// same file, what the path seems to be as a text, each link on the way, the end, and
	// each directory that a link led to before "..".
	Objects []string
	// Paths are the same places but for other names of the file, absolute and clean, the
	// end last.
	Paths  []string
	Dir    bool // a directory is at the end
	Exists bool // something is there, be it a link that leads nowhere
	// Missing is the absolute path of what is not there and has ".." behind it, "" where
	// all is there. Anyone who makes a link there decides where the path leads.
	Missing string
	// Gap is the absolute path of what is not there and has a name behind it.
	Gap string
	// Unknown is why nobody can tell where the path leads, "" where that is known. Magic
	// says that it is because of links that are others for each process.
	Unknown string
	Magic   bool
}

// End is the place that the path leads to, "" where there is none.
func (w Walk) End() string {
	if len(w.Paths) == 0 {
		return ""
	}
	return w.Paths[len(w.Paths)-1]
}
