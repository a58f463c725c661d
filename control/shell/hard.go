package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// hardLimits blocks what never runs, in every mode and whatever the rules say
// (control §2, rulings 34, 67). It also notes what destroys without being a
// hard limit.
func (r *reader) hardLimits(cmd *Command, sc *scope) {
	if strings.ContainsAny(cmd.Head, "*?[") {
		letters := len(Fill(cmd.Head, ""))
		for name, needsArguments := range hardHeads {
			if letters == 0 || !needsArguments && letters < 3 {
				continue // * may be any program
			}
			if doublestar.MatchUnvalidated(cmd.Head, name) {
				r.hardLimits(&Command{Head: name, Args: cmd.Args}, sc)
			}
		}
		return
	}
	switch head := strings.ToLower(cmd.Head); {
	case head == "dcfldd" || head == "dc3dd":
		r.hardCopy(cmd, sc)
	case head == "rm":
		r.hardRemove(cmd, sc)
	case strings.HasPrefix(head, "mkfs"), head == "mke2fs", head == "mkdosfs", head == "mkntfs", head == "mkswap" && r.namesDevice(cmd, sc), strings.HasPrefix(head, "newfs"):
		r.block(head + " makes a file system")
	case head == "dd":
		r.hardCopy(cmd, sc)
	case head == "format" || head == "format.com":
		if slices.ContainsFunc(cmd.Args, isDrive) {
			r.block("formatting a drive")
		}
	case head == "shutdown", head == "reboot", head == "halt", head == "poweroff":
		r.block(head)
	case head == "systemctl" || head == "loginctl":
		verb := firstVerb(cmd)
		switch verb {
		case "poweroff", "reboot", "halt", "kexec", "soft-reboot", "suspend":
			r.block(head + " " + verb)
		}
		for _, a := range cmd.Args {
			if unit := strings.TrimSuffix(a, ".target"); unit != a && words("poweroff reboot halt kexec").has(unit) && (verb == "start" || verb == "isolate") {
				r.block(head + " " + verb + " " + a)
			}
		}
	case head == "init" || head == "telinit":
		if verb := firstVerb(cmd); verb == "0" || verb == "6" {
			r.block(head + " " + verb)
		}
	case head == "chmod", head == "chown", head == "chgrp":
		if (hasShortOption(cmd.Args, 'R', "") || hasLongOption(cmd.Args, "--recursive", 5)) && r.anyRoot(cmd, sc, false) {
			r.block(head + " -R on /")
		}
	case head == "find":
		r.hardFind(cmd, sc)
	case head == "tee", head == "cp", head == "mv", head == "shred", head == "wipefs", head == "blkdiscard", head == "truncate", head == "install":
		for _, a := range cmd.Args {
			if isBlockDevice(r.resolve(a, sc)) && (a == cmd.Args[len(cmd.Args)-1] || head != "cp" || slices.Contains(cmd.Args, "-t")) {
				r.block(head + " on the block device " + a)
			}
		}
	case head == "agent-sidecar" || head == "agent-sidecar.exe":
		r.hardSelf(cmd)
	case head == "git":
		r.destructiveGit(cmd)
	}
}

// hardHeads are programs that hit a hard limit; /bin/r? may be one of them. True:
// only with certain arguments.
var hardHeads = map[string]bool{
	"rm": true, "dd": true, "chmod": true, "chown": true, "find": true, "mkfs": false, "shutdown": false, "reboot": false, "halt": false, "poweroff": false,
}

// hardRemove finds a recursive rm on everything. Without -f it asks nothing
// either when there is no terminal, so the flag does not matter.
func (r *reader) hardRemove(cmd *Command, sc *scope) {
	recursive := hasShortOption(cmd.Args, 'r', "") || hasShortOption(cmd.Args, 'R', "") ||
		hasLongOption(cmd.Args, "--recursive", 3)
	if !recursive {
		return
	}
	r.s.Destroys = true
	r.removesRoot(cmd, sc)
	if r.anyRoot(cmd, sc, true) {
		r.block("rm -rf on / or the home directory")
	}
}

