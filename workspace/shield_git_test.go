//go:build linux

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// gitWorld is a world with a real repository, a linked worktree beside the folder and
// what a script needs to have git run a program: a directory whose configuration names
// one.
type gitWorld struct {
	*world
	git, tree, pwned string
	needs            tool.Needs // of the commands that are tried
}

func newGitWorld(t *testing.T, l sandbox.Level) *gitWorld {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	w := newWorld(t, l, sandbox.Settings{})
	g := &gitWorld{world: w, git: git, tree: w.base + "/tree", pwned: w.base + "/PWNED"}
	for _, dir := range []string{".git", "sub/.git"} {
		if err := os.RemoveAll(filepath.Join(w.vault, dir)); err != nil {
			t.Fatal(err)
		}
	}
	g.person(t, w.vault, "init", "-q", ".")
	g.person(t, w.vault, "commit", "-q", "--allow-empty", "-m", "x")
	return g
}

// person is git as the person runs it, without a sandbox.
func (g *gitWorld) person(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(g.git, append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	// The folder is below this checkout: where it has no repository, git does not take ours.
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+g.base)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// evilScript makes a repository of the directory named next, whose configuration has git
// run a program.
const evilScript = `mkdir -p "$1/objects" "$1/refs" && echo ref: refs/heads/main > "$1/HEAD" &&
printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = %s\nfsmonitor = "touch '"$PWN"'; false"\n' "${2:-.}" > "$1/config"`

func (g *gitWorld) evil(command string) string {
	return strings.NewReplacer("$EVIL", "sh ./evil.sh").Replace(command)
}

// tries runs a command confined and then git as the person does, in each of the
// directories. Nothing of the command may run then, and the result says what was undone.
func (g *gitWorld) tries(t *testing.T, name, command string, dirs ...string) {
	t.Helper()
	put(t, g.vault+"/evil.sh", evilScript)
	text, _ := g.runWith(t, "export PWN="+g.pwned+"; echo tried; "+g.evil(command), g.needs...)
	if !strings.Contains(text, "tried") {
		t.Errorf("%s: it did not run: %s", name, text)
	}
	if !regexp.MustCompile(`the sandbox undid|Read-only file system|[Dd]evice or resource busy`).MatchString(text) {
		t.Errorf("%s: nothing was refused or undone, or it was not said: %s", name, text)
	}
	var said string
	for _, dir := range dirs {
		said += g.person(t, dir, "status")
	}
	if _, err := os.Stat(g.pwned); err == nil {
		t.Errorf("%s: git ran the program of the command: %s\n%s", name, text, said)
		os.Remove(g.pwned)
	}
}

// Bypass: what a linked worktree obeys is stored in the repository that it came from,
// which is the folder: its `commondir`, `gitdir` and own configuration.
func TestBypassLinkedWorktree(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct {
				name, command string
			}{
				{"commondir changed", `$EVIL evil $BASE/tree; echo ../../../evil > .git/worktrees/tree/commondir`},
				{"commondir replaced", `$EVIL evil $BASE/tree; rm -f .git/worktrees/tree/commondir; ln -s ../../../evil .git/worktrees/tree/commondir`},
				{"a configuration of its own", `printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > .git/worktrees/tree/config.worktree`},
				{"the directory replaced", `$EVIL evil $BASE/tree; mv .git/worktrees/tree .git/worktrees/t && mkdir .git/worktrees/tree && cp .git/worktrees/t/HEAD .git/worktrees/t/gitdir .git/worktrees/tree/ && echo ../../../evil > .git/worktrees/tree/commondir`},
				{"all worktrees replaced", `$EVIL evil $BASE/tree; mv .git/worktrees .git/w && mkdir -p .git/worktrees/tree && cp .git/w/tree/HEAD .git/w/tree/gitdir .git/worktrees/tree/ && echo ../../../evil > .git/worktrees/tree/commondir`},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				g := newGitWorld(t, l)
				g.needs = tool.Needs{tool.NeedGit}
				g.person(t, g.vault, "worktree", "add", "-q", g.tree)
				g.person(t, g.vault, "config", "extensions.worktreeConfig", "true")
				if said := g.person(t, g.tree, "status"); !strings.Contains(said, "nothing to commit") {
					t.Fatalf("the worktree: %s", said)
				}
				g.tries(t, row.name, row.command, g.tree)
				if said := g.person(t, g.tree, "status"); !strings.Contains(said, "nothing to commit") {
					t.Errorf("%s: the worktree afterwards: %s", row.name, said)
				}
			}
		})
	}
}

