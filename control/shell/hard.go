package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// hardLimits finds the commands that never run.
type hardLimits struct {
	s  *Script
	at *Place
	m  *memory
}

// check blocks what never runs, in every mode and whatever the rules say.
// It also notes what destroys without being a hard limit.
func (h *hardLimits) check(cmd *Command, sc *scope) {
	if strings.ContainsAny(cmd.Head, "*?[") {
		letters := len(Fill(cmd.Head, ""))
		for name, needsArguments := range hardHeads {
			if letters == 0 || !needsArguments && letters < 3 {
				continue // * may be any program
			}
			if doublestar.MatchUnvalidated(cmd.Head, name) {
				h.check(&Command{Head: name, Args: cmd.Args, likely: cmd.likely}, sc)
			}
		}
		return
	}
	switch head := strings.ToLower(cmd.Head); {
	case head == "dcfldd" || head == "dc3dd":
		h.hardCopy(cmd, sc)
	case head == "rm":
		h.hardRemove(cmd, sc)
	case strings.HasPrefix(head, "mkfs"), head == "mke2fs", head == "mkdosfs", head == "mkntfs", head == "mkswap" && h.namesDevice(cmd, sc), strings.HasPrefix(head, "newfs"):
		h.m.block(head + " makes a file system")
	case head == "dd":
		h.hardCopy(cmd, sc)
	case head == "format" || head == "format.com":
		if slices.ContainsFunc(cmd.likely, isDrive) {
			h.m.block("formatting a drive")
		}
	case head == "shutdown", head == "reboot", head == "halt", head == "poweroff":
		h.m.block(head)
	case head == "systemctl" || head == "loginctl":
		verb := firstVerb(cmd)
		switch verb {
		case "poweroff", "reboot", "halt", "kexec", "soft-reboot", "suspend":
			h.m.block(head + " " + verb)
		}
		for _, a := range cmd.likely {
			if unit := strings.TrimSuffix(a, ".target"); unit != a && words("poweroff reboot halt kexec").has(unit) && (verb == "start" || verb == "isolate") {
				h.m.block(head + " " + verb + " " + a)
			}
		}
	case head == "init" || head == "telinit":
		if verb := firstVerb(cmd); verb == "0" || verb == "6" {
			h.m.block(head + " " + verb)
		}
	case head == "chmod", head == "chown", head == "chgrp":
		if (hasShortOption(cmd.likely, 'R', "") || hasLongOption(cmd.likely, "--recursive", 5)) && h.anyRoot(cmd, sc, false) {
			h.m.block(head + " -R on /")
		}
	case head == "find":
		h.hardFind(cmd, sc)
	case head == "tee", head == "cp", head == "mv", head == "shred", head == "wipefs", head == "blkdiscard", head == "truncate", head == "install":
		for i, a := range cmd.Args {
			if h.at.isDevice(a.filled("_"), sc) && (i == len(cmd.Args)-1 || head != "cp" || slices.Contains(cmd.likely, "-t")) {
				h.m.block(head + " on the block device " + a.filled(unknownShown))
			}
		}
	case head == "agent-sidecar" || head == "agent-sidecar.exe":
		h.hardSelf(cmd)
	case head == "git":
		h.destructiveGit(cmd)
	}
}

// hardHeads are programs that hit a hard limit; /bin/r? may be one of them. True:
// only with certain arguments.
var hardHeads = map[string]bool{
	"rm": true, "dd": true, "chmod": true, "chown": true, "find": true, "mkfs": false, "shutdown": false, "reboot": false, "halt": false, "poweroff": false,
}

// hardRemove finds a recursive rm on everything. Without -f it asks nothing
// either when there is no terminal, so the flag does not matter.
func (h *hardLimits) hardRemove(cmd *Command, sc *scope) {
	recursive := hasShortOption(cmd.likely, 'r', "") || hasShortOption(cmd.likely, 'R', "") ||
		hasLongOption(cmd.likely, "--recursive", 3)
	if !recursive {
		return
	}
	h.s.Destroys = true
	h.removesRoot(cmd, sc)
	if h.anyRoot(cmd, sc, true) {
		h.m.block("rm -rf on / or the home directory")
	}
}

