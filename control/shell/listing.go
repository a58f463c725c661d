package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// listsFiles says that a program in a statement prints names of files: what it feeds, by
// whatever filters, may be given any of them.
func (ev *evaluator) listsFiles(s *syntax.Stmt, sc *scope) bool {
	found := false
	if pipe, ok := s.Cmd.(*syntax.BinaryCmd); ok { // of a long pipe each part is asked once
		if _, known := ev.lists[s]; !known {
			ev.lists[s] = ev.listsFiles(pipe.X, sc) || ev.listsFiles(pipe.Y, sc)
		}
		return ev.lists[s]
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || found {
			return !found
		}
		var args []Parts
		for _, w := range call.Args[1:] {
			args = append(args, ev.value(w, sc).fields...)
		}
		found = lists(programName(ev.value(call.Args[0], sc).Parts), args)
		return true
	})
	return found
}

// listed is what find and ls plainly list below "/" or the home directory, so
// that `find / | xargs rm -rf` is seen.
func (ev *evaluator) listed(s *syntax.Stmt, sc *scope) Parts {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil
	}
	var argv, names []Parts
	for _, w := range call.Args {
		argv = append(argv, ev.value(w, sc).fields...)
	}
	args := argv[1:]
	switch {
	case argv[0].is("find") && !narrowed(args):
		names = findStarts(args)
	case argv[0].is("ls") && hasShortOption(guesses(args), 'd', "--directory"):
		names = args
	}
	if i := slices.IndexFunc(names, func(name Parts) bool { return ev.at.isRoot(name, sc, true) }); i >= 0 {
		return names[i]
	}
	return nil
}
