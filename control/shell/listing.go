package shell

import (
	"regexp"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// listsFiles says that the last program of a statement prints names of files,
// or passes on what one printed.
func (r *reader) listsFiles(s *syntax.Stmt, sc *scope) bool {
	if pipe, ok := s.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		if r.listsFiles(pipe.Y, sc) {
			return true
		}
		first, ok := pipe.X.Cmd.(*syntax.BinaryCmd) // only what feeds it, and what feeds that
		if ok {
			return r.listsFiles(first.Y, sc) && !r.keepsOut(pipe.Y, sc) || r.listing(first.X, sc) && !r.keepsOut(first.Y, sc) && !r.keepsOut(pipe.Y, sc)
		}
		return r.listsFiles(pipe.X, sc) && !r.keepsOut(pipe.Y, sc)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	var args []Parts
	for _, w := range call.Args[1:] {
		args = append(args, r.value(w, sc).fields...)
	}
	return lists(programName(r.value(call.Args[0], sc).Parts), args)
}

// listing says that a statement is one program that lists files.
func (r *reader) listing(s *syntax.Stmt, sc *scope) bool {
	if pipe, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		for range maxWrapperDepth {
			x, more := pipe.X.Cmd.(*syntax.BinaryCmd)
			if !more {
				break
			}
			pipe = x
		}
		s = pipe.X
	}
	_, pipe := s.Cmd.(*syntax.BinaryCmd)
	return !pipe && r.listsFiles(s, sc)
}

// keepsOut says that a filter lets through only names that are not sensitive:
// grep '\.go$'.
func (r *reader) keepsOut(s *syntax.Stmt, sc *scope) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || call.Args[0].Lit() != "grep" {
		return false
	}
	text, ok := r.value(call.Args[1], sc).Text()
	re, err := regexp.Compile(text)
	return ok && err == nil && !matchesSensitive(re)
}

// listed is what find and ls plainly list below "/" or the home directory, so
// that `find / | xargs rm -rf` is seen.
func (r *reader) listed(s *syntax.Stmt, sc *scope) Parts {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil
	}
	var argv, names []Parts
	for _, w := range call.Args {
		argv = append(argv, r.value(w, sc).fields...)
	}
	args := argv[1:]
	switch {
	case argv[0].is("find") && !narrowed(args):
		names = findStarts(args)
	case argv[0].is("ls") && hasShortOption(guesses(args), 'd', "--directory"):
		names = args
	}
	if i := slices.IndexFunc(names, func(name Parts) bool { return r.isRoot(name, sc, true) }); i >= 0 {
		return names[i]
	}
	return nil
}
