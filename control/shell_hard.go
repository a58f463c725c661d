package control

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hardLimits blocks what never runs, in every mode and whatever the rules say
// (control §2, rulings 34, 67). It also notes what destroys without being a
// hard limit.
func (r *reader) hardLimits(cmd *command, sc *scope) {
	switch head := strings.ToLower(cmd.head); {
	case head == "rm":
		r.hardRemove(cmd, sc)
	case strings.HasPrefix(head, "mkfs"), head == "mke2fs":
		r.s.block(head + " makes a file system")
	case head == "dd":
		r.hardCopy(cmd, sc)
	case head == "format" || head == "format.com":
		if slices.ContainsFunc(cmd.args, isDrive) {
			r.s.block("formatting a drive")
		}
	case head == "shutdown", head == "reboot", head == "halt", head == "poweroff":
		r.s.block(head)
	case head == "systemctl" || head == "loginctl":
		if verb := firstVerb(cmd); verb == "poweroff" || verb == "reboot" || verb == "halt" || verb == "kexec" || verb == "suspend" {
			r.s.block(head + " " + verb)
		}
	case head == "init" || head == "telinit":
		if verb := firstVerb(cmd); verb == "0" || verb == "6" {
			r.s.block(head + " " + verb)
		}
	case head == "chmod", head == "chown", head == "chgrp":
		if hasShortOption(cmd.args, 'R', "--recursive") && r.anyRoot(cmd, sc, false) {
			r.s.block(head + " -R on /")
		}
	case head == "find":
		r.hardFind(cmd, sc)
	case head == "tee", head == "cp", head == "mv", head == "shred", head == "wipefs", head == "blkdiscard", head == "truncate", head == "install":
		for _, a := range cmd.args {
			if isBlockDevice(r.resolve(a, sc)) && (a == cmd.args[len(cmd.args)-1] || head != "cp") {
				r.s.block(head + " on the block device " + a)
			}
		}
	case head == "agent-sidecar" || head == "agent-sidecar.exe":
		r.hardSelf(cmd)
	case head == "git":
		r.destructiveGit(cmd)
	}
}

// hardRemove finds a recursive rm on everything. Without -f it asks nothing
// either when there is no terminal, so the flag does not matter.
func (r *reader) hardRemove(cmd *command, sc *scope) {
	recursive := hasShortOption(cmd.args, 'r', "") || hasShortOption(cmd.args, 'R', "") ||
		slices.ContainsFunc(cmd.args, func(a string) bool { return len(a) > 3 && strings.HasPrefix("--recursive", a) })
	if !recursive {
		return
	}
	r.s.destroys = true
	if r.anyRoot(cmd, sc, true) {
		r.s.block("rm -rf on / or the home directory")
	}
}

// anyRoot says whether an argument is "/", everything in it, or (home) the
// person's home directory, in any spelling.
func (r *reader) anyRoot(cmd *command, sc *scope, home bool) bool {
	options := true
	for _, a := range cmd.args {
		if options && a == "--" {
			options = false
			continue
		}
		if options && strings.HasPrefix(a, "-") {
			continue
		}
		if r.isRoot(a, sc, home) {
			return true
		}
	}
	return false
}

func (r *reader) isRoot(word string, sc *scope, home bool) bool {
	if strings.HasPrefix(word, unknownPart) || word == "" {
		return false
	}
	if word == "~" || strings.HasPrefix(word, "~/") { // no home is known, or the tilde came from inside
		if r.userHome == "" {
			return home && onlyWild(word[1:])
		}
		word = r.userHome + word[1:]
	}
	if home && r.userHome == "" && strings.HasPrefix(word, "$HOME") {
		return onlyWild(strings.TrimPrefix(word, "$HOME"))
	}
	if i := strings.Index(word, unknownPart); i >= 0 {
		return false
	}
	p := r.resolve(word, sc)
	for p != "/" && p != "" && onlyWild(path.Base(p)) {
		p = path.Dir(p)
	}
	return p == "/" || home && r.userHome != "" && p == path.Clean(r.userHome)
}

