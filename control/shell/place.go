package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
)

// Place is where a text would run, and what is known about files there. Its
// paths are absolute.
type Place struct {
	Dir   string   // where the text starts
	Home  string   // the person's home directory, "" when it is not known
	Roots []string // the folders of the workspace, the first one first
	// Protected says that writing an object ("vault:/.git/config") is to be seen
	// even where it is not certain. nil: every object is such.
	Protected func(object string) bool
	// Program says that an absolute path is what PATH finds for its base name, and is
	// no file of the workspace. nil: no path is.
	Program func(path string) bool
	// Planted says that PATH finds a bare name where commands may put another program.
	// nil: no name is found there.
	Planted func(name string) (planted, shadows bool)
	// Walk says where an absolute path leads. nil: it is taken as a text.
	Walk func(path string) paths.Walk
	// Hidden says that a person cannot see a character. nil: nobody sees any.
	Hidden func(rune) bool
}

// known is the name of a program for the lists of what is harmless. A word with a
// directory is the program of that name only where PATH finds just that file.
func (at *Place) known(p Parts) string {
	name := programName(p)
	if word, _ := p.Text(); name == word || path.IsAbs(word) && at.Program != nil && at.Program(word) {
		return name
	}
	return ""
}

// ofBash are programs of the lists that bash has itself, so that it looks in no PATH.
var ofBash = words("echo printf test [ pwd cd true false : type")

// planted says that a program may be another one here than the name says: one that is
// known to be harmless, or that is in front of another in PATH.
func (at *Place) planted(name string) bool {
	if at.Planted == nil || ofBash.has(name) {
		return false
	}
	planted, shadows := at.Planted(name)
	_, starts := wrappers[name]
	return planted && (shadows || starts || readersListed.has(name) || harmlessHeads.has(name))
}

// namesProtected says that a word, or what is behind "=" or ":" in it, reads
// like the path of a protected file. Whether it is one is asked later.
func (at *Place) namesProtected(word string, sc *scope) bool {
	if i := strings.LastIndexAny(word, "=:"); i >= 0 {
		word = word[i+1:]
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		word = word[2:]
	}
	return word != "" && slices.ContainsFunc(append(at.place(word, sc).Paths, path.Clean("/"+word)), func(p string) bool { return at.Protected("vault:" + p) })
}

// moving is how a command changes its directory.
type moving int

const (
	chdir    moving = iota // a program does, for itself
	byText                 // cd: the shell takes ".." off the name that it has for the directory
	byKernel               // cd -P
)

// goes is where dir leads, seen from a directory, and where else it may lead: bash takes
// the kernel's way where its own one is no directory, and an option turns that round.
func (at *Place) goes(from, dir string, how moving) (to string, also []string) {
	if from == "" && !path.IsAbs(dir) {
		return "", nil
	}
	raw := paths.Below(from, dir)
	text := path.Clean(raw)
	if !paths.GoesUp(raw) && how != byKernel {
		return text, nil
	}
	real := at.walk(raw)
	end := real.End()
	switch {
	case real.Magic:
		return raw, []string{text}
	case how == byText:
		to, end = text, cmp.Or(end, text)
	default:
		to, end = end, text
	}
	// Another name of the same place says nothing new.
	if end != to && at.walk(end).End() != at.walk(to).End() {
		also = append(also, end)
	}
	return to, also
}