// Bypass: what is read-only cannot be renamed, but a directory around it can be, and made
// anew with another repository or other tasks in its place.
func TestBypassDirectoryAroundProtected(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			for _, needs := range []tool.Needs{nil, {tool.NeedGit}} {
				g.needs = needs
				os.RemoveAll(g.vault + "/sub")
				os.RemoveAll(g.vault + "/sub2")
				g.person(t, g.vault, "init", "-q", "sub")
				g.tries(t, "a nested repository", `mv sub sub2; mkdir sub; $EVIL sub/.git ..`, g.vault+"/sub")
			}
			put(t, g.vault+"/pkg/.vscode/tasks.json", "mine")
			put(t, g.vault+"/pkg/AGENTS.md", "mine")
			text, _ := g.run(t, "mv pkg pkg2 && mkdir -p pkg/.vscode && echo evil > pkg/.vscode/tasks.json; echo evil > pkg/AGENTS.md")
			for path, want := range map[string]string{"pkg/.vscode/tasks.json": "", "pkg/AGENTS.md": "", "pkg2/AGENTS.md": "mine", "pkg2/.vscode/tasks.json": "mine"} {
				if l.Name == proc.Landlock && want == "" {
					want = "mine" // it knows the content, and puts it back
				}
				if got, _ := os.ReadFile(g.vault + "/" + path); string(got) != want {
					t.Errorf("%s: %q, want %q: %s", path, got, want, text)
				}
			}
		})
	}
}

