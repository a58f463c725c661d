package control

import (
	"path"
	"testing"
)

// installed is a world in whose PATH /usr/bin comes first, then a folder that leads
// into the workspace.
type installed struct{ world }

func (w installed) Program(name string) string {
	for _, dir := range []string{"/usr/bin", "/opt/bin"} {
		if p := path.Join(dir, name); w.files[p] {
			return p
		}
	}
	return ""
}

// Planted says that commands may write what PATH finds.
func (w installed) Planted(name string) (planted, shadows bool) {
	return name == "wc" || name == "echo" || name == "nice" || name == "git" || name == "own", name == "git"
}

// A program that is named by its path counts as its name only where PATH finds just
// that file. Any other is a file that is run, whatever it is called.
func TestProgramsNamedByTheirPath(t *testing.T) {
	f := baseFacts(allowBash("ls*", "git status*", "echo *", "find *", "xargs *", "cat *")...)
	f.Resolver = installed{newWorld("/home/u/p/.env", "/home/u/p/timeout", "/home/u/p/x", "/tmp/nice", "/usr/bin/git", "/usr/bin/timeout", "/usr/bin/env",
		"/usr/bin/echo", "/usr/bin/ls", "/bin/timeout", "/opt/bin/nohup -> /home/u/p/x")}
	for command, want := range map[string]Verdict{
		"timeout 5 ls":                  Allow,
		"/usr/bin/timeout 5 ls":         Allow,
		"/usr/bin/git status":           Allow,
		"/usr/bin/ls -la":               Allow,
		"/usr/bin/echo .env":            Allow,
		"command /usr/bin/timeout 5 ls": Allow,
		"'/usr/bin/git' status":         Allow,

		"./timeout 5 ls":                           Ask,
		"/tmp/nice ls":                             Ask,
		"./nohup ls":                               Ask,
		"nohup/../timeout 5 ls":                    Ask,
		"/home/u/p/timeout 5 ls":                   Ask,
		"/bin/timeout 5 ls":                        Ask, // PATH finds another file
		"/usr/bin/../bin/timeout 5 ls":             Ask,
		"//usr/bin/timeout 5 ls":                   Ask,
		"/opt/bin/nohup ls":                        Ask, // it leads into the workspace
		`'a\timeout' 5 ls`:                         Ask,
		"timeout.exe 5 ls":                         Ask,
		"command ./timeout 5 ls":                   Ask,
		"command command ./nice ls":                Ask,
		"timeout 5 ./timeout 5 ls":                 Ask,
		"exec ./timeout ls":                        Ask,
		"xargs ./timeout ls":                       Ask,
		"find . -exec ./timeout 5 ls ;":            Ask,
		"busybox ls":                               Ask,
		"./busybox ls":                             Ask,
		"/usr/bin/env ls":                          Ask,
		"./env ls":                                 Ask,
		"./builtin ls":                             Ask,
		"./time ls":                                Ask,
		"./git status":                             Ask,
		"./ls":                                     Ask,
		"cd src; timeout() { ./x; }; timeout 5 ls": Ask,
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
	// A rule for every command says yes to the execution, not to what it may read.
	f.Layers[1].Rules = allowBash("*")
	for _, command := range []string{"./echo .env", "/tmp/printf %s .env", "./test -f .env", "./cd .env", "./echo id | sh", "./[ .env ]"} {
		if d := decide(f, bashPlan(command)); d.Verdict != Ask {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
	for command, target := range map[string]string{"/usr/bin/git status": "fs:/usr/bin/git", "/tmp/nice ls": ""} {
		for _, one := range decide(f, bashPlan(command)).Targets {
			if one.Domain == "read" && one.Object == target {
				t.Errorf("%s reads %s", command, target)
			}
		}
	}
}

// Bypass: a command puts a program called as a harmless one where PATH looks first. A
// rule for that one says nothing of it, and neither does one for a program that the other
// is in front of. What is nowhere else is what the rule is about.
func TestBypassPlantedProgram(t *testing.T) {
	f := baseFacts(append(allowBash("wc *", "cat *", "echo *", "nice *", "git status*", "own *"), Rule{Domain: "bash", Pattern: "shell:wc a.go", Decision: "allow", Exact: true})...)
	f.Resolver = installed{newWorld("/home/u/p/a.go", "/usr/bin/wc", "/usr/bin/nice", "/usr/bin/git")}
	for command, want := range map[string]Verdict{"wc a.go": Ask, "wc -l a.go": Ask, "cat a.go | wc": Ask, "nice cat a.go": Ask, "cat a.go": Allow, "echo a.go": Allow, "git status": Ask, "own thing": Allow} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
