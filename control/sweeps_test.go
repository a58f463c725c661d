package control

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// searching is a world that knows what is below its directories.
type searching struct{ world }

func (s searching) Directory(object string) bool {
	return slices.Contains([]string{"vault:/", "vault:/src", "vault:/lib"}, object)
}

func (s searching) Below(dir, word string, links bool, ends []string, asked func(string) bool) ([]string, bool) {
	if links {
		return nil, false
	}
	if !strings.HasPrefix(word, "/") {
		word = dir + "/" + word
	}
	word = path.Clean(word)
	var out []string
	for f := range s.files {
		ends := len(ends) == 0 || slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(f, end) })
		if strings.HasPrefix(f, word+"/") && ends && asked(s.object(f)) {
			out = append(out, s.object(f))
		}
	}
	slices.Sort(out)
	return out, true
}

func searchFacts(rules ...Rule) Facts {
	f := baseFacts(rules...)
	f.Resolver = searching{newWorld("/home/u/p/a.go", "/home/u/p/.env", "/home/u/p/src/main.go", "/home/u/p/src/util.c", "/home/u/p/lib/x.go", "/home/u/p/lib/server.key")}
	return f
}

// Who writes "grep *" means the options that read whole directories, too.
func TestWrittenRulesCoverWholeDirectories(t *testing.T) {
	for _, command := range []string{
		"grep -rn foo src", "grep -r foo src/", "grep -rniE 'a|b' src a.go", "grep --recursive -e foo src", "grep -rn --include='*.go' foo .",
		"grep -rn --include '*.go' --include=*.c foo .", "cp -r src build", "cp -a src /tmp/x", "mv src build", "mv -f a.go src", "mv -t src a.go", "mv a.go b.go", "mv src/* lib/", "tar czf x.tgz src", "tar -czf x.tgz src", "tar xzf x.tgz", "tar tf x.tgz",
		"zip -ry x.zip src", "rsync -a src/ build/", "rsync -avz --exclude=x src build",
	} {
		for _, pattern := range []string{"*", strings.Fields(strings.TrimPrefix(command, "cd src && "))[0] + " *"} {
			f := searchFacts(append(allowBash(pattern), allowBash("cd *")...)...)
			f.Layers = append(f.Layers, Layer{Source: "config", Rules: []Rule{rule("edit", "fs:/tmp/**", "allow"), rule("read", "fs:/tmp/**", "allow")}})
			if d := decide(f, bashPlan(command)); d.Verdict != Allow {
				t.Errorf("%s under %s: %v (%s)", command, pattern, d.Verdict, d.Reason)
			}
		}
	}
}

// Bypass: a rule for a program reads the secrets below a directory that nobody named. The
// question names the file, and a rule that names its kind answers it.
func TestBypassSecretsBelowDirectories(t *testing.T) {
	for command, file := range map[string]string{
		"grep -rn KEY .": ".env", "grep -rn KEY": ".env", "grep -rn src": ".env", "grep -rn -e src .": ".env", "grep -r KEY lib": "server.key", "cd lib && grep -r KEY": ".env", "cp -r . build": ".env",
		"tar czf x.tgz .": ".env", "tar czf x.tgz src lib": "server.key", "zip -ry x.zip .": ".env", "rsync -a . build": ".env", "rsync -a lib/ build": "server.key",
		"grep -rn --include='*.key' KEY .": "server.key", "grep -rn --include='*.go' --exclude=x KEY .": ".env", "grep -rn --include='*' KEY .": ".env", "grep -rn --include='[.]env' KEY .": ".env",
		"cp -rt build . ": ".env", "mv $PWD build": ".env", "mv lib build": "server.key", "mv -t build lib": "server.key", "mv --target-directory=build lib": "server.key", "cp -r -t lib src": "server.key",
	} {
		head := strings.Fields(strings.TrimPrefix(command, "cd lib && "))[0]
		for _, pattern := range []string{"*", head + " *"} {
			rules := append(allowBash(pattern), allowBash("cd *")...)
			d := decide(searchFacts(rules...), bashPlan(command))
			if d.Verdict != Ask || !strings.Contains(d.Reason.String(), file) {
				t.Errorf("%s under %s: %v (%s)", command, pattern, d.Verdict, d.Reason)
			}
			d = decide(searchFacts(append(rules, rule("read", "*.env", "allow"), rule("read", "*.key", "allow"))...), bashPlan(command))
			if d.Verdict != Allow {
				t.Errorf("%s under %s with rules that name the files: %v (%s)", command, pattern, d.Verdict, d.Reason)
			}
			d = decide(searchFacts(append(rules, rule("read", file, "deny"))...), bashPlan(command))
			if d.Verdict != Deny {
				t.Errorf("%s under %s with a deny for %s: %v (%s)", command, pattern, file, d.Verdict, d.Reason)
			}
		}
	}
}

