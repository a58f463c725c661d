package sandbox

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/gitconfig"
)

// carried are the settings of the person's git that a command gets: who commits, how lines
// end, and whose folders are trusted. Nothing among them names a program, a file or an
// address.
var carried = map[string]bool{
	"user.name": true, "user.email": true, "init.defaultbranch": true, "core.autocrlf": true, "core.eol": true, "safe.directory": true,
}

// gitSettings are what a command sees of the person's own configuration of git.
type gitSettings struct {
	config string // the text of a configuration
	ignore string // the text of the file with what is ignored everywhere, "" without one
	signs  bool   // commits or tags are signed, which a command cannot do
}

// SignsGit says that the git of a person, whose home is userHome and whose variables are
// environ, signs commits or tags. A confined command cannot.
func SignsGit(userHome string, environ []string) bool { return gitSettingsOf(userHome, environ).signs }

// gitSettingsOf reads the person's own configuration of git, without what it includes.
// What cannot be read has nothing.
func gitSettingsOf(userHome string, environ []string) gitSettings {
	folder := filepath.Join(userHome, ".config")
	if named := variable(environ, "XDG_CONFIG_HOME"); filepath.IsAbs(named) {
		folder = named
	}
	folder = filepath.Join(folder, "git")
	excludes := filepath.Join(folder, "ignore")
	var b strings.Builder
	signed := map[string]bool{}
	for _, path := range []string{filepath.Join(folder, "config"), filepath.Join(userHome, ".gitconfig")} {
		for _, line := range gitconfig.Parse(firstText(path)) {
			switch key, value := line.Key, line.Value; {
			case key == "core.excludesfile":
				excludes = value
				if rest, ok := strings.CutPrefix(value, "~/"); ok {
					excludes = filepath.Join(userHome, rest)
				}
			case key == "commit.gpgsign", key == "tag.gpgsign":
				signed[key] = line.Bare || isTrue(value) // the last one counts
			case carried[key]:
				section, name, _ := strings.Cut(key, ".")
				fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, name, quoteGit(value))
			}
		}
	}
	s := gitSettings{config: b.String(), signs: signed["commit.gpgsign"] || signed["tag.gpgsign"]}
	if filepath.IsAbs(excludes) {
		s.ignore = firstText(excludes)
	}
	return s
}

// firstText is the first MiB of a file, "" where it cannot be read.
func firstText(path string) string {
	f, err := durable.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // what could be read
	return string(text)
}

// isTrue reads a value as git reads what is true or false.
func isTrue(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n != 0 || slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(value))
}

// quoteGit writes a value so that git reads it as it is.
func quoteGit(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
