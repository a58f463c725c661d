//go:build linux

package workspace

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// keepingLevels are the levels at which a repository is read-only for commands.
func keepingLevels(t *testing.T) map[string]sandbox.Level {
	levels := levelsHere(t)
	for name, l := range levels {
		if l.Name != proc.Namespaces {
			delete(levels, name)
		}
	}
	return levels
}

// manyRepositories is a world with a repository of each kind: at the top, nested at two
// depths, a bare one, a submodule, and one that a linked worktree outside is of.
func manyRepositories(t *testing.T, l sandbox.Level) *gitWorld {
	g := newGitWorld(t, l)
	put(t, g.vault+"/a.txt", "1\n")
	g.person(t, g.vault, "add", "a.txt")
	g.person(t, g.vault, "commit", "-qm", "a")
	g.person(t, g.vault, "config", "alias.ci", "commit -q --allow-empty -m alias")
	for _, dir := range []string{"sub", "deep/r/e/p"} {
		g.person(t, g.vault, "init", "-q", dir)
		g.person(t, filepath.Join(g.vault, dir), "commit", "-q", "--allow-empty", "-m", "x")
	}
	g.person(t, g.vault, "init", "-q", "--bare", "bare.git")
	put(t, g.vault+"/.git/modules/vendor/b/HEAD", "")
	if said := g.person(t, g.vault, "init", "-q", "--separate-git-dir="+g.vault+"/.git/modules/vendor/a", "vendor/a"); said != "" {
		t.Fatal(said)
	}
	g.person(t, g.vault+"/vendor/a", "commit", "-q", "--allow-empty", "-m", "x")
	g.person(t, g.vault, "worktree", "add", "-q", g.tree)
	return g
}

// jobInBox starts a command in the background; ended waits for its end.
func jobInBox(t *testing.T, v *Vault, command string) (ended func() tool.Result) {
	t.Helper()
	r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(v, "0001"), map[string]any{"command": command, "background": true}), &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return func() tool.Result {
		id := regexp.MustCompile(`job_\w{4}`).FindString(r.Text)
		for id != "" && r.ExitCode == nil && !r.Failed {
			r = outputtest.Run(t, newJobOutput(v, "0001"), `{"id": "`+id+`", "waitMs": 60000}`)
		}
		return r
	}
}

// fingerprint is what is in the directories: each name with its kind and content.
func fingerprint(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %v", path, info.Mode())
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %x", sha256.Sum256(text))
			}
			b.WriteString("\n")
			return nil
		})
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", dir, err)
		}
	}
	return b.String()
}

// A command that only reads a repository works, and leaves nothing to be said.
func TestRepositoryIsRead(t *testing.T) {
	for name, l := range keepingLevels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := manyRepositories(t, l)
			put(t, g.vault+"/a.txt", "1\n2\n")
			before := fingerprint(t, g.vault+"/.git")
			text, failed := g.run(t, `set -e; for c in status "status --short" "log --oneline" diff "diff HEAD" "show --stat HEAD" "blame a.txt" "grep -n 1" ls-files "rev-parse HEAD" "describe --always --dirty" `+
				`branch tag "stash list" "worktree list" "for-each-ref" "reflog" "submodule status" "config --list" "cat-file -p HEAD" "check-ignore x" "fsck"; do git $c > out 2> err || [ "$c" = "check-ignore x" ]; `+
				`if grep -iE "read-only|unable|fatal" err; then echo "$c"; fi; done; cd vendor/a; git status --short; cd ../../deep/r/e/p; git log --format=%s; echo $GIT_OPTIONAL_LOCKS`)
			if failed || text != "x\n0\n" {
				t.Errorf("%v %q", failed, text)
			}
			if after := fingerprint(t, g.vault+"/.git"); after != before {
				t.Errorf("it changed: %s", differing(before, after))
			}
			text, failed = g.runWith(t, `echo 3 > b && git add b && git -c user.name=a -c user.email=a@b commit -qm b && git tag t && git -C deep/r/e/p branch y && git -C vendor/a branch y && git log --format=%s -1`, tool.NeedGit)
			if failed || text != "b\n" {
				t.Errorf("with the need: %s", text)
			}
		})
	}
}

