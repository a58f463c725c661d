package shields

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/gitconfig"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// What a configuration of git names is read here to keep it, so every line counts,
// whatever its condition.

const (
	// gitConfigs is how many files are read for one repository, with those that they include.
	gitConfigs = 32
	// gitSettings is how many lines of all of them count.
	gitSettings = 20_000
)

// GitConfig is what the files of a configuration say, with those that they include.
type GitConfig struct {
	Home     string
	Settings []gitconfig.Setting
	files    []string // that were included, whether they are there or not
	read     map[string]bool
}

// Add reads a file. Conditions of an include are not looked at: they hold in some
// directory or on some branch.
func (c *GitConfig) Add(file string) {
	dir := file[:strings.LastIndexByte(file, filepath.Separator)+1]
	key := walk.Leads(file) + "\x00" + walk.Leads(dir) // however often a circle of includes names it
	if c.read[key] || len(c.read) >= gitConfigs {
		return
	}
	if c.read == nil {
		c.read = map[string]bool{}
	}
	c.read[key] = true
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > shieldBytes {
		return
	}
	text, err := durable.ReadFile(file, shieldBytes)
	if err != nil {
		return
	}
	for _, s := range gitconfig.Parse(string(text)) {
		if len(c.Settings) >= gitSettings {
			return
		}
		c.Settings = append(c.Settings, s)
		if section, _, _ := strings.Cut(s.Key, "."); (section == "include" || section == "includeif") && strings.HasSuffix(s.Key, ".path") {
			if at := c.path(s.Value, dir); at != "" {
				c.files = append(c.files, at)
				c.Add(at)
			}
		}
	}
}

// path is a path of a value as git understands it, seen from dir; "" for none. No link
// was followed on it, and ".." stays.
func (c *GitConfig) path(value, dir string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if c.Home == "" {
			return ""
		}
		value, dir = rest, c.Home
	}
	at := filepath.FromSlash(value)
	switch {
	case value == "" || len(value) > pathname.MaxBytes || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "%(") || strings.ContainsRune(value, 0):
		return ""
	case filepath.IsAbs(at):
		return at
	}
	return walk.Text(dir, at)
}

// betweenWords are the characters of a shell that end a word. A name that has one of
// them is found only in quotes, or where the value is nothing else.
const betweenWords = " \t\n;|&(){}<>\"'`=,!$"

// named are the files and directories that a configuration makes git run or obey, with
// the names by which it does: dir is the top of the working tree, git its `.git`.
func (c *GitConfig) named(dir, git string) (out []LinkedName) {
	for _, at := range c.files {
		out = append(out, LinkedName{at, filepath.Join(git, "config")})
	}
	for _, s := range c.Settings {
		if namesNoFile(s.Key) {
			continue
		}
		switch s.Key {
		case "core.hookspath", "init.templatedir":
			at := c.path(s.Value, dir)
			if _, in := pathname.Below(walk.Leads(at), dir); at != "" && in { // all of the sources are among the hooks; by name they can be told
				for _, hook := range gitHooks {
					out = append(out, LinkedName{walk.Text(at, hook), filepath.Join(git, "hooks", hook)})
				}
			} else if at != "" {
				out = append(out, LinkedName{at, filepath.Join(git, "hooks")})
			}
		case "core.attributesfile":
			if at := c.path(s.Value, dir); at != "" {
				out = append(out, LinkedName{at, filepath.Join(git, "info", "attributes")})
			}
		default:
			for _, at := range c.programs(s.Value, dir) {
				out = append(out, LinkedName{at, filepath.Join(git, "hooks", filepath.Base(at))})
			}
		}
	}
	for i := range out {
		if to := walk.Leads(out[i].At); to != "" {
			out[i].At = to
		}
	}
	return out
}

// namesNoFile says of the lines of which a repository has one for each branch that they
// name branches.
func namesNoFile(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return section == "branch" || section == "remote" && (strings.HasSuffix(key, ".fetch") || strings.HasSuffix(key, ".push"))
}

// programs are the files that a value names. Which keys hold commands nobody can list
// (aliases, filters, drivers, helpers, tools), so each value may: of its words count those
// that are a path, and behind a program those that are a file. Directories do not.
func (c *GitConfig) programs(value, dir string) (out []string) {
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(betweenWords, r) })
	if !slices.Contains(words, value) {
		words = append(words, strings.TrimLeft(value, "! "))
		words = append(words, strings.FieldsFunc(value, func(r rune) bool { return r == '"' || r == '\'' })...)
	}
	for _, w := range words {
		if strings.Contains(w, "://") || !strings.Contains(w, "/") && w == value {
			continue
		}
		at := c.path(w, dir)
		if at == "" {
			continue
		}
		info, err := os.Stat(at)
		if err == nil && info.Mode().IsRegular() || err != nil && strings.Contains(w, "/") {
			out = append(out, at)
		}
	}
	return out
}

// gitHooks are the names of files that git runs in a directory of hooks.
var gitHooks = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
	pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout
	pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change`)
