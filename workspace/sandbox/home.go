package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// ownPlaces are the variables that lead a program to folders of the person's home which a
// command with a home of its own does not see.
var ownPlaces = []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}

// ownHome gives a command a home of its own, with the toolchains of the person's in it and
// a configuration of git that names no program. Where a folder of the workspace is the
// home, or contains it, and at levels that show nothing at another path, only git is led to
// that configuration.
func (a Surroundings) ownHome(c *proc.Confinement) error {
	settings := gitSettingsOf(a.UserHome, a.Environ)
	ignore, err := keep(c.Temp, tempIgnore, settings.ignore)
	if err != nil {
		return err
	}
	home := Existing(a.UserHome)
	seen := len(home) > 0 && contains(c.Write, home[0])
	own := c.Level == proc.Namespaces && len(home) > 0 && !seen
	ignoreAt := ignore
	if own {
		ignoreAt = filepath.Join(home[0], ".config/git/ignore")
	}
	config, err := keep(c.Temp, tempGit, settings.config+"[core]\n\texcludesFile = "+quoteGit(ignoreAt)+"\n")
	if err != nil {
		return err
	}
	if !own {
		c.Read = append(c.Read, config, ignore)
		if len(home) > 0 && !seen {
			a.closeHome(c, home[0])
		}
		return nil
	}
	from := filepath.Join(a.Cache, tempHome)
	if a.Cache == "" {
		from = filepath.Join(filepath.Dir(c.Temp), tempHome)
	}
	if err := os.MkdirAll(from, 0o700); err != nil {
		return err
	}
	if other := accountHome(); other != "" && other != home[0] && !contains(c.Write, other) && !contains([]string{home[0]}, other) {
		c.Own = append(c.Own, proc.Own{From: from, At: other, Write: true})
	}
	c.Own = append(c.Own, proc.Own{From: from, At: home[0], Write: true},
		proc.Own{From: config, At: filepath.Join(home[0], ".gitconfig")}, proc.Own{From: ignore, At: ignoreAt})
	return nil
}

// accountHome is the home of the person's account, "" for none. Java and others go there
// whatever HOME says.
func accountHome() string {
	account, err := user.Current()
	if err != nil {
		return ""
	}
	for _, home := range Existing(account.HomeDir) {
		return home
	}
	return ""
}

// closeHome hides the person's home where nothing can be laid over it: at level seatbelt
// everything can be read that is not hidden, and a home may be in a folder of the system.
func (a Surroundings) closeHome(c *proc.Confinement, home string) {
	inSystem := slices.ContainsFunc(c.Read, func(r string) bool { return strings.HasPrefix(home, r+"/") })
	if c.Level != proc.Seatbelt && !inSystem {
		return
	}
	c.Hidden = append(c.Hidden, home)
	for _, r := range c.Read {
		if strings.HasPrefix(r, home+"/") {
			c.Shown = append(c.Shown, r)
		}
	}
}

// homeIn is the home of its own that a command sees, "" where it has none.
func homeIn(c proc.Confinement) (at string) {
	for _, own := range c.Own {
		if own.Write {
			at = own.At // the last is where HOME leads
		}
	}
	return at
}