// Bypass: there are many ways to say git, and others to write what it would write.
func TestBypassRepositoryReadOnly(t *testing.T) {
	const who = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
	for name, l := range keepingLevels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := manyRepositories(t, l)
			put(t, g.vault+"/commit.sh", "git commit -q --allow-empty -m script\n")
			kept := []string{g.vault + "/.git", g.vault + "/sub/.git", g.vault + "/deep/r/e/p/.git", g.vault + "/bare.git", g.vault + "/vendor/a/.git"}
			before := fingerprint(t, kept...)
			commands := []string{
				`git commit -q --allow-empty -m y`, `git add main.go`, `git stash`, `git tag v1`, `git branch other`, `git gc -q`, `git fetch . HEAD:x`,
				`g\it commit -q --allow-empty -m y`, `git ci`, `git -c alias.x='!git commit -q --allow-empty -m y' x`, `echo "commit -q --allow-empty -m y" | xargs git`,
				`sh -c 'git commit -q --allow-empty -m y'`, `sh commit.sh`, `GIT_DIR=$PWD/.git git commit -q --allow-empty -m y`, `GIT_DIR=.git GIT_WORK_TREE=. git add -A`,
				`git --no-optional-locks add main.go`, `GIT_OPTIONAL_LOCKS=1 git add main.go`, `git hash-object -w main.go`,
				`mv .git x`, `mv .git /tmp/x`, `rm -rf .git`, `mv .git/HEAD .git/H`, `rm .git/HEAD`, `rmdir .git/refs/tags`, `chmod 777 .git/HEAD`, `touch .git/new`,
				`ln .git/HEAD h && echo x > h`, `ln main.go .git/m`, `mv main.go .git/refs/heads/m`, `mv .git/objects o`,
				`echo x > .git/refs/heads/x`, `echo x > /proc/self/cwd/.git/refs/heads/x`, `echo x > /proc/self/root$PWD/.git/HEAD`, `ln -s .git g; echo x > g/refs/heads/x`,
				`mkdir m; mount --bind .git m && echo x > m/HEAD`, `mount -o remount,rw,bind .git`, `umount .git && echo x > .git/HEAD`, `unshare -rm umount .git && git commit -q --allow-empty -m y`,
				`git worktree add -q ../wt`, `git worktree add -q wt`, `git worktree remove --force $BASE/tree`, `echo x > .git/worktrees/tree/HEAD`,
				`git -C sub commit -q --allow-empty -m y`, `git -C deep/r/e/p commit -q --allow-empty -m y`, `git -C vendor/a commit -q --allow-empty -m y`, `git -C bare.git update-ref HEAD $(git rev-parse HEAD)`,
				`echo x > bare.git/HEAD`, `rm -rf sub/.git`, `mv vendor/a/.git x`, `echo gitdir: /tmp > vendor/a/.git`, `git submodule add -q ./sub other`,
				`mv deep deep2; git -C deep2/r/e/p commit -q --allow-empty -m y; mv deep2 deep; false`,
			}
			for some := range slices.Chunk(commands, linesAtOnce(len(commands))) {
				var lines []string
				for _, command := range some {
					lines = append(lines, "echo tried; ("+who+command+") && echo got in || echo kept out")
				}
				wrote := g.inOneCommand(t, lines)
				for i, command := range some {
					if text := wrote[i]; !strings.HasPrefix(text, "tried\n") || strings.Contains(text, "got in") || !strings.Contains(text, "kept out") {
						t.Errorf("%s: %s", command, text)
					}
				}
				if after := fingerprint(t, kept...); after != before {
					t.Fatalf("%s (-thorough tells which): %s%s", some[0], wrote, differing(before, after))
				}
			}
			text, _ := g.run(t, who+"git commit -q --allow-empty -m y")
			if !strings.Contains(text, `call again with needs: "git" and a reason`) {
				t.Errorf("how to ask is not said: %s", text)
			}
			if r := jobInBox(t, g.v, who+"git commit -q --allow-empty -m y")(); !r.Failed && r.ExitCode != nil && *r.ExitCode == 0 || fingerprint(t, kept...) != before {
				t.Errorf("a job: %s", r.Text)
			}
			if text := runBound(t, g.world, tool.Bounds{Within: []string{"vault:/sub"}}, "git", who+"cd sub; git commit -q --allow-empty -m y"); !strings.Contains(text, "Read-only") || fingerprint(t, kept...) != before {
				t.Errorf("an agent that is held to a folder: %s", text)
			}
		})
	}
}

