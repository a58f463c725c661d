package control

import (
	"path"
	"slices"
	"strings"
)

// follow keeps the directory as cd and its like change it (ruling 92). Every
// directory that was ever current is also kept, because a cd can fail.
func (r *reader) follow(cmd *command, argv []arg, sc *scope) {
	for i, a := range cmd.args {
		if (a == "-C" || a == "--directory" || a == "--git-dir" || a == "--work-tree" || a == "--chdir") && i+1 < len(cmd.args) {
			r.enter(cmd.args[i+1], argv[i+2].open, sc, false)
		} else if dir, ok := strings.CutPrefix(a, "--directory="); ok {
			r.enter(dir, argv[i+1].open, sc, false)
		} else if dir, ok := strings.CutPrefix(a, "-C"); ok && dir != "" && cmd.head != "grep" && cmd.head != "rg" {
			r.enter(dir, argv[i+1].open, sc, false)
		}
	}
	switch cmd.head {
	case "cd", "pushd":
		var dir *arg
		for i := range argv[1:] {
			if a := &argv[1+i]; !strings.HasPrefix(a.text, "-") || a.text == "-" {
				dir = a
			}
		}
		switch {
		case dir == nil && cmd.head == "cd" && r.userHome != "":
			r.enter(r.userHome, false, sc, true)
		case dir == nil || dir.text == "-" || strings.HasPrefix(dir.text, "+"):
			// Somewhere the script has been before: all of that is kept.
			sc.dir = ""
		default:
			r.enter(dir.text, dir.open || dir.glob, sc, true)
		}
	case "popd":
		sc.dir = ""
	}
}

func (r *reader) enter(dir string, open bool, sc *scope, stay bool) {
	if strings.Contains(dir, unknownPart) || open && !strings.HasPrefix(dir, "/") {
		r.s.doubt("the command changes into a directory that is only known when it runs")
		if stay {
			sc.dir = ""
		}
		return
	}
	if open {
		r.s.doubt("the command changes into a directory that is only known when it runs")
	}
	target := r.resolve(dir, sc)
	if len(r.dirs) >= maxDirs || len(target) > maxValueLength {
		r.s.doubt(tooManyDirs)
		if stay {
			sc.dir = target[:min(len(target), maxValueLength)]
		}
		return
	}
	before := sc.other
	if stay {
		var other []string
		if (sc.maybe || !sc.sure) && sc.dir != "" && sc.dir != target {
			other = append(other, sc.dir) // it may fail
		}
		for _, from := range sc.other {
			if !strings.HasPrefix(dir, "/") {
				from = cleanPath(from + "/" + dir)
			} else if !sc.maybe && sc.sure {
				continue
			}
			other = append(other, from)
		}
		if other = slices.Compact(slices.Sorted(slices.Values(other))); len(other) > maxDirs {
			r.s.doubt(tooManyDirs)
			other = other[:maxDirs]
		}
		sc.other = other
	}
	if !strings.HasPrefix(dir, "/") {
		from := before
		if sc.anywhere || sc.dir == "" || !stay {
			from = slices.Clone(r.dirs)
		}
		for _, from := range from {
			r.addDir(path.Join(from, dir))
			if stay {
				r.s.uses = append(r.s.uses, pathUse{domain: "read", word: path.Join(from, dir), head: "cd"})
			}
		}
	}
	if stay && target != "" {
		r.s.uses = append(r.s.uses, pathUse{domain: "read", word: target, head: "cd"})
	}
	r.addDir(target)
	if stay {
		sc.dir = target
	}
}

// resolve is the absolute path of a word at this place, "" when it is not
// known.
func (r *reader) resolve(word string, sc *scope) string {
	switch {
	case strings.HasPrefix(word, "/"):
		return cleanPath(word)
	case sc.dir == "":
		return ""
	}
	return cleanPath(sc.dir + "/" + word)
}

// cleanPath also steps through the links in /proc that lead to "/".
func cleanPath(p string) string {
	p = path.Clean(p)
	for _, root := range []string{"/proc/self/root", "/proc/1/root", "/proc/self/task/1/root", "/proc/thread-self/root"} {
		if p == root {
			return "/"
		}
		if rest, ok := strings.CutPrefix(p, root+"/"); ok {
			return "/" + rest
		}
	}
	return p
}

// procPath writes a path in /proc as the shell's own processes see it: any
// process stands for this one, its root is "/" and its directory the current one.
func procPath(p string, sc *scope) string {
	p = strings.Replace(p, "/proc/"+unknownPart, "/proc/self", 1)
	for _, self := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, ok := strings.CutPrefix(p, self+"/cwd"); ok && sc.dir != "" && (rest == "" || rest[0] == '/') {
			return sc.dir + rest
		}
	}
	return cleanPath(p)
}
