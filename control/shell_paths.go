package control

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Globber is what a Resolver may also be able to do: say which paths a glob in
// a command hits. complete is false when it gave up; without a Globber, or then,
// a glob that might name a sensitive file asks.
type Globber interface {
	Glob(dir, pattern string) (paths []string, complete bool)
}

// fileTargets turns the words of a script into targets: every word that names
// something that exists, and every redirection (control §2, rulings 29, 92).
func (s *script) fileTargets(f Facts) []tool.Target {
	t := targetList{seen: map[tool.Target]bool{}}
	t.renames = slices.ContainsFunc(s.commands, func(c *command) bool { return slices.Contains([]string{"ln", "cp", "mv", "mount"}, c.head) })
	resolver := f.Resolver
	if resolver == nil {
		resolver = lexical{f.Roots}
	}
	type question struct{ dir, word string }
	type reply struct {
		objects []string
		exists  bool
	}
	known := map[question]reply{}
	ask := func(dir, word string) ([]string, bool) {
		if strings.HasPrefix(word, "/") {
			dir = ""
		}
		q := question{dir, word}
		a, ok := known[q]
		if !ok {
			a.objects, a.exists = resolver.Objects(dir, word)
			known[q] = a
		}
		return a.objects, a.exists
	}
	for _, u := range s.uses {
		dirs := s.dirs
		if len(dirs) == 0 || strings.HasPrefix(u.word, "/") {
			dirs = []string{""}
		}
		for _, dir := range dirs {
			if u.glob {
				s.globTargets(&t, f, resolver, u, dir)
				continue
			}
			objects, exists := ask(dir, u.word)
			t.add(f, u, objects, exists)
		}
	}
	return t.list
}

// globTargets asks the disk what a glob hits, or guesses on the safe side.
func (s *script) globTargets(t *targetList, f Facts, resolver Resolver, u pathUse, dir string) {
	if g, ok := resolver.(Globber); ok {
		if paths, complete := g.Glob(dir, u.word); complete {
			if len(paths) == 0 {
				paths = []string{u.word} // the shell leaves it as it is
			}
			for _, p := range paths {
				objects, exists := resolver.Objects(dir, p)
				t.add(f, u, objects, exists)
			}
			return
		}
	}
	if u.head == "ls" && u.domain == "read" {
		return // it shows names only
	}
	if mightName(u.word, u.domain == "edit") {
		s.doubt("the pattern " + Title(u.word, 60) + " may name sensitive files")
	}
}

// targetList collects targets in order, each once.
type targetList struct {
	list []tool.Target
	seen map[tool.Target]bool
	// renames says that the text itself gives files other names: `ln -s . d; cat
	// d/.env`.
	renames bool
}

func (t *targetList) add(f Facts, u pathUse, objects []string, exists bool) {
	for _, object := range objects {
		o := newObject(object)
		home := f.inHome(o)
		switch {
		case harmlessDevice(object):
			continue
		case home, u.redirect:
			// The sidecar's home counts even where nothing is there yet.
		case u.writer && (!o.isVault() || o.rest == "" || o.rest == "."):
			continue // outside a root the word is a read target (ruling 34)
		case !exists && !u.writer && !(t.renames && (Sensitive(object) || IsProtected(object))):
			continue
		}
		target := tool.Target{Domain: u.domain, Object: object}
		if !t.seen[target] {
			t.seen[target] = true
			t.list = append(t.list, target)
		}
	}
}

func harmlessDevice(object string) bool {
	name, ok := strings.CutPrefix(object, "fs:/dev/")
	if !ok {
		return false
	}
	switch name {
	case "null", "stdin", "stdout", "stderr", "zero", "urandom":
		return true
	}
	fd, ok := strings.CutPrefix(name, "fd/")
	return ok && isDescriptor(fd)
}

// sampleNames stand for what the sensitive and protected lists describe.
var (
	sampleSensitive = []string{
		".env", ".env.local", "prod.env", "id_rsa", "id_rsa.pub", "id_ed25519", "server.pem", "server.key", "cert.p12", "cert.pfx",
		".netrc", ".npmrc", ".pypirc", "credentials", "credentials.json", ".aws/credentials", ".ssh/id_rsa", ".ssh/config",
		".gnupg/private-keys-v1.d", ".kube/config", ".docker/config.json",
	}
	sampleProtected = append([]string{
		".git", ".git/config", ".git/hooks/pre-commit", ".vscode", ".vscode/tasks.json", ".idea", ".envrc", ".github/workflows/ci.yml", ".github",
		".husky/pre-commit", ".gitmodules", ".gitattributes", "Jenkinsfile", "AGENTS.md", ".agent/MEMORY.md", ".mcp.json", ".claude", ".cursor",
	}, sampleSensitive...)
)

// mightName holds the end of a glob against names that stand for the lists. As
// in the shell, a wildcard does not match a leading dot.
func mightName(glob string, edit bool) bool {
	samples := sampleSensitive
	if edit {
		samples = sampleProtected
	}
	segments := strings.Split(strings.Trim(path.Clean(glob), "/"), "/")
	for _, sample := range samples {
		names := strings.Split(sample, "/")
		if len(names) > len(segments) {
			continue
		}
		tail := segments[len(segments)-len(names):]
		hit := true
		for i, name := range names {
			dotted := strings.HasPrefix(name, ".") && strings.IndexByte("*?", first(tail[i])) >= 0
			if dotted || !doublestar.MatchUnvalidated(strings.ToLower(tail[i]), strings.ToLower(name)) {
				hit = false
				break
			}
		}
		if hit {
			return true
		}
	}
	return false
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// lexical answers without a disk: what looks like a path counts as one.
type lexical struct{ roots []string }

func (l lexical) Objects(dir, word string) ([]string, bool) {
	looks := strings.ContainsAny(word, "/~") || strings.HasPrefix(word, ".") || Sensitive("vault:/"+word)
	if !strings.HasPrefix(word, "/") {
		if dir == "" {
			return []string{"vault:/" + strings.TrimPrefix(path.Clean("/"+word), "/")}, looks
		}
		word = dir + "/" + word
	}
	word = cleanPath(word)
	for i, root := range l.roots {
		if i == 0 && inside(word, root) {
			return []string{"vault:/" + strings.TrimPrefix(word[len(strings.TrimSuffix(root, "/")):], "/")}, looks
		}
	}
	return []string{"fs:" + word}, looks
}