// Bypass: git obeys a directory for its shape, at any depth, and a `.git` however far
// down; the script of a test makes one as easily as a file.
func TestBypassRepositoryMade(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			granted := tool.Needs{tool.NeedGit}
			for _, row := range []struct {
				name, command, dir string
				needs              tool.Needs
			}{
				{"a folder of the sources", `$EVIL src`, "src", nil},
				{"the last part of one", `mkdir half/objects`, "half", nil},
				{"one that is new, further down", `$EVIL a/b/c/d/e`, "a/b/c/d/e", nil},
				{"a folder that was there, further down", `$EVIL deep/a/b/c`, "deep/a/b/c", nil},
				{"a .git four levels down", `mkdir -p a/b/c/d; $EVIL a/b/c/d/.git ..`, "a/b/c/d", nil},
				{"granted: a .git four levels down", `mkdir -p a/b/c/d; $EVIL a/b/c/d/.git ..`, "a/b/c/d", granted},
				{"a .git file four levels down", `mkdir -p deep/a/b/c; $EVIL x ../deep/a/b/c; echo gitdir: ../../../../x > deep/a/b/c/.git`, "deep/a/b/c", nil},
				{"the repository further down", `echo evil >> deep/r/e/p/.git/config; git -C deep/r/e/p config core.fsmonitor "touch $PWN; false"`, "deep/r/e/p", nil},
				{"granted: the repository further down", `echo evil >> deep/r/e/p/.git/config; git -C deep/r/e/p config core.fsmonitor "touch $PWN; false"`, "deep/r/e/p", granted},
				{"hooks of the repository further down", `rm -rf deep/r/e/p/.git/config.worktree; printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > deep/r/e/p/.git/config.worktree`, "deep/r/e/p", nil},
				{"granted: hooks of the repository further down", `rm -rf deep/r/e/p/.git/config.worktree; printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > deep/r/e/p/.git/config.worktree`, "deep/r/e/p", granted},
				{"a bare repository that was there", `git -C bare.git config core.fsmonitor "touch $PWN; false"; git -C bare.git config core.bare false; git -C bare.git config core.worktree .`, "bare.git", nil},
				{"granted: a bare repository that was there", `git -C bare.git config core.fsmonitor "touch $PWN; false"; git -C bare.git config core.bare false; git -C bare.git config core.worktree .`, "bare.git", granted},
				{"in what git ignores", `$EVIL ignored/x`, "ignored/x", nil},
				{"among outputs", `$EVIL .agent-output/x`, ".agent-output/x", nil},
				{"behind 4,100 names", `for i in $(seq 1 4100); do : > .a$i; done; $EVIL src; mkdir .husky; echo evil > .husky/pre-commit; echo evil > deep/.envrc`, "src", nil},
				{"a folder renamed to one", `$EVIL y; mv y z; mkdir -p n/m/o/p; mv z n/m/o/p/q`, "n/m/o/p/q", nil},
				{"what was undone", `mkdir -p a; $EVIL a/.git; :`, ".agent-output/undone/1-.git", nil},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				g := newGitWorld(t, l)
				g.needs = row.needs
				for _, dir := range []string{"src", "deep/a/b/c", "ignored"} {
					put(t, filepath.Join(g.vault, dir, "a.go"), "package a\n")
				}
				put(t, g.vault+"/half/HEAD", "ref: refs/heads/main\n")
				put(t, g.vault+"/half/refs/x", "")
				put(t, g.vault+"/half/config", "[core]\nrepositoryformatversion = 0\nfsmonitor = \"touch "+g.pwned+"; false\"\nworktree = .\nbare = false\n")
				put(t, g.vault+"/.gitignore", "ignored\n")
				g.person(t, g.vault, "init", "-q", "deep/r/e/p")
				g.person(t, g.vault+"/deep/r/e/p", "config", "extensions.worktreeConfig", "true")
				g.person(t, g.vault, "init", "-q", "--bare", "bare.git")
				g.tries(t, row.name, row.command, filepath.Join(g.vault, row.dir))
				for _, path := range []string{".husky", "deep/.envrc"} {
					if _, err := os.Lstat(filepath.Join(g.vault, path)); err == nil {
						t.Errorf("%s: %s is there", row.name, path)
					}
				}
				if text, err := os.ReadFile(g.vault + "/src/a.go"); string(text) != "package a\n" {
					t.Errorf("%s: the sources: %q %v", row.name, text, err)
				}
			}
		})
	}
}

// What was a repository before stays one: it works, and may be renamed with a directory
// around it.
func TestRepositoriesStayWhatTheyAre(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			g.person(t, g.vault, "init", "-q", "deep/r/e/p")
			g.person(t, g.vault, "init", "-q", "--bare", "x/y/z/bare.git")
			for _, command := range []string{
				`git push -q x/y/z/bare.git HEAD:refs/heads/main && git -C x/y/z/bare.git log --oneline main && git -C x/y/z/bare.git gc -q`,
				`cd deep/r/e/p && echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm y && git switch -qc other && git gc -q`,
				`mv deep deeper && mv x w && git -C deeper/r/e/p status && git -C w/y/z/bare.git log main`,
			} {
				if text, failed := g.runWith(t, command, tool.NeedGit); failed || strings.Contains(text, "the sandbox") {
					t.Errorf("%s: %s", command, text)
				}
			}
			for _, dir := range []string{"deeper/r/e/p", "w/y/z/bare.git"} {
				if said := g.person(t, filepath.Join(g.vault, dir), "log", "--all"); !strings.Contains(said, "Author: a") {
					t.Errorf("%s: %s", dir, said)
				}
			}
		})
	}
}