func (at *Place) isRoot(p Parts, sc *scope, home bool) bool {
	word, ok := ownProcess(p).Text()
	if !ok || word == "" {
		return false
	}
	if word == "~" || strings.HasPrefix(word, "~/") { // no home is known, or the tilde came from inside
		if at.Home == "" {
			return home && paths.OnlyWild(word[1:])
		}
		word = at.Home + word[1:]
	}
	if home && at.Home == "" && strings.HasPrefix(word, "$HOME") {
		return paths.OnlyWild(strings.TrimPrefix(word, "$HOME"))
	}
	if home && len(word) > 1 && word[0] == '~' && paths.OnlyWild(strings.TrimLeft(word[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-")) {
		return true // somebody's home directory
	}
	if at.leadsToRoot(at.place(word, sc), home) {
		return true
	}
	if strings.HasPrefix(word, "/") {
		return false
	}
	return slices.ContainsFunc(sc.other, func(dir string) bool { return at.leadsToRoot(at.placeIn(dir, word), home) })
}

// leadsToRoot says that a path names "/" or the home directory on its way, or that
// nobody can tell.
func (at *Place) leadsToRoot(w paths.Walk, home bool) bool {
	return w.Magic || slices.ContainsFunc(w.Paths, func(p string) bool { return at.coversRoot(p, home) })
}

// coversRoot says that a path is "/" or (home) the home directory or around it.
func (at *Place) coversRoot(p string, home bool) bool {
	for p != "/" && p != "" && paths.OnlyWild(path.Base(p)) {
		p = path.Dir(p)
	}
	return p == "/" || home && p != "" && at.Home != "" && paths.Inside(path.Clean(at.Home), p)
}

func (at *Place) mayFill(target paths.Walk) bool {
	outside := func(p string) bool {
		return !slices.ContainsFunc(append([]string{"/tmp", "/var/tmp"}, at.Roots...), func(dir string) bool { return paths.Inside(p, dir) && p != dir })
	}
	return len(target.Paths) > 0 && !target.Magic && !slices.ContainsFunc(target.Paths, outside)
}

var blockDevices = []string{
	"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "loop", "sr", "nbd", "zram", "mem", "kmem", "port", "block/",
}

// isDevice says that a word leads to a block device, or has the name of one where nobody
// can tell.
func (at *Place) isDevice(word string, sc *scope) bool {
	w := at.place(word, sc)
	return slices.ContainsFunc(w.Paths, isBlockDevice) || w.Magic && isBlockDevice("/dev/"+path.Base(word))
}

// isBlockDevice goes by the name: what is behind it is not looked at.
func isBlockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	return ok && slices.ContainsFunc(blockDevices, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// walk follows an absolute path, or reads it as a text where nobody can follow it.
func (at *Place) walk(p string) paths.Walk {
	if paths.HarmlessDevice(p) {
		return paths.Walk{Paths: []string{p}}
	}
	w := paths.AsText(p)
	if at.Walk == nil {
		return w
	}
	real := at.Walk(p)
	real.Magic = real.Magic || w.Magic
	if len(real.Paths) == 0 || !slices.Contains(real.Paths, w.Paths[0]) {
		real.Paths = append(w.Paths, real.Paths...)
	}
	return real
}

// place is where a word leads; it is nowhere where the directory is not known.
func (at *Place) place(word string, sc *scope) paths.Walk { return at.placeIn(sc.dir, word) }

func (at *Place) placeIn(dir, word string) paths.Walk {
	if dir == "" && !path.IsAbs(word) {
		return paths.Walk{}
	}
	w := at.walk(paths.Below(dir, word))
	// What a wildcard stands for may be a link.
	if i := strings.IndexAny(word, "*?["); i >= 0 && paths.GoesUp(word[i:]) {
		w.Magic = true
	}
	return w
}

// realPath is where an absolute path leads. What is something else for each process
// stays as it is, for anyone who is given it.
func (at *Place) realPath(p Parts) Parts {
	text, ok := p.Text()
	if !ok {
		return p.literal()
	}
	to := at.walk(text)
	if to.Magic {
		return known(text)
	}
	return known(to.End())
}

// ownProcess takes a process that is not known for this one: /proc/$$.
func ownProcess(p Parts) Parts {
	if p.lead() != "/proc/" || !p.isOpen() {
		return p
	}
	i := slices.IndexFunc(p, func(q part) bool { return q.open })
	return slices.Concat(known("/proc/self"), p[i+1:])
}
