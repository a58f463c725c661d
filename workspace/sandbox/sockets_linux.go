package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// daemonSockets are the files through which daemons of this machine are reached.
// That a file system is read-only does not keep anybody from connecting, so each
// is covered.
func daemonSockets() []string {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var out []string
	relative := map[string]string{}                // names by the number of the socket
	_, lines, _ := strings.Cut(string(text), "\n") // the first is a heading
	for line := range strings.Lines(lines) {
		switch number, name := boundName(line); {
		case name == "" || name[0] == '@': // none, or no file
		case name[0] == '/':
			out = append(out, name)
		default:
			relative[number] = name
		}
	}
	out = slices.DeleteFunc(append(out, fromTheirHolders(relative)...), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || info.Mode()&os.ModeSocket == 0
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// boundName is the number of the socket of a line of /proc/net/unix, and the
// name it was bound by, "" for none.
func boundName(line string) (number, name string) {
	rest := strings.TrimSuffix(line, "\n")
	for range 7 {
		number, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	return number, rest
}

// fromTheirHolders is where relative names lead from the directories in which
// the processes are that hold these sockets: a daemon whose directory has a long
// path goes there and binds a short name. Of other users' processes nothing is
// seen, and some go elsewhere afterwards; the report of the level says so.
func fromTheirHolders(relative map[string]string) (paths []string) {
	if len(relative) == 0 {
		return nil
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		handles, err := os.ReadDir(process + "/fd")
		if err != nil {
			continue // another user's, or it ended
		}
		for _, handle := range handles {
			of, _ := os.Readlink(filepath.Join(process, "fd", handle.Name()))
			number, isSocket := strings.CutPrefix(of, "socket:[")
			name, bound := relative[strings.TrimSuffix(number, "]")]
			if !isSocket || !bound {
				continue
			}
			dir, base := filepath.Split(name)
			if dir, err := filepath.EvalSymlinks(process + "/cwd/" + dir); err == nil {
				paths = append(paths, filepath.Join(dir, base))
			}
		}
	}
	return paths
}