// anyRoot says whether an argument is "/", everything in it, or (home) the
// person's home directory, in any spelling.
func (r *reader) anyRoot(cmd *Command, sc *scope, home bool) bool {
	options := true
	for _, a := range cmd.Args {
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
		if r.at.Home == "" {
			return home && onlyWild(word[1:])
		}
		word = r.at.Home + word[1:]
	}
	if home && r.at.Home == "" && strings.HasPrefix(word, "$HOME") {
		return onlyWild(strings.TrimPrefix(word, "$HOME"))
	}
	if i := strings.Index(word, unknownPart); i >= 0 {
		return false
	}
	if home && len(word) > 1 && word[0] == '~' && onlyWild(strings.TrimLeft(word[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-")) {
		return true // somebody's home directory
	}
	if r.coversRoot(r.resolve(word, sc), home) {
		return true
	}
	if strings.HasPrefix(word, "/") {
		return false
	}
	return slices.ContainsFunc(sc.other, func(dir string) bool { return r.coversRoot(CleanPath(dir+"/"+word), home) })
}

// coversRoot says that a path is "/" or (home) the home directory or around it.
func (r *reader) coversRoot(p string, home bool) bool {
	for p != "/" && p != "" && onlyWild(path.Base(p)) {
		p = path.Dir(p)
	}
	return p == "/" || home && p != "" && r.at.Home != "" && Inside(path.Clean(r.at.Home), p)
}

// namesDevice says that an argument is a block device.
func (r *reader) namesDevice(cmd *Command, sc *scope) bool {
	return slices.ContainsFunc(cmd.Args, func(a string) bool { return isBlockDevice(r.resolve(a, sc)) })
}

// hasLongOption finds a long option, abbreviated to no less than least bytes.
func hasLongOption(args []string, long string, least int) bool {
	return slices.ContainsFunc(args, func(a string) bool { return len(a) >= least && strings.HasPrefix(long, a) })
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
func (r *reader) hardCopy(cmd *Command, sc *scope) {
	var in, out string
	for _, a := range cmd.Args {
		if v, ok := strings.CutPrefix(a, "of="); ok {
			out = v
		}
		if v, ok := strings.CutPrefix(a, "if="); ok {
			in = v
		}
	}
	target := ""
	if rest, ok := strings.CutPrefix(out, "~/"); ok && r.at.Home != "" {
		out = r.at.Home + "/" + rest // bash leaves it as it is; other shells do not
	}
	if out != "" {
		target = r.resolve(out, sc)
		r.s.Uses = append(r.s.Uses, Use{Domain: "edit", Word: out, Redirect: true})
	}
	switch {
	case isBlockDevice(target):
		r.block("dd to the block device " + out)
	case CleanPath(in) == "/dev/zero" && !r.mayFill(target):
		r.block("dd from /dev/zero outside the workspace")
	}
}

func (r *reader) mayFill(target string) bool {
	if target == "" {
		return false
	}
	return slices.ContainsFunc(append([]string{"/tmp", "/var/tmp"}, r.at.Roots...), func(dir string) bool {
		return Inside(target, dir) && target != dir
	})
}

// hardFind blocks deleting from "/" without a condition that narrows it.
func (r *reader) hardFind(cmd *Command, sc *scope) {
	deletes := slices.Index(cmd.Args, "-delete")
	for i, a := range cmd.Args {
		if strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") {
			if i+1 < len(cmd.Args) && words("rm unlink shred chmod chown").has(programName(cmd.Args[i+1])) && (deletes < 0 || i < deletes) {
				deletes = i
			}
		}
	}
	if deletes < 0 {
		return
	}
	r.s.Destroys = true
	if narrowed(cmd.Args[:deletes]) {
		return
	}
	argv := []arg{{text: "find"}}
	for _, a := range cmd.Args {
		argv = append(argv, arg{text: a})
	}
	starts := findStarts(argv)
	if i := deletes + 1; i >= len(cmd.Args) || !strings.HasPrefix(programName(cmd.Args[i]), "ch") {
		r.removesRoot(&Command{Head: "find", Args: starts}, sc)
	}
	for _, start := range starts {
		if r.isRoot(start, sc, true) {
			r.block("find " + start + " " + strings.Join(cmd.Args[deletes:min(deletes+2, len(cmd.Args))], " "))
		}
	}
}

// narrowed says that a condition before the action names what it is about. One
// that is turned round, or an alternative to it, names everything else.
func narrowed(conditions []string) bool {
	found := false
	for i, a := range conditions {
		switch a {
		case "-o", "-or", ",":
			return false
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			negated := i > 0 && (conditions[i-1] == "!" || conditions[i-1] == "-not")
			plain := i+1 < len(conditions) && !onlyWild(strings.Trim(conditions[i+1], "/^$")) && conditions[i+1] != ".+"
			found = found || !negated && plain
		}
	}
	return found
}

func (r *reader) destructiveGit(cmd *Command) {
	switch verb := firstVerb(cmd); verb {
	case "clean", "filter-branch", "filter-repo":
		r.s.Destroys = true
	case "reset":
		r.s.Destroys = r.s.Destroys || slices.Contains(cmd.Args, "--hard")
	case "push":
		r.s.Destroys = r.s.Destroys || slices.ContainsFunc(cmd.Args, func(a string) bool {
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
