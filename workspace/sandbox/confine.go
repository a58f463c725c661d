package sandbox

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// SecretPlaces are where a person's home keeps keys, tokens, passwords, cookies
// and what was typed. Commands cannot read them where they see the home, because a folder
// of the workspace contains it.
var SecretPlaces = strings.Fields(`
	.ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .pypirc .git-credentials .config/git/credentials .pgpass .my.cnf
	.config/gh .config/hub .config/glab-cli .config/gcloud .config/doctl .config/op .config/sops .config/age .config/containers/auth.json
	.config/rclone .config/github-copilot .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird
	.local/share/keyrings .local/share/kwalletd .password-store .vault-token .terraform.d .terraformrc
	.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
	.bitcoin .ethereum .electrum .env .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history
	.claude .claude.json .codex .gemini .Xauthority .ICEauthority
	Library/Keychains Library/Cookies Library/Application*Support/Google/Chrome Library/Application*Support/Firefox
`)

// sharedDevices are what a /dev that is not the command's own shares with the
// person's programs: what they type, and their memory.
var sharedDevices = []string{"/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/input"}

// Confine is what one command may touch.
func (a Surroundings) Confine(l Level, s Settings, w Policy) (proc.Confinement, error) {
	if l.Name == proc.None || w.Needs.Has(tool.NeedUnconfined) {
		return proc.Confinement{Level: proc.None}, nil
	}
	if len(a.Within) != len(w.Bounds.Within) { // who forgets them would let the agent write everywhere
		return proc.Confinement{}, errors.New("the folders that the agent is limited to are not known")
	}
	temp, err := a.Temp.Dir()
	if err != nil {
		return proc.Confinement{}, err
	}
	c := proc.Confinement{
		Level: l.Name, Bubblewrap: l.Bubblewrap, Temp: temp, Closed: filepath.Join(filepath.Dir(temp), tempClosed),
		Read: append(readPlaces(a.UserHome, a.Environ), a.Around...), Network: s.Network || w.Needs.Has(tool.NeedNetwork), Most: s.most(a.Roots),
	}
	for _, r := range s.Readable {
		c.Read = append(c.Read, Existing(a.Expand(r))...)
	}
	// A folder that is the whole disk is not given away.
	c.Write = slices.DeleteFunc(slices.Clone(a.Roots), func(r string) bool { return r == "/" })
	var given []string // by the person, by name
	for _, dir := range s.Writable {
		given = append(given, Existing(a.Expand(dir))...)
	}
	c.Write = append(c.Write, given...)
	if a.Cache != "" {
		if err := os.MkdirAll(a.Cache, 0o700); err != nil {
			return proc.Confinement{}, err
		}
		c.Write = append(c.Write, Existing(a.Cache)...)
	}
	for _, p := range SecretPlaces {
		if a.UserHome != "" {
			c.Hidden = append(c.Hidden, Existing(filepath.Join(a.UserHome, strings.ReplaceAll(p, "*", " ")))...)
		}
	}
	c.Hidden = append(c.Hidden, Existing(a.Home)...)
	c.Hidden = append(c.Hidden, closedSettings()...)
	if l.Name == proc.Landlock {
		c.Hidden = append(c.Hidden, Existing(sharedDevices...)...)
	}
	if l.Name == proc.Namespaces {
		c.Write, c.ReadOnly = append(c.Write, a.Worktrees.Write...), append(c.ReadOnly, a.Worktrees.ReadOnly...)
		// A socket in a folder of the project is the project's own. Who only looks reaches
		// nobody through one.
		inside := slices.Clone(c.Hidden)
		if !w.Looks() {
			inside = append(inside, c.Write...)
		}
		c.Hidden = append(c.Hidden, slices.DeleteFunc(daemonSockets(), func(path string) bool {
			return slices.ContainsFunc(inside, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
		})...)
	}
	c.Write, c.ReadOnly = append(c.Write, a.Protected.Write...), append(c.ReadOnly, a.Protected.ReadOnly...)
	if l.Closes() && a.Artifacts.Own != "" {
		c.Write = append(c.Write, a.Artifacts.Own)
	}
	a.bound(&c)
	if l.Closes() {
		a.close(&c)
	}
	c.ReadOnly = append(c.ReadOnly, slices.DeleteFunc(a.homeFiles(c.Write), func(p string) bool { return slices.Contains(c.Write, p) })...)
	c.Read, c.Write, c.Hidden = once(c.Read), once(c.Write), once(c.Hidden)
	if err := a.ownHome(&c); err != nil {
		return proc.Confinement{}, err
	}
	a.keepWorkspace(&c, w, given)
	if w.Looks() {
		if err := a.onlyLook(&c); err != nil {
			return proc.Confinement{}, err
		}
	}
	if l.Bubblewrap != "" {
		a.stay(&c)
	}
	return c, nil
}

// close hides what of the folders is not for the command.
func (a Surroundings) close(c *proc.Confinement) {
	c.Hidden = append(c.Hidden, a.Closed...)
	if c.Level == proc.Namespaces && c.Bubblewrap == "" {
		c.Known = a.Known
	}
	c.Shown = append(c.Shown, a.Opened...)
	c.Hidden = append(c.Hidden, a.Artifacts.Dirs...)
	c.Shown = append(c.Shown, a.Artifacts.Ignores...)
	if own := a.Artifacts.Own; own != "" && !slices.Contains(c.Write, own) {
		c.Shown = append(c.Shown, own)
	}
}

// stay keeps every directory around a closed file in its place: each becomes a mount of its
// own, and no mount can be renamed or removed. Bubblewrap cannot check that what it covers is
// the file that was found, so no other command may move one before it is covered.
func (a Surroundings) stay(c *proc.Confinement) {
	around := map[string]bool{}
	for _, p := range a.Closed {
		for dir := filepath.Dir(p); dir != "/" && !around[dir]; dir = filepath.Dir(dir) {
			around[dir] = true
		}
	}
	c.Write = once(append(c.Write, c.Changeable(slices.Collect(maps.Keys(around)))...))
}

// homeFiles are what the person's own programs obey, where something that commands
// may write to contains the person's home: every name in it that begins with a dot.
func (a Surroundings) homeFiles(write []string) []string {
	home := Existing(a.UserHome)
	if len(home) == 0 || !slices.ContainsFunc(write, func(r string) bool { return r == home[0] || strings.HasPrefix(home[0], r+"/") }) {
		return nil
	}
	entries, err := os.ReadDir(home[0])
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Type()&os.ModeSymlink == 0 {
			out = append(out, filepath.Join(home[0], e.Name()))
		}
	}
	return out
}

