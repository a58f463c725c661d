package system

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Environment is where a session works, as far as the model is told: only what
// stands still for hours, so that the prompt's prefix stays the same.
type Environment struct {
	Folders []string `json:"folders"`          // absolute; the first is the working directory
	Branch  string   `json:"branch,omitempty"` // of git, "" where there is none
	OS      string   `json:"os"`
	Date    string   `json:"date"` // the day, local: 2006-01-02
}

// text is the environment's part of the system prompt.
func (e Environment) text() string {
	if e.Date == "" {
		return "" // nothing is known
	}
	var b strings.Builder
	b.WriteString("# Environment\n")
	if len(e.Folders) == 0 {
		b.WriteString("No folder is open.\n")
	}
	for i, f := range e.Folders {
		name := "Further folder"
		if i == 0 {
			name = "Working directory"
		}
		fmt.Fprintf(&b, "%s: %s\n", name, asName(f))
	}
	if e.Branch != "" {
		fmt.Fprintf(&b, "Git branch: %s\n", asName(e.Branch))
	}
	fmt.Fprintf(&b, "Operating system: %s\nDate: %s", e.OS, e.Date)
	return b.String()
}

// Reminders of the environment begin with these words; that is how a later run
// finds what the model was told last.
const (
	environmentNews  = "The environment has changed since this conversation began: "
	environmentAgain = "The environment is again as it was when this conversation began."
)

// news says what is different now, "" where nothing is.
func (e Environment) news(now Environment) string {
	var parts []string
	was, is := e.Folders, now.Folders
	if len(is) == 0 && len(was) > 0 {
		parts = append(parts, "no folder is open")
	}
	if len(is) > 0 && (len(was) == 0 || was[0] != is[0]) {
		parts = append(parts, "the working directory is "+asName(is[0]))
	}
	switch was, is = further(was), further(is); {
	case slices.Equal(was, is):
	case len(is) == 0:
		parts = append(parts, "there is no further folder")
	default:
		parts = append(parts, "further folders are "+asName(strings.Join(is, ", ")))
	}
	switch {
	case e.Branch == now.Branch:
	case now.Branch == "":
		parts = append(parts, "no git branch is checked out")
	default:
		parts = append(parts, "the git branch is "+asName(now.Branch))
	}
	if e.Date != now.Date {
		parts = append(parts, "today is "+now.Date)
	}
	if parts == nil {
		return ""
	}
	return environmentNews + strings.Join(parts, "; ") + "."
}

func further(folders []string) []string { return folders[min(1, len(folders)):] }

// environmentReminder is what has to be said about the environment before the next
// request, "" where the model knows: the prompt says how it was at the start of the
// session, and said what was said since. What a summary has swallowed is said
// again.
func environmentReminder(start, now Environment, said *Said) string {
	return unlessSaid(said, environmentNews, environmentAgain, start.news(now))
}

// EnvironmentFile is where a session keeps how its environment was at the start,
// for the processes after this one. Without it the prompt is as true, and only the
// provider's cache is lost.
const EnvironmentFile = "environment.json"

// mostEnvironment is more than that has, in bytes.
const mostEnvironment = 1 << 20

// Keep writes it into the folder of a session.
func (e Environment) Keep(disk *durable.Disk, dir string) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, EnvironmentFile), append(raw, '\n'), 0o600)
}

// Kept is the environment that the session in dir began in; false where nobody knows.
func Kept(dir string) (Environment, bool) {
	var kept Environment
	raw, err := durable.ReadFile(filepath.Join(dir, EnvironmentFile), mostEnvironment)
	return kept, err == nil && json.Unmarshal(raw, &kept) == nil && kept.Date != ""
}

// Redacted has no secret in the name of a branch or a folder: it is in every request,
// and in a file of the session.
func (e Environment) Redacted() Environment {
	e.Branch = secrets.Redact(e.Branch)
	e.Folders = slices.Clone(e.Folders)
	for i, folder := range e.Folders {
		e.Folders[i] = secrets.Redact(folder)
	}
	return e
}
