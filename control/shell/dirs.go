package shell

import (
	"path"
	"slices"
	"strings"
)

// follow keeps the directory as cd and its like change it (ruling 92). Every
// directory that was ever current is also kept, because a cd can fail.
func (r *reader) follow(cmd *Command, argv []arg, sc *scope) {
	for i, a := range cmd.Args {
		if (a == "-C" || a == "--directory" || a == "--git-dir" || a == "--work-tree" || a == "--chdir") && i+1 < len(cmd.Args) {
			r.enter(cmd.Args[i+1], argv[i+2].open, sc, false)
		} else if dir, ok := strings.CutPrefix(a, "--directory="); ok {
			r.enter(dir, argv[i+1].open, sc, false)
		} else if dir, ok := strings.CutPrefix(a, "-C"); ok && dir != "" && cmd.Head != "grep" && cmd.Head != "rg" {
			r.enter(dir, argv[i+1].open, sc, false)
		}
	}
	switch cmd.Head {
	case "cd", "pushd":
		var dir *arg
		for i := range argv[1:] {
			if a := &argv[1+i]; !strings.HasPrefix(a.text, "-") || a.text == "-" {
				dir = a
			}
		}
		switch {
		case dir == nil && cmd.Head == "cd" && r.at.Home != "":
			r.enter(r.at.Home, false, sc, true)
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
		r.s.Doubt("the command changes into a directory that is only known when it runs")
		if stay {
			sc.dir = ""
		}
		return
	}
	if open {
		r.s.Doubt("the command changes into a directory that is only known when it runs")
	}
	target := r.resolve(dir, sc)
	if len(r.dirs) >= maxDirs || len(target) > maxValueLength {
		r.s.Doubt(tooManyDirs)
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
				from = CleanPath(from + "/" + dir)
			} else if !sc.maybe && sc.sure {
				continue
			}
			other = append(other, from)
		}
		if other = slices.Compact(slices.Sorted(slices.Values(other))); len(other) > maxDirs {
			r.s.Doubt(tooManyDirs)
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
				r.s.Uses = append(r.s.Uses, Use{Domain: "read", Word: path.Join(from, dir), Head: "cd"})
			}
		}
	}
	if stay && target != "" {
		r.s.Uses = append(r.s.Uses, Use{Domain: "read", Word: target, Head: "cd"})
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
		return CleanPath(word)
	case sc.dir == "":
		return ""
	}
	return CleanPath(sc.dir + "/" + word)
}
