package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// directories are every one that a cd may lead to, for words that are paths.
type directories struct {
	s    *Script
	at   *Place
	m    *memory
	list []string
}

// follow keeps the directory as cd and its like change it. Every directory that
// was ever current is also kept, because a cd can fail.
func (d *directories) follow(cmd *Command, argv []arg, sc *scope) {
	for i, a := range cmd.Args {
		switch {
		case !a.begins("-"):
		case a.in("-C --directory --git-dir --work-tree --chdir") && i+1 < len(cmd.Args):
			d.enter(cmd.Args[i+1], argv[i+2].unsure(), sc, chdir)
		case a.begins("--directory="), a.begins("-C") && !a.is("-C") && cmd.Head != "grep" && cmd.Head != "rg":
			_, dir, _ := a.cut("=C")
			d.enter(dir, argv[i+1].unsure(), sc, chdir)
		}
	}
	switch cmd.Known {
	case "shopt":
		if slices.ContainsFunc(cmd.Args, func(a Parts) bool { return a.in("cdable_vars cdspell") }) {
			d.s.AddUncertain(said.That("the command changes where cd looks"))
		}
	case "cd", "pushd":
		if _, set := d.m.lookup("CDPATH"); set {
			d.s.AddUncertain(said.That("the command changes where cd looks"))
		}
		var dir *arg
		how := byText
		for i := range argv[1:] {
			if a := &argv[1+i]; !a.begins("-") || a.is("-") {
				dir = a
			} else if a.holds("P") {
				how = byKernel
			}
		}
		switch {
		case dir == nil && cmd.Head == "cd" && d.at.Home != "":
			d.enter(known(d.at.Home), false, sc, how)
		case dir == nil || dir.is("-") || dir.begins("+"):
			// Somewhere the script has been before: all of that is kept.
			sc.dir = ""
		default:
			d.enter(dir.Parts, dir.unsure() || dir.wild(), sc, how)
		}
	case "popd":
		sc.dir = ""
	}
}

func (d *directories) enter(word Parts, open bool, sc *scope, how moving) {
	stay := how != chdir
	dir, ok := word.Text()
	if !ok || open && !strings.HasPrefix(dir, "/") {
		d.s.AddUncertain(said.That("the command changes into a directory that is only known when it runs"))
		if stay {
			sc.dir = ""
		}
		return
	}
	if open {
		d.s.AddUncertain(said.That("the command changes into a directory that is only known when it runs"))
	}
	target, also := d.at.goes(sc.dir, dir, how)
	if len(d.list) >= maxDirs || len(target) > maxValueLength {
		d.s.AddUncertain(tooManyDirs)
		if stay {
			sc.dir = target[:min(len(target), maxValueLength)]
		}
		return
	}
	before := sc.other
	if stay {
		other := slices.Clone(also)
		if (sc.maybe || !sc.sure) && sc.dir != "" && sc.dir != target {
			other = append(other, sc.dir) // it may fail
		}
		for _, from := range sc.other {
			if !strings.HasPrefix(dir, "/") {
				to, also := d.at.goes(from, dir, how)
				other = append(append(other, to), also...)
			} else if sc.maybe || !sc.sure {
				other = append(other, from)
			}
		}
		if other = slices.Compact(slices.Sorted(slices.Values(other))); len(other) > maxDirs {
			d.s.AddUncertain(tooManyDirs)
			other = other[:maxDirs]
		}
		sc.other = other
	}
	if !strings.HasPrefix(dir, "/") {
		from := before
		if sc.anywhere || sc.dir == "" || !stay {
			from = slices.Clone(d.list)
		}
		for _, from := range from {
			to, more := d.at.goes(from, dir, how)
			d.reach(append(more, to), stay)
		}
	}
	d.reach(append(also, target), stay)
	if stay {
		sc.dir = target
	}
}

// reach notes directories that a command may be in.
func (d *directories) reach(dirs []string, stay bool) {
	for _, dir := range dirs {
		if stay && dir != "" {
			d.s.use(Use{Domain: "read", Word: dir, Head: "cd"})
		}
		d.add(dir)
	}
}

var tooManyDirs = said.That("the command changes its directory too often to be followed")

func (d *directories) add(dir string) {
	if dir == "" || slices.Contains(d.list, dir) {
		return
	}
	if len(d.list) >= maxDirs {
		d.s.AddUncertain(tooManyDirs)
		return
	}
	d.list = append(d.list, dir)
}
