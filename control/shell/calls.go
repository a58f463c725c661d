package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// call reads one simple command of the syntax tree.
func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect, sc *scope, depth int) {
	if r.seen[c] {
		return
	}
	r.seen[c] = true
	outer := sc.maybe
	sc.maybe = outer || len(c.Args) > 0 // then it is set for this command only
	for _, a := range c.Assigns {
		r.assign(a, sc, depth, false)
	}
	sc.maybe = outer
	if len(c.Args) == 0 {
		return
	}
	if len(r.s.Commands) >= maxCommands {
		r.s.AddUncertain(said.That("the command contains more commands than can be checked"))
		return
	}
	for _, w := range c.Args {
		r.substitutions(w, sc, depth)
	}
	inner := *sc
	inner.piped = inner.piped || feedsInput(redirs)
	if text, ok := r.fed(redirs, sc); ok {
		inner.stdin = text
	}
	var shown []string
	for _, a := range c.Assigns {
		shown = append(shown, a.Name.Value+"="+r.rawAssign(a))
	}
	start := len(r.s.Commands)
	r.m.worlds(c.Args, func(first bool) {
		line := r.line(c, sc)
		if !first {
			again := *sc
			again.stdin, again.piped = inner.stdin, inner.piped
			r.simple(strings.Join(append(shown[:len(c.Assigns):len(c.Assigns)], line.shown...), " "), line.argv, &again, depth, r.level)
			if !slices.Contains(inner.other, again.dir) && len(inner.other) < maxDirs {
				inner.other = append(inner.other, again.dir)
			}
			return
		}
		shown = append(shown, line.shown...)
		cmd := r.simple(strings.Join(shown, " "), line.argv, &inner, depth, r.level)
		if (line.listing || sc.listing && cmd.Dynamic) && !namesOnly.has(cmd.Known) && !isWrapper(cmd.Known) {
			cmd.ReadsTree, cmd.Search = true, nil
		}
		if len(c.Assigns) > 0 {
			cmd.Alt = altText(cmd.Head, strings.Join(line.shown[1:], " "))
		}
		if line.bare != nil {
			again := *sc
			r.simple(strings.Join(shown, " "), line.bare, &again, depth, r.level)
		}
	})
	r.s.forgetTwins(start)
	sc.dir, sc.other = inner.dir, inner.other
}

// simple judges one command line, wherever it came from: the script itself, a
// wrapper, find -exec. level counts the wrappers around it.
func (r *reader) simple(text string, argv []arg, sc *scope, depth, level int) *Command {
	cmd := &Command{Text: text, Depth: depth, Head: programName(argv[0].Parts), Known: r.at.known(argv[0].Parts)}
	cmd.byPath = !argv[0].is(cmd.Head)
	r.s.Commands = append(r.s.Commands, cmd)
	if _, rest, found := strings.Cut(text, " "); found {
		cmd.Alt = altText(cmd.Head, rest)
	} else {
		cmd.Alt = cmd.Head
	}
	for _, a := range argv[1:] {
		cmd.Args = append(cmd.Args, a.Parts)
		cmd.Dynamic = cmd.Dynamic || a.unsure()
	}
	cmd.likely = guesses(cmd.Args)
	if harmlessHeads.has(cmd.Known) {
		cmd.Dynamic = false
	}
	if runsProgramText(cmd) || sc.piped && obeysInput(cmd) {
		cmd.Dynamic = true
	}
	if !cmd.byPath && r.at.planted(cmd.Head) {
		cmd.Known, cmd.RelativeProgram, cmd.Dynamic = "", true, true
	}
	if argv[0].holds("/") && cmd.Known == "" {
		if !argv[0].begins("/") && len(r.at.Roots) > 0 && sc.dir != path.Clean(r.at.Roots[0]) {
			cmd.RelativeProgram, cmd.Dynamic = true, true
		}
		r.uses.pathWord("read", argv[0].Parts, "", sc)
	}
	r.noteRan(cmd, argv[0].Parts, sc)
	cmd.Reaching = reachingOptions(cmd)
	cmd.Unlisted = unlisted(cmd)
	cmd.Network, cmd.Git = usesNetwork(cmd), changesRepository(cmd)
	if cmd.ReadsTree = sweepsFiles(cmd); cmd.ReadsTree {
		cmd.Search = searched(cmd, argv[1:])
	}
	cmd.Prints = gitPrints(cmd)
	cmd.RunsOthers = isInterpreter(cmd.Head)
	r.s.Network, r.s.Git = r.s.Network || cmd.Network, r.s.Git || cmd.Git
	r.uses.arguments(cmd, argv, sc)
	r.uses.programFiles(cmd, argv, sc)
	r.hard.check(cmd, sc)
	r.dirs.follow(cmd, argv, sc)
	r.names(cmd, argv, sc, depth)
	r.called(cmd, argv, sc)
	r.unwrap(cmd, argv, sc, depth, level)
	r.programText(cmd, argv, sc)
	if text := r.m.fileText(argv[0], sc); len(text) > 0 && argv[0].holds("/") && level < maxWrapperDepth {
		inner := *sc
		r.text([]arg{{Parts: text}}, &inner, depth, level)
	}
	if cmd.Head == "tee" && len(sc.stdin) > 0 {
		for _, a := range argv[1:] {
			if !a.begins("-") {
				r.m.keepFile(a.Parts, sc.stdin, sc)
			}
		}
	}
	return cmd
}
