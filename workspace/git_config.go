package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// What a configuration of git names is read here to keep it, so everything that git
// might take for a line is one, whatever its condition, and what cannot be read says
// nothing. The modules that read such files are strict: they refuse a whole file for a
// line that git takes.

const (
	// gitConfigs is how many files are read for one repository, with those that they include.
	gitConfigs = 32
	// gitSettings is how many lines of all of them count.
	gitSettings = 20_000
)

// gitSetting is one line: "core.hookspath" with its value, and the file that it is in.
type gitSetting struct{ key, value, file string }

// gitConfig is what the files of a configuration say, with those that they include.
type gitConfig struct {
	home     string
	settings []gitSetting
	files    []string // that were included, whether they are there or not
	read     map[string]bool
}

// add reads a file. Conditions of an include are not looked at: they hold in some
// directory or on some branch.
func (c *gitConfig) add(file string) {
	dir := file[:strings.LastIndexByte(file, filepath.Separator)+1]
	key := end(file) + "\x00" + end(dir) // however often a circle of includes names it
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
	for _, s := range parseGitConfig(string(text)) {
		if s.file = file; len(c.settings) >= gitSettings {
			return
		}
		c.settings = append(c.settings, s)
		if section, _, _ := strings.Cut(s.key, "."); (section == "include" || section == "includeif") && strings.HasSuffix(s.key, ".path") {
			if at := c.path(s.value, dir); at != "" {
				c.files = append(c.files, at)
				c.add(at)
			}
		}
	}
}

// path is a path of a value as git understands it, seen from dir; "" for none. No link
// was followed on it, and ".." stays.
func (c *gitConfig) path(value, dir string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if c.home == "" {
			return ""
		}
		value, dir = rest, c.home
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

// parseGitConfig reads the lines of a configuration. Names are in lower case, but for
// what stands in quotes in a section.
func parseGitConfig(text string) (out []gitSetting) {
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, text = gitSection(text[1:])
		default:
			end := strings.IndexAny(text, "=\n#;")
			if end < 0 {
				end = len(text)
			}
			s := gitSetting{key: section + "." + strings.ToLower(strings.TrimSpace(text[:end]))}
			if text = text[end:]; text != "" && text[0] == '=' {
				s.value, text = gitValue(text[1:])
			}
			out = append(out, s)
		}
	}
	return out
}

// gitSection reads the name of a section behind its bracket.
func gitSection(text string) (name, rest string) {
	head, line, _ := strings.Cut(text, "\n")
	quote := strings.IndexByte(head, '"')
	if end := strings.IndexByte(head, ']'); quote < 0 || end >= 0 && end < quote {
		if end < 0 {
			return strings.ToLower(strings.TrimSpace(head)), line
		}
		return strings.ToLower(strings.TrimSpace(head[:end])), text[end+1:]
	}
	var sub strings.Builder
	i := quote + 1
	for ; i < len(head) && head[i] != '"'; i++ {
		if head[i] == '\\' && i+1 < len(head) {
			i++
		}
		sub.WriteByte(head[i])
	}
	name = strings.ToLower(strings.TrimSpace(head[:quote])) + "." + sub.String()
	if end := strings.IndexByte(head[min(i, len(head)):], ']'); end >= 0 {
		return name, text[i+end+1:]
	}
	return name, line
}

// gitValue reads a value up to the end of its line, without comment, quotes and escapes.
func gitValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, kept := false, 0 // kept: what is there up to the last character that is no blank
	text = strings.TrimLeft(text, " \t")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			if c != '\n' {
				_, rest, _ = strings.Cut(text[i:], "\n")
			} else {
				rest = text[i+1:]
			}
			return b.String()[:kept], rest
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			if text[i] != '\n' {
				b.WriteByte(unescaped(text[i]))
			}
			kept = b.Len()
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' && c != '\r' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], ""
}

func unescaped(c byte) byte {
	if i := strings.IndexByte("ntb", c); i >= 0 {
		return "\n\t\b"[i]
	}
	return c
}

// betweenWords are the characters of a shell that end a word. A name that has one of
// them is found only in quotes, or where the value is nothing else.
const betweenWords = " \t\n;|&(){}<>\"'`=,!$"

// named are the files and directories that a configuration makes git run or obey, with
// the names by which it does: dir is the top of the working tree, git its `.git`.
func (c *gitConfig) named(dir, git string) (out []linkedName) {
	for _, at := range c.files {
		out = append(out, linkedName{at, filepath.Join(git, "config")})
	}
	for _, s := range c.settings {
		if namesNoFile(s.key) {
			continue
		}
		switch s.key {
		case "core.hookspath", "init.templatedir":
			at := c.path(s.value, dir)
			if _, in := pathname.Below(end(at), dir); at != "" && in { // all of the sources are among the hooks; by name they can be told
				for _, hook := range gitHooks {
					out = append(out, linkedName{walk.Text(at, hook), filepath.Join(git, "hooks", hook)})
				}
			} else if at != "" {
				out = append(out, linkedName{at, filepath.Join(git, "hooks")})
			}
		case "core.attributesfile":
			if at := c.path(s.value, dir); at != "" {
				out = append(out, linkedName{at, filepath.Join(git, "info", "attributes")})
			}
		default:
			for _, at := range c.programs(s.value, dir) {
				out = append(out, linkedName{at, filepath.Join(git, "hooks", filepath.Base(at))})
			}
		}
	}
	for i := range out {
		if to := end(out[i].at); to != "" {
			out[i].at = to
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
func (c *gitConfig) programs(value, dir string) (out []string) {
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