// Bypass: the list of what a rebase has still to do may name programs, and git runs them
// when the person goes on with it. So does the name of a strategy of a merge.
func TestBypassRebaseForged(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct{ name, command, dir string }{
				{"a rebase that nobody began", `h=$(git rev-parse HEAD); mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/x > head-name; echo $h > onto; echo $h > orig-head; : > interactive; : > done; printf 'noop\nexec touch '$PWN'\n' > git-rebase-todo; echo 1 > msgnum; echo 1 > end`, "."},
				{"one by its short name", `h=$(git rev-parse HEAD); mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/x > head-name; echo $h > onto; echo $h > orig-head; : > interactive; printf '\tx touch '$PWN'\n' > git-rebase-todo`, "."},
				{"of a linked worktree", `h=$(git rev-parse HEAD); mkdir .git/worktrees/tree/rebase-merge; cd .git/worktrees/tree/rebase-merge; echo refs/heads/x > head-name; echo $h > onto; echo $h > orig-head; : > interactive; printf 'exec touch '$PWN'\n' > git-rebase-todo`, "../tree"},
				{"another file by a link", `h=$(git rev-parse HEAD); mkdir .git/rebase-merge; printf 'exec touch '$PWN'\n' > todo; cd .git/rebase-merge; echo refs/heads/x > head-name; echo $h > onto; echo $h > orig-head; : > interactive; ln -s ../../todo git-rebase-todo`, "."},
				{"another directory by a link", `h=$(git rev-parse HEAD); mkdir r; ln -s ../r .git/rebase-merge; cd r; echo refs/heads/x > head-name; echo $h > onto; echo $h > orig-head; : > interactive; printf 'exec touch '$PWN'\n' > git-rebase-todo`, "."},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				g := newGitWorld(t, l)
				g.needs = tool.Needs{tool.NeedGit}
				g.person(t, g.vault, "worktree", "add", "-q", g.tree)
				g.tries(t, row.name, row.command, filepath.Join(g.vault, row.dir))
				said := g.person(t, filepath.Join(g.vault, row.dir), "rebase", "--continue")
				if _, err := os.Stat(g.pwned); err == nil {
					t.Errorf("%s: git ran the program of the command: %s", row.name, said)
				}
			}
			g := newGitWorld(t, l)
			put(t, g.vault+"/a", "1\n")
			g.person(t, g.vault, "add", "a")
			g.person(t, g.vault, "commit", "-qm", "1")
			g.person(t, g.vault, "switch", "-qc", "other", "HEAD^")
			put(t, g.vault+"/a", "2\n")
			g.person(t, g.vault, "add", "a")
			g.person(t, g.vault, "commit", "-qm", "2")
			text, _ := g.runWith(t, "git -c user.name=a -c user.email=a@b rebase -q -", tool.NeedGit)
			if !strings.Contains(text, "CONFLICT") || strings.Contains(text, "the sandbox") {
				t.Errorf("a rebase of the agent: %s", text)
			}
			text, failed := g.runWith(t, "echo 3 > a; git add a; git -c user.name=a -c user.email=a@b rebase --continue && git log --oneline | wc -l | tr -d ' '", tool.NeedGit)
			if failed || !strings.Contains(text, "3\n") {
				t.Errorf("its end: %s", text)
			}
		})
	}
}