// onlyWild says that a segment or the rest of a path names everything: "*",
// ".*", "**", "?*", "[a-z]*", "/", "/*".
func onlyWild(s string) bool {
	depth, wild := 0, s == "" || s == "/"
	for _, c := range s {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth > 0:
		case c == '*':
			wild = true
		case c != '?' && c != '.' && c != '/':
			return false
		}
	}
	return wild
}

// hardCopy judges dd: a block device is never written, and zeros go only to a
// file in a root or the temporary directory (ruling 67).
func (r *reader) hardCopy(cmd *command, sc *scope) {
	var in, out string
	for _, a := range cmd.args {
		if v, ok := strings.CutPrefix(a, "of="); ok {
			out = v
		}
		if v, ok := strings.CutPrefix(a, "if="); ok {
			in = v
		}
	}
	target := ""
	if out != "" {
		target = r.resolve(out, sc)
		r.s.uses = append(r.s.uses, pathUse{domain: "edit", word: out, redirect: true})
	}
	switch {
	case isBlockDevice(target):
		r.s.block("dd to the block device " + out)
	case cleanPath(in) == "/dev/zero" && !r.mayFill(target):
		r.s.block("dd from /dev/zero outside the workspace")
	}
}

func (r *reader) mayFill(target string) bool {
	if target == "" {
		return false
	}
	return slices.ContainsFunc(append([]string{"/tmp", "/var/tmp"}, r.roots...), func(dir string) bool {
		return inside(target, dir) && target != dir
	})
}

// hardFind blocks deleting from "/" without a condition that narrows it.
func (r *reader) hardFind(cmd *command, sc *scope) {
	if !slices.Contains(cmd.args, "-delete") {
		return
	}
	r.s.destroys = true
	argv := []arg{{text: "find"}}
	for i, a := range cmd.args {
		argv = append(argv, arg{text: a})
		switch a {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			if i+1 < len(cmd.args) && !onlyWild(cmd.args[i+1]) {
				return
			}
		}
	}
	for _, start := range findStarts(argv) {
		if r.isRoot(start, sc, true) {
			r.s.block("find " + start + " -delete")
		}
	}
}

func (r *reader) destructiveGit(cmd *command) {
	switch verb := firstVerb(cmd); verb {
	case "clean", "filter-branch", "filter-repo":
		r.s.destroys = true
	case "reset":
		r.s.destroys = r.s.destroys || slices.Contains(cmd.args, "--hard")
	case "push":
		r.s.destroys = r.s.destroys || slices.ContainsFunc(cmd.args, func(a string) bool {
			return a == "-f" || strings.HasPrefix(a, "--force") || a == "--mirror" || a == "--delete" || strings.HasPrefix(a, "+")
		})
	}
}

func isDrive(s string) bool {
	s = strings.TrimRight(s, `/\`)
	return len(s) == 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

var blockDevices = []string{
	"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "loop", "sr", "nbd", "zram", "mem", "kmem", "port", "block/",
}

// isBlockDevice goes by the name: what is behind it is not looked at.
func isBlockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	return ok && slices.ContainsFunc(blockDevices, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// forkBomb says that a function starts itself in a pipe or in the background,
// whatever its name.
func forkBomb(f *syntax.FuncDecl) bool {
	name, found := f.Name.Value, false
	calls := func(n syntax.Node) bool {
		hit := false
		syntax.Walk(n, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == name {
				hit = true
			}
			return !hit
		})
		return hit
	}
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background && calls(n)
		case *syntax.BinaryCmd:
			found = found || (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && calls(n)
		}
		return !found
	})
	return found
}

// inside says that p is dir or below it. Both are absolute and clean.
func inside(p, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return p == dir || strings.HasPrefix(p, dir+"/") || dir == ""
}
