package workspace

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// repositoryShown says for a person which references may move when a command that starts
// in dir changes a repository: of the one around dir and of those at the top of the
// folders. Everything is read from files; git is not started.
func (x *sandboxes) repositoryShown(dir string, declared tool.Needs) string {
	var b strings.Builder
	var tops []string
	for _, at := range append([]string{dir}, x.Roots()...) {
		if top := gitTop(at); top != "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
			fmt.Fprintf(&b, "repository: %s%s\n", pathname.Printable(top), headShown(top))
		}
	}
	if len(tops) == 0 {
		b.WriteString("repository: there is none around this directory\n")
	}
	if x.leavesUnsigned(dir, declared) {
		b.WriteString(unsigned + "\n")
	}
	return b.String()
}

// headShown is what the HEAD of a repository leads to, "" where its files do not say.
func headShown(top string) string {
	git := gitDir(top)
	if git == "" {
		return ""
	}
	head := firstLine(git + "/HEAD")
	if headDetached().MatchString(head) {
		return ", detached at " + head[:shownDigits]
	}
	m := headBranch().FindStringSubmatch(head)
	if m == nil || strings.Contains(m[1], "..") { // no name of git's
		return ""
	}
	ref := "refs/heads/" + m[1]
	common := git
	if named := firstLine(git + "/commondir"); filepath.IsAbs(named) {
		common = named
	} else if named != "" {
		common = walk.Leads(git + "/" + named)
	}
	if _, err := os.Lstat(common + "/reftable"); err == nil {
		return "" // HEAD only says that the references are elsewhere
	}
	id := firstLine(common + "/" + ref)
	if !headDetached().MatchString(id) {
		id = packedRef(common+"/packed-refs", ref)
	}
	if id == "" {
		return ", on branch " + pathname.Printable(m[1]) + " (no commit yet)"
	}
	return ", on branch " + pathname.Printable(m[1]) + " (" + pathname.Printable(ref) + " at " + id[:shownDigits] + ")"
}

const (
	// shownDigits is how much of a commit's name is shown.
	shownDigits = 7
	// packedBytes is how much of the list of references is read.
	packedBytes = 16 << 20
)

var packedLine = lazy.Regexp(`^([0-9a-f]{40}(?:[0-9a-f]{24})?) (\S+)$`)

// packedRef finds a reference in the list of those that have no file, "" where it is not
// there.
func packedRef(path, ref string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := durable.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, packedBytes))
	for lines.Scan() {
		if !strings.HasSuffix(lines.Text(), ref) {
			continue
		}
		if m := packedLine().FindStringSubmatch(lines.Text()); m != nil && m[2] == ref {
			return m[1]
		}
	}
	return ""
}

// unsigned is for people who sign what they commit, and for the model that commits for
// them.
const unsigned = `commits and tags cannot be signed in the sandbox, though the person's git signs them; signing needs "unconfined"`

// leavesUnsigned says that a command with these needs is in a sandbox, where it cannot
// sign what git signs otherwise: the keys are not there.
func (x *sandboxes) leavesUnsigned(dir string, declared tool.Needs) bool {
	settings, wants := sandbox.Policy{}.Under(x.sandbox())
	l, err := x.prober.For(settings, wants)
	return err == nil && l.Name != proc.None && !declared.Has(tool.NeedUnconfined) && x.signsGit(dir)
}

// signsGit says that git signs commits or tags in the repository around dir, by the
// person's own configuration, by the repository's, or by a file that these include,
// whatever the condition.
func (e *environment) signsGit(dir string) bool {
	c := shields.GitConfig{Home: e.userHome}
	for _, file := range sandbox.GitConfigs(e.userHome, e.environ(e.keepEnv(), dir)) {
		c.Add(file)
	}
	if git := gitDir(dir); git != "" {
		common := git
		if at := shields.PointedTo(git+"/commondir", ""); at != "" {
			common = at
		}
		c.Add(common + "/config")
		c.Add(git + "/config.worktree")
	}
	signs := map[string]bool{}
	for _, s := range c.Settings {
		if s.Key == "commit.gpgsign" || s.Key == "tag.gpgsign" {
			signs[s.Key] = s.Bare || isTrue(s.Value) // the last one counts
		}
	}
	return signs["commit.gpgsign"] || signs["tag.gpgsign"]
}

// isTrue reads a value as git reads what is true or false.
func isTrue(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n != 0 || slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(value))
}
