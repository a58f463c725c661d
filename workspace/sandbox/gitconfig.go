package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/gcfg/v2"
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
	for _, path := range []string{filepath.Join(folder, "config"), filepath.Join(userHome, ".gitconfig")} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		_ = gcfg.ReadWithCallback(io.LimitReader(f, 1<<20), func(section, subsection, name, value string, _ bool) error { // what is before an error counts
			switch key := strings.ToLower(section + "." + name); {
			case subsection != "" || name == "":
			case key == "core.excludesfile":
				excludes = value
				if rest, ok := strings.CutPrefix(value, "~/"); ok {
					excludes = filepath.Join(userHome, rest)
				}
			case carried[key]:
				fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", strings.ToLower(section), name, quoteGit(value))
			}
			return nil
		})
		f.Close()
	}
	s := gitSettings{config: b.String()}
	if f, err := os.Open(excludes); err == nil && filepath.IsAbs(excludes) {
		text, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // what could be read
		s.ignore = string(text)
		f.Close()
	}
	return s
}

// quoteGit writes a value so that git reads it as it is.
func quoteGit(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
