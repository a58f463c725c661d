package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/bmatcuk/doublestar/v4"
)

// hardLimits blocks what never runs, in every mode and whatever the rules say.
// It also notes what destroys without being a hard limit.
func (r *reader) hardLimits(cmd *Command, sc *scope) {
	if strings.ContainsAny(cmd.Head, "*?[") {
		letters := len(Fill(cmd.Head, ""))
		for name, needsArguments := range hardHeads {
			if letters == 0 || !needsArguments && letters < 3 {
				continue // * may be any program
			}
			if doublestar.MatchUnvalidated(cmd.Head, name) {
				r.hardLimits(&Command{Head: name, Args: cmd.Args, likely: cmd.likely}, sc)
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
		if slices.ContainsFunc(cmd.likely, isDrive) {
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
		for _, a := range cmd.likely {
			if unit := strings.TrimSuffix(a, ".target"); unit != a && words("poweroff reboot halt kexec").has(unit) && (verb == "start" || verb == "isolate") {
				r.block(head + " " + verb + " " + a)
			}
		}
	case head == "init" || head == "telinit":
		if verb := firstVerb(cmd); verb == "0" || verb == "6" {
			r.block(head + " " + verb)
		}
	case head == "chmod", head == "chown", head == "chgrp":
		if (hasShortOption(cmd.likely, 'R', "") || hasLongOption(cmd.likely, "--recursive", 5)) && r.anyRoot(cmd, sc, false) {
			r.block(head + " -R on /")
		}
	case head == "find":
		r.hardFind(cmd, sc)
	case head == "tee", head == "cp", head == "mv", head == "shred", head == "wipefs", head == "blkdiscard", head == "truncate", head == "install":
		for i, a := range cmd.Args {
			if r.isDevice(a.filled("_"), sc) && (i == len(cmd.Args)-1 || head != "cp" || slices.Contains(cmd.likely, "-t")) {
				r.block(head + " on the block device " + a.filled(unknownShown))
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
	recursive := hasShortOption(cmd.likely, 'r', "") || hasShortOption(cmd.likely, 'R', "") ||
		hasLongOption(cmd.likely, "--recursive", 3)
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
		if options && a.is("--") {
			options = false
			continue
		}
		if options && a.begins("-") {
			continue
		}
		if r.isRoot(a, sc, home) {
			return true
		}
	}
	return false
}

// namesDevice says that an argument is a block device.
func (r *reader) namesDevice(cmd *Command, sc *scope) bool {
	return slices.ContainsFunc(cmd.Args, func(a Parts) bool { return r.isDevice(a.filled("_"), sc) })
}

// hardCopy judges dd: a block device is never written, and zeros go only to a
// file in a root or the temporary directory.
func (r *reader) hardCopy(cmd *Command, sc *scope) {
	var in, out Parts
	for _, a := range cmd.Args {
		switch {
		case a.begins("of="):
			_, out, _ = a.cut("=")
		case a.begins("if="):
			_, in, _ = a.cut("=")
		}
	}
	if (out.begins("~/") || out.is("~")) && r.at.Home != "" {
		_, after, _ := out.cut("~")
		out = append(known(r.at.Home), after...) // bash leaves it as it is; other shells do not
	}
	name, ok := out.Text()
	switch {
	case !ok:
		r.s.Doubt("dd writes to a file that is only known when it runs")
	case name != "":
		r.use(Use{Domain: "edit", Word: name, Redirect: true})
	}
	var target Walk
	if !out.is("") {
		target = r.place(out.filled("_"), sc) // what is not known is taken for a name
	}
	switch {
	case !out.is("") && r.isDevice(out.filled("_"), sc):
		r.block("dd to the block device " + out.filled(unknownShown))
	case !in.is("") && slices.Contains(r.place(in.filled("_"), sc).Paths, "/dev/zero") && !r.mayFill(target):
		r.block("dd from /dev/zero outside the workspace")
	}
}

// hardFind blocks deleting from "/" without a condition that narrows it.
func (r *reader) hardFind(cmd *Command, sc *scope) {
	deletes := slices.Index(cmd.likely, "-delete")
	for i, a := range cmd.Args {
		if a.begins("-exec") || a.begins("-ok") {
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
	starts := findStarts(cmd.Args)
	if i := deletes + 1; i >= len(cmd.Args) || !strings.HasPrefix(programName(cmd.Args[i]), "ch") {
		r.removesRoot(&Command{Head: "find", Args: starts}, sc)
	}
	for _, start := range starts {
		if r.isRoot(start, sc, true) {
			r.block("find " + start.filled("") + " " + strings.Join(cmd.likely[deletes:min(deletes+2, len(cmd.Args))], " "))
		}
	}
}

// narrowed says that a condition before the action names what it is about. One
// that is turned round, or an alternative to it, names everything else.
func narrowed(conditions []Parts) bool {
	found := false
	for i, a := range conditions {
		switch name, _ := a.Text(); name {
		case "-o", "-or", ",":
			return false
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			negated := i > 0 && (conditions[i-1].is("!") || conditions[i-1].is("-not"))
			plain := i+1 < len(conditions) && (conditions[i+1].isOpen() || !onlyWild(strings.Trim(conditions[i+1].filled(""), "/^$")) && !conditions[i+1].is(".+"))
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
		r.s.Destroys = r.s.Destroys || slices.Contains(cmd.likely, "--hard")
	case "push":
		r.s.Destroys = r.s.Destroys || slices.ContainsFunc(cmd.likely, func(a string) bool {
			return a == "-f" || strings.HasPrefix(a, "--force") || a == "--mirror" || a == "--delete" || strings.HasPrefix(a, "+")
		})
	}
}

func isDrive(s string) bool {
	s = strings.TrimRight(s, `/\`)
	return len(s) == 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// removesRoot notes that a whole workspace folder goes, with everything that is
// protected in it. "." itself is refused by rm.
func (r *reader) removesRoot(cmd *Command, sc *scope) {
	for _, a := range cmd.Args {
		name := a.filled("_") // what is not known is taken for a name
		if strings.HasPrefix(name, "-") || cmd.Head == "rm" && words(". ./ .. ../").has(name) {
			continue
		}
		for _, root := range r.at.Roots {
			if slices.ContainsFunc(r.place(name, sc).Paths, func(p string) bool { return Inside(path.Clean(root), p) }) {
				r.use(Use{Domain: "edit", Word: Below(root, ".git"), Writer: true, Head: cmd.Head})
			}
		}
	}
}

// mayBeHard is what every text that hits a hard limit holds somewhere.
var mayBeHard = lazy.Regexp(`rm|mkfs|dd|/dev/|(?i:format)|shutdown|reboot|halt|poweroff|systemctl|init|chmod|chown|chgrp|find|\(\)`)
