package sandbox

import (
	"bytes"
	"path/filepath"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What programs say when they were refused, in lower case.
var (
	fileRefusals = [][]byte{[]byte("read-only file system"), []byte("permission denied"), []byte("operation not permitted"), []byte("erofs"), []byte("eacces"), []byte("eperm")}
	// readOnlyRefusals are those of a place that is seen and cannot be changed.
	readOnlyRefusals = [][]byte{[]byte("read-only file system"), []byte("erofs")}
	gitRefusals      = [][]byte{[]byte(".git/"), []byte("index.lock"), []byte("cannot lock ref"), []byte("insert into database"), []byte("adding an object to repository")}
	gitObeyed        = [][]byte{[]byte(".git/hooks"), []byte(".git/config"), []byte(".git/info"), []byte("config file")} // nothing opens those
	netRefusals      = [][]byte{[]byte("network is unreachable"), []byte("could not resolve"), []byte("temporary failure in name resolution"), []byte("name or service not known"), []byte("no such host"),
		[]byte("dial tcp"), []byte("connection refused"), []byte("address family not supported"), []byte("enetunreach"), []byte("eai_again"), []byte("enotfound"), []byte("econnrefused"), []byte("eafnosupport")}
)

// Hint says how to ask for more where the end of the output looks like a
// refusal of this confinement, which was made for w. closed are the files that the
// command could not read, as the model names them. It runs nothing again.
func Hint(is proc.Confinement, w Policy, closed []string, end []byte) string {
	bounds := w.Bounds
	absent, shut := missed(is, end), refused(closed, end)
	end = bytes.ToLower(end)
	has := func(list [][]byte) bool {
		for _, word := range list {
			if bytes.Contains(end, word) {
				return true
			}
		}
		return false
	}
	switch {
	case w.Looks():
		return lookingHint(absent, shut, has(netRefusals), has(readOnlyRefusals))
	case is.Level == proc.Namespaces && !w.Needs.Has(tool.NeedGit) && len(bounds.Within) == 0 && bytes.Contains(end, []byte("read-only file system")) && has(gitRefusals) && !has(gitObeyed):
		return `(commands cannot change a repository; if this one needs to, call again with needs: "git" and a reason)`
	case !is.Network && !bounds.Offline && has(netRefusals):
		return `(commands run without a network; if this one needs it, call again with needs: "network" and a reason)`
	case shut != "":
		return `(commands cannot read ` + strconv.Quote(shut) + `, which may hold secrets; if this one needs it, call again with reads: [` + strconv.Quote(shut) + `] and a reason)`
	case absent != "" && !bounds.Narrow():
		return `(commands do not see ` + strconv.Quote(absent) + `: of what is outside the workspace only the system and toolchains are there; if this one needs it, call again with needs: "unconfined" and a reason, or the user adds it to sandbox.readable)`
	case w.OnlyOutputs() && (has(readOnlyRefusals) || is.Level != proc.Namespaces && has(fileRefusals)):
		return `(of the workspace a command with background: true can change only directories that git ignores and that were there when it began: make the directory first, run it without background, or call again with needs: "direct" and a reason)`
	case is.Bubblewrap != "" && len(closed) > 0 && bytes.Contains(end, []byte("resource busy")):
		return `(commands cannot move or remove a directory that contains files which may hold secrets, or a repository)`
	case has(fileRefusals) && !bounds.Narrow():
		return `(commands can change only the workspace and the temporary directory, and not its protected files; if this one needs more, call again with needs: "unconfined" and a reason)`
	}
	return ""
}

// lookingHint is Hint for a command that only looks: asking gets it nothing.
func lookingHint(absent, shut string, network, readOnly bool) string {
	switch {
	case readOnly:
		return `(commands see the whole workspace read-only here: they can change only their own /tmp, home and caches)`
	case network:
		return `(commands run without a network here)`
	case shut != "":
		return `(commands cannot read ` + strconv.Quote(shut) + `, which may hold secrets)`
	case absent != "":
		return `(commands do not see ` + strconv.Quote(absent) + `: of what is outside the workspace only the system and toolchains are there)`
	}
	return ""
}

// refused is the closed file that a message of a refusal names: by its path, or else by
// its own name.
func refused(closed []string, end []byte) string {
	if len(closed) == 0 {
		return ""
	}
	for line := range bytes.Lines(end) {
		lower := bytes.ToLower(line)
		if !bytes.Contains(lower, []byte("permission denied")) && !bytes.Contains(lower, []byte("eacces")) {
			continue
		}
		best, known := "", false // whether the whole path is named
		for _, path := range closed {
			whole := bytes.Contains(line, []byte(path))
			if !whole && !bytes.Contains(line, []byte(filepath.Base(path))) {
				continue
			}
			if best == "" || whole && !known || whole == known && len(path) > len(best) {
				best, known = path, whole
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// named is an absolute path as messages name one.
var named = lazy.Regexp(`/[^\s:'"` + "`" + `,;()<>]{1,400}`)

// shellPrefix is how bash begins what it says of a script: its own path is not what is
// missing.
var shellPrefix = lazy.Regexp(`(?m)^/\S+: line \d+: `)

// missed is the first path in the output of a command which is on this machine, or could
// be made there, and which the command does not see.
func missed(is proc.Confinement, end []byte) string {
	if is.Level != proc.Namespaces || !bytes.Contains(end, []byte("No such file or directory")) && !bytes.Contains(end, []byte("ENOENT")) {
		return ""
	}
	for _, path := range named().FindAll(shellPrefix().ReplaceAll(end, nil), 50) {
		path := filepath.Clean(string(path))
		for _, at := range []string{path, filepath.Dir(path)} {
			if real, err := filepath.EvalSymlinks(at); err == nil && at != "/" && !is.Shows(at) && !is.Shows(real) {
				return path
			}
		}
	}
	return ""
}