// anyRoot says whether an argument is "/", everything in it, or (home) the
// person's home directory, in any spelling.
func (h *hardLimits) anyRoot(cmd *Command, sc *scope, home bool) bool {
	options := true
	for _, a := range cmd.Args {
		if options && a.is("--") {
			options = false
			continue
		}
		if options && a.begins("-") {
			continue
		}
		if h.at.isRoot(a, sc, home) {
			return true
		}
	}
	return false
}

// namesDevice says that an argument is a block device.
func (h *hardLimits) namesDevice(cmd *Command, sc *scope) bool {
	return slices.ContainsFunc(cmd.Args, func(a Parts) bool { return h.at.isDevice(a.filled("_"), sc) })
}

// hardCopy judges dd: a block device is never written, and zeros go only to a
// file in a root or the temporary directory.
func (h *hardLimits) hardCopy(cmd *Command, sc *scope) {
	var in, out Parts
	for _, a := range cmd.Args {
		switch {
		case a.begins("of="):
			_, out, _ = a.cut("=")
		case a.begins("if="):
			_, in, _ = a.cut("=")
		}
	}
	if (out.begins("~/") || out.is("~")) && h.at.Home != "" {
		_, after, _ := out.cut("~")
		out = append(known(h.at.Home), after...) // bash leaves it as it is; other shells do not
	}
	name, ok := out.Text()
	switch {
	case !ok:
		h.s.AddUncertain(said.That("dd writes to a file that is only known when it runs"))
	case name != "":
		h.s.use(Use{Domain: "edit", Word: name, Redirect: true})
	}
	var target paths.Walk
	if !out.is("") {
		target = h.at.place(out.filled("_"), sc) // what is not known is taken for a name
	}
	switch {
	case !out.is("") && h.at.isDevice(out.filled("_"), sc):
		h.m.block("dd to the block device " + out.filled(unknownShown))
	case !in.is("") && slices.Contains(h.at.place(in.filled("_"), sc).Paths, "/dev/zero") && !h.at.mayFill(target):
		h.m.block("dd from /dev/zero outside the workspace")
	}
}

// hardFind blocks deleting from "/" without a condition that narrows it.
func (h *hardLimits) hardFind(cmd *Command, sc *scope) {
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
	h.s.Destroys = true
	if narrowed(cmd.Args[:deletes]) {
		return
	}
	starts := findStarts(cmd.Args)
	if i := deletes + 1; i >= len(cmd.Args) || !strings.HasPrefix(programName(cmd.Args[i]), "ch") {
		h.removesRoot(&Command{Head: "find", Args: starts}, sc)
	}
	for _, start := range starts {
		if h.at.isRoot(start, sc, true) {
			h.m.block("find " + start.filled("") + " " + strings.Join(cmd.likely[deletes:min(deletes+2, len(cmd.Args))], " "))
		}
	}
}

func (h *hardLimits) destructiveGit(cmd *Command) {
	switch verb := firstVerb(cmd); verb {
	case "clean", "filter-branch", "filter-repo":
		h.s.Destroys = true
	case "reset":
		h.s.Destroys = h.s.Destroys || slices.Contains(cmd.likely, "--hard")
	case "push":
		h.s.Destroys = h.s.Destroys || slices.ContainsFunc(cmd.likely, func(a string) bool {
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
func (h *hardLimits) removesRoot(cmd *Command, sc *scope) {
	for _, a := range cmd.Args {
		name := a.filled("_") // what is not known is taken for a name
		if strings.HasPrefix(name, "-") || cmd.Head == "rm" && words(". ./ .. ../").has(name) {
			continue
		}
		for _, root := range h.at.Roots {
			if slices.ContainsFunc(h.at.place(name, sc).Paths, func(p string) bool { return paths.Inside(path.Clean(root), p) }) {
				h.s.use(Use{Domain: "edit", Word: paths.Below(root, ".git"), Writer: true, Head: cmd.Head})
			}
		}
	}
}