// Bypass: the folder is a linked worktree, and the repository outside of it is written to
// by every commit; what its other worktrees and the repository itself obey is there, too.
func TestBypassRepositoryOfLinkedWorktree(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, command := range []string{
				`$EVIL evil $BASE/main; echo $VAULT/evil > $MAIN/.git/commondir`,
				`$EVIL evil $BASE/main; echo $VAULT/evil > $MAIN/.git/worktrees/other/commondir`,
				`printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > $MAIN/.git/config.worktree`,
				`printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > $MAIN/.git/worktrees/other/config.worktree`,
				`printf '[core]\nfsmonitor = "touch '$PWN'; false"\n' > $MAIN/.git/worktrees/tree/config.worktree`,
			} {
				if !rows.tried(name, command) {
					continue
				}
				g := newGitWorld(t, l)
				main := g.base + "/main"
				g.person(t, g.base, "init", "-q", main)
				g.person(t, main, "commit", "-q", "--allow-empty", "-m", "x")
				g.person(t, main, "config", "extensions.worktreeConfig", "true")
				g.person(t, main, "worktree", "add", "-q", g.tree)
				g.person(t, main, "worktree", "add", "-q", g.base+"/other")
				if err := g.v.SetFolders([]Folder{{Path: g.tree}}); err != nil {
					t.Fatal(err)
				}
				put(t, g.tree+"/evil.sh", evilScript)
				text, _ := g.runWith(t, "export PWN="+g.pwned+" MAIN="+main+"; echo tried; "+strings.NewReplacer("$EVIL", "sh ./evil.sh", "$VAULT", g.tree).Replace(command), tool.NeedGit)
				for _, dir := range []string{main, g.tree, g.base + "/other"} {
					said := g.person(t, dir, "status")
					if _, err := os.Stat(g.pwned); err == nil || !strings.Contains(said, "On branch") {
						t.Errorf("%s: %s: git ran the program of the command (%v): %s%s", command, dir, err, text, said)
						os.Remove(g.pwned)
					}
				}
				text, failed := g.runWith(t, "echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm y && git switch -qc b && git tag t && git stash list && git rev-parse HEAD | wc -l | tr -d ' '", tool.NeedGit)
				if l.Name == proc.Namespaces && (failed || text != "1\n") {
					t.Errorf("commits do not work any more: %s", text)
				}
			}
		})
	}
}

// Bypass: the name of a submodule is a path, and its repository as far down.
func TestBypassSubmodule(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			g.needs = tool.Needs{tool.NeedGit}
			module := g.vault + "/.git/modules/vendor/libs/a"
			put(t, g.vault+"/.git/modules/vendor/libs/b/HEAD", "")
			if said := g.person(t, g.vault, "init", "-q", "--separate-git-dir="+module, "vendor/libs/a"); said != "" {
				t.Fatal(said)
			}
			g.tries(t, "its configuration", `git -C vendor/libs/a config core.fsmonitor "touch $PWN; false"`, g.vault+"/vendor/libs/a")
			g.tries(t, "made anew", `mv .git/modules/vendor .git/v && $EVIL .git/modules/vendor/libs/a $VAULT/vendor/libs/a`, g.vault+"/vendor/libs/a")
		})
	}
}

// Bypass: what git runs is among the sources, by a link in `.git` or by its configuration.
func TestBypassHookAmongSources(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			for _, hook := range []string{"scripts/check", "own hooks/post-commit"} {
				put(t, filepath.Join(g.vault, hook), "#!/bin/sh\n")
				if err := os.Chmod(filepath.Join(g.vault, hook), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("../../scripts/check", g.vault+"/.git/hooks/pre-commit"); err != nil {
				t.Fatal(err)
			}
			commit := func() { g.person(t, g.vault, "commit", "-q", "--allow-empty", "-m", "y") }
			g.tries(t, "by a link", `echo touch $PWN >> scripts/check`)
			commit()
			g.tries(t, "in its place", `rm scripts/check; mkdir -p scripts; printf '#!/bin/sh\ntouch '$PWN'\n' > scripts/check; chmod +x scripts/check`)
			commit()
			g.person(t, g.vault, "config", "core.hooksPath", "own hooks")
			g.tries(t, "by the configuration", `echo touch $PWN >> "own hooks/post-commit"`)
			g.tries(t, "a new one", `printf '#!/bin/sh\ntouch '$PWN'\n' > "own hooks/pre-commit"; chmod +x "own hooks/pre-commit"`)
			commit()
			if _, err := os.Stat(g.pwned); err == nil {
				t.Error("git ran the program of a command")
			}
		})
	}
}