// Bypass: parts of a repository are elsewhere, by a link, a file that names them, or as a
// second hard link, and so written through another path.
func TestBypassRepositoryThroughAnotherPath(t *testing.T) {
	for name, l := range keepingLevels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct{ name, setup, command string }{
				{"references by a link", `mv .git/refs kept && ln -s ../kept .git/refs`, `echo x > kept/heads/x`},
				{"those of branches", `mkdir kept && mv .git/refs/heads kept/h && ln -s ../../kept/h .git/refs/heads`, `echo x > kept/h/x`},
				{"objects by a link", `mv .git/objects kept && ln -s ../kept .git/objects`, `rm -r kept/??`},
				{"HEAD by a second name", `mkdir kept && ln .git/HEAD kept/second`, `echo x > kept/second`},
				{"a branch by a second name", `mkdir kept && ln .git/refs/heads/* kept/second`, `echo x > kept/second`},
				{"the repository by a link", `echo build > .gitignore; mkdir -p build/x/y/z && mv .git build/x/y/z/kept && ln -s build/x/y/z/kept .git && ln -s build/x/y/z/kept kept`, `echo x > build/x/y/z/kept/HEAD`},
				{"the repository by a file", `echo build > .gitignore; mkdir -p build/x/y/z && mv .git build/x/y/z/kept && echo gitdir: build/x/y/z/kept > .git && ln -s build/x/y/z/kept kept`, `echo x > build/x/y/z/kept/refs/heads/x`},
			} {
				g := newGitWorld(t, l)
				if text := ran(t, sandbox.Level{Name: proc.None}, g.user, g.vault, row.setup+" && echo set up", nil); !strings.Contains(text, "set up") {
					t.Fatalf("%s: %s", row.name, text)
				}
				if said := g.person(t, g.vault, "status"); !strings.Contains(said, "On branch") {
					t.Fatalf("%s: %s", row.name, said)
				}
				before := fingerprint(t, g.vault+"/.git", g.vault+"/kept/")
				text, failed := g.run(t, "echo tried; "+row.command)
				if after := fingerprint(t, g.vault+"/.git", g.vault+"/kept/"); after != before || !failed || !strings.HasPrefix(text, "tried\n") {
					t.Errorf("%s: failed %v: %s%s", row.name, failed, text, differing(before, after))
				}
			}
		})
	}
}

// Bypass: a command leaves so many names that the look for protected files would end
// before it comes to a repository.
func TestBypassRepositoryBehindManyNames(t *testing.T) {
	for name, l := range keepingLevels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			kept := []string{g.vault + "/.git"}
			for i := range 12 {
				dir := fmt.Sprintf("%s/z%d", g.vault, i)
				g.person(t, g.vault, "init", "-q", dir)
				kept = append(kept, dir+"/.git")
			}
			for i := range 1900 {
				put(t, fmt.Sprintf("%s/d%d/CLAUDE.md", g.vault, i), "")
			}
			before := fingerprint(t, kept...)
			if text, failed := g.run(t, "for d in z*/.git .git; do echo x > $d/HEAD; done"); !failed || fingerprint(t, kept...) != before {
				t.Errorf("%s", text)
			}
			for i := range 12_000 {
				put(t, fmt.Sprintf("%s/.a%d", g.vault, i), "")
			}
			box, err := g.v.open(sandbox.Policy{}, nil, nil) // with nothing that follows files
			if err != nil {
				t.Fatal(err)
			}
			defer box.snapshot.LetGo()
			if !slices.Contains(box.is.ReadOnly, g.vault+"/.git") {
				t.Errorf("the repository at the top is not among %d", len(box.is.ReadOnly))
			}
		})
	}
}

// What the person does in a repository while a command runs that cannot change it is
// not the command's, and stays.
func TestPersonsRepositoryBesideJob(t *testing.T) {
	for name, l := range keepingLevels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitWorld(t, l)
			ended := jobInBox(t, g.v, "until [ -e go ]; do sleep 0.02; done")
			g.person(t, g.vault, "worktree", "add", "-q", g.tree)
			put(t, g.vault+"/.git/hooks/post-commit", "mine\n")
			g.person(t, g.vault, "commit", "-q", "--allow-empty", "-m", "mine")
			put(t, g.vault+"/go", "")
			r := ended()
			if strings.Contains(r.Text, "the sandbox") || !exists(g.vault+"/.git/hooks/post-commit") || !strings.Contains(g.person(t, g.tree, "status"), "On branch") {
				t.Errorf("%s", r.Text)
			}
		})
	}
}