// Bypass: which files a command reads is not said by its words: links, lists of names,
// other machines, other programs.
func TestBypassDirectoriesThatAreNotKnown(t *testing.T) {
	for _, command := range []string{
		"grep -R KEY src", "grep -rf x src", "grep -rd read KEY src", "grep --rec KEY src", "grep --dir=recurse KEY src", "zip -r x.zip src", "zip -@ x.zip", "tar cf x.tar -T names", "tar cf x.tar --files-from=names",
		"tar chf x.tar src", "tar cf host:x.tar src", "rsync -aL src build", "rsync -a --files-from=x . build", "rsync -a --copy-links src build", "cp -rL src build", "find . -exec cat {} ;", "find . | xargs cat",
		"find . -type f | xargs grep -r KEY", "ls -a | xargs grep -rn KEY", "grep -rn KEY $(find .)", "rg --hidden KEY", "tar -C lib -cf x.tar .", "diff -r src lib",
		"rg -g '.en*' KEY", "rg -g'*' KEY", "rg --glob '.env' KEY", "rg --iglob=*.[k]ey KEY",
	} {
		head := strings.Fields(command)[0]
		for _, pattern := range []string{head + " *", "*"} {
			if pattern == "*" && strings.Contains(command, " -C ") {
				continue // whoever writes it means that
			}
			f := searchFacts(allowBash(pattern, "find *", "xargs *", "ls *")...)
			if d := decide(f, bashPlan(command)); d.Verdict != Ask {
				t.Errorf("%s under %s: %v (%s)", command, pattern, d.Verdict, d.Reason)
			}
		}
	}
	// What `always` stored was said about a command that was shown.
	for _, by := range []string{"always", ""} {
		f := searchFacts()
		f.Layers = append(f.Layers, Layer{Source: map[bool]string{true: "always", false: "config"}[by == ""], Rules: []Rule{{Domain: "bash", Pattern: "grep *", Decision: "allow", By: by}}})
		if d := decide(f, bashPlan("grep -rn foo src")); d.Verdict != Ask {
			t.Errorf("a stored rule: %v (%s)", d.Verdict, d.Reason)
		}
	}
	f := searchFacts(Rule{Domain: "bash", Pattern: "grep -rn KEY .", Decision: "allow", Exact: true})
	if d := decide(f, bashPlan("grep -rn KEY .")); d.Verdict != Allow {
		t.Errorf("the very command: %v (%s)", d.Verdict, d.Reason)
	}
}

// Bypass: long-term memory is closed to the session of a group, also below a directory.
func TestBypassMemoryBelowDirectories(t *testing.T) {
	f := searchFacts(allowBash("*")...)
	f.Resolver = searching{newWorld("/home/u/p/a.go", "/home/u/p/.agent/MEMORY.md", "/home/u/p/src/main.go")}
	for _, none := range []bool{false, true} {
		f.NoMemory = none
		if d := decide(f, bashPlan("grep -rn KEY .")); (d.Verdict == Deny) != none {
			t.Errorf("without memory %v: %v (%s)", none, d.Verdict, d.Reason)
		}
	}
}