// Env leads a confined command's temporary files and caches to where it
// may write. Names in keep are the person's own choice.
func (a Surroundings) Env(env, keep []string, c proc.Confinement) []string {
	if c.Level == "" || c.Level == proc.None {
		return env
	}
	temp := c.Temp
	if c.Level == proc.Namespaces {
		temp = "/tmp"
	}
	cache := a.Cache
	if cache == "" {
		cache = filepath.Join(temp, "cache")
	}
	led := map[string]string{
		"TMPDIR": temp, "XDG_CACHE_HOME": cache,
		"GOCACHE": filepath.Join(cache, "go-build"), "npm_config_cache": filepath.Join(cache, "npm"),
	}
	if c.Level == proc.Namespaces { // the directories above a folder are of the sandbox
		led["GIT_DISCOVERY_ACROSS_FILESYSTEM"] = "1"
		led["GIT_OPTIONAL_LOCKS"] = "0" // what only reads does not try to write to a repository
	}
	if home := homeIn(c); home != "" {
		led["HOME"] = home
		env = slices.DeleteFunc(env, func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return slices.Contains(ownPlaces, name) && !slices.Contains(keep, name)
		})
	} else {
		led["GIT_CONFIG_GLOBAL"] = filepath.Join(filepath.Dir(c.Temp), tempGit)
	}
	for name, value := range led {
		if slices.Contains(keep, name) {
			continue
		}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}
