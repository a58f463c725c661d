package sandbox

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
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
}

// GitConfigs are the files of a person's own configuration of git, the last one counting
// most. Their home is userHome, their variables are environ.
func GitConfigs(userHome string, environ []string) []string {
	return []string{filepath.Join(gitFolder(userHome, environ), "config"), filepath.Join(userHome, ".gitconfig")}
}

func gitFolder(userHome string, environ []string) string {
	if named := variable(environ, "XDG_CONFIG_HOME"); filepath.IsAbs(named) {
		return filepath.Join(named, "git")
	}
	return filepath.Join(userHome, ".config", "git")
}

// gitSettingsOf reads the person's own configuration of git, without what it includes.
// What cannot be read has nothing.
func gitSettingsOf(userHome string, environ []string) gitSettings {
	excludes := filepath.Join(gitFolder(userHome, environ), "ignore")
	var b strings.Builder
	for _, path := range GitConfigs(userHome, environ) {
		for _, line := range gitconfig.Parse(firstText(path)) {
			switch key, value := line.Key, line.Value; {
			case key == "core.excludesfile":
				excludes = value
				if rest, ok := strings.CutPrefix(value, "~/"); ok {
					excludes = filepath.Join(userHome, rest)
				}
			case carried[key]:
				section, name, _ := strings.Cut(key, ".")
				fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, name, quoteGit(value))
			}
		}
	}
	s := gitSettings{config: b.String()}
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

// quoteGit writes a value so that git reads it as it is.
func quoteGit(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
