package control

import (
	"slices"
	"strings"
	"testing"
)

// keeping is a world with a repository that keeps some files, also such that are no longer
// on the disk.
type keeping struct {
	world
	names  []string
	unread bool
}

func (k keeping) Tracked(_ string, asked func(string) bool) (out []string, complete bool) {
	for _, name := range k.names {
		if asked("vault:/" + name) {
			out = append(out, "vault:/"+name)
		}
	}
	return out, !k.unread
}

func keepingFacts(rules ...Rule) Facts {
	f := baseFacts(rules...)
	f.Resolver = keeping{newWorld("/home/u/p/a.go", "/home/u/p/src/main.go", "/home/u/p/master"), []string{"a.go", "src/main.go", "deploy/server.key"}, false}
	return f
}

// Bypass: git prints a file that it keeps, although no word names it, and no rule was
// about it.
func TestBypassSecretsThatGitKeeps(t *testing.T) {
	for _, command := range []string{
		"git log -p", "git log -p -3", "git log --patch", "git log -U5", "git log --cc", "git log -L1,2:a.go", "git log -p --author src", "git log -p -S src", "git log -p master --", "git log -p -- deploy",
		"git log -p -- .", "git log -p -- 'deploy/*'", "git log -p -- ':!src'", "git log -p -- ':(glob)**'", "git log -p src -- deploy", "git log --patch-with-stat", "git log --word-diff", "git -C . log -p", "git -C /home/u/p log -p",
		"git show", "git show HEAD", "git show HEAD~2 --", "git show 1a2b3c4", "git show 1a2b3c4 -- src", "git show --stat 1a2b3c4", "git show HEAD:deploy/server.key", "git show v1 -- deploy/server.key", "git show :deploy/server.key",
		"git show :0:deploy/server.key", "git show HEAD:src/main.go 1a2b3c4", "git show 'HEAD^{/x}:deploy/server.key'", "git show ':/fix'", "git show stash@{0}",
		"git diff", "git diff HEAD~3", "git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "git diff HEAD~1:deploy HEAD:deploy", "git diff HEAD:deploy HEAD:src -- src", "git diff :deploy/server.key a.go", "git diff --cached", "git diff --check",
		"git diff --stat -p", "git diff master -- deploy", "git diff -- deploy/server.key", "git diff --submodule=diff src",
		"git grep KEY", "git grep KEY HEAD", "git grep -e src", "git grep src", "git grep KEY deploy", "git grep -f src", "git stash show -p", "git stash list -p", "git stash -p", "git cat-file -p 1a2b3c4", "git cat-file blob HEAD:deploy/server.key",
		"git cat-file --batch", "git blame -- deploy/server.key", "git blame HEAD deploy/server.key", "git annotate deploy/server.key", "git archive HEAD", "git archive HEAD src", "git format-patch -1", "git whatchanged -p", "git reflog -p",
		"git diff-tree -p HEAD", "git diff-index -p HEAD", "git range-diff a b c", "git unpack-file 1a2b3c4", "git checkout-index -a --temp", "git bundle create - --all", "git fast-export --all", "git status -v", "git status -vv",
		"git commit -v --dry-run", "git add -p", "git checkout -p", "git reset -p", "git restore -p .", "git rebase --show-current-patch", "git am --show-current-patch", "git merge-tree a b", "git difftool", "git whatever", "git -c alias.x=y x",
		"git log -p -- $x", "x=src; git log -p -- $x", "git log $(cat x)", "git $x", "git log -p -- src/*", "git diff *.go",
		"git log -p -- src", "git diff a.go", "git show HEAD:a.go", "git blame a.go", "git grep KEY src",
		"git for-each-ref '--format=%(raw)'", "git tag --format='%(raw)'", "git log -p -- '*.ke?'", "git log -p -- '.en?'",
	} {
		for _, pattern := range []string{"*", "git *", strings.Join(strings.Fields(command)[:2], " ") + "*"} {
			if d := decide(keepingFacts(allowBash(pattern)...), bashPlan(command)); d.Verdict != Ask {
				t.Errorf("%s under %s: %v (%s)", command, pattern, d.Verdict, d.Reason)
			}
		}
	}
	for _, command := range []string{"git log -p", "git show HEAD", "git diff"} {
		d := decide(keepingFacts(allowBash("git *")...), bashPlan(command))
		if !strings.Contains(d.Reason.String(), "deploy/server.key may hold secrets") || len(d.Always) == 0 || d.Always[0].Pattern != "vault:/deploy/server.key" {
			t.Errorf("%s: %s, offers %v", command, d.Reason, d.Always)
		}
		if d := decide(keepingFacts(append(allowBash("git *"), rule("read", "*.key", "allow"))...), bashPlan(command)); d.Verdict != Allow {
			t.Errorf("%s with a rule that names the file: %v (%s)", command, d.Verdict, d.Reason)
		}
		if d := decide(keepingFacts(append(allowBash("*"), rule("read", "deploy/**", "deny"))...), bashPlan(command)); d.Verdict != Deny {
			t.Errorf("%s with a deny: %v (%s)", command, d.Verdict, d.Reason)
		}
		if d := decide(keepingFacts(Rule{Domain: "bash", Pattern: command, Decision: "allow", Exact: true}), bashPlan(command)); d.Verdict != Allow {
			t.Errorf("the very command %s: %v (%s)", command, d.Verdict, d.Reason)
		}
		f := keepingFacts(allowBash("git *")...)
		f.Resolver = keeping{f.Resolver.(keeping).world, nil, true}
		if d := decide(f, bashPlan(command)); d.Verdict != Ask || !strings.Contains(d.Reason.String(), "it is not known which files") {
			t.Errorf("%s where nobody can tell: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}

// What shows names only asks nobody; and where git keeps nothing of
// that kind, nothing does.
func TestGitThatPrintsNoSecrets(t *testing.T) {
	silent := []string{
		"git status", "git status -sb", "git log", "git log --oneline -5", "git log --stat -3", "git log --name-only", "git log --graph --all --decorate", "git log -n 5 --format=%h", "git diff --stat", "git diff --name-only HEAD~3", "git show --stat", "git show --stat HEAD~1",
		"git stash", "git stash pop", "git stash list", "git branch -a", "git rev-parse HEAD",
		"git ls-files", "git add -A", "git commit -m 'fix .env'", "git commit -am x", "git checkout -b x", "git fetch -p", "git push", "git merge x", "git reflog", "git describe --tags", "git tag", "git --version", "git stash show --stat", "git -C src status",
	}
	for _, command := range silent {
		if d := decide(keepingFacts(allowBash("*")...), bashPlan(command)); d.Verdict != Allow {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
	for _, command := range slices.Concat(silent, []string{"git log -p", "git diff", "git show HEAD", "git diff --cached", "git show 1a2b3c4", "git stash show -p", "git blame a.go",
		"git log -p -3 HEAD -- src a.go", "git diff HEAD~1 -- a.go", "git show HEAD:a.go", "git grep -n KEY src", "git grep 'a.*b'", "git blame -L 1,5 HEAD -- a.go", "git log -p -- '*.go'"}) {
		f := keepingFacts(allowBash("*")...)
		f.Resolver = keeping{f.Resolver.(keeping).world, []string{"a.go", "src/main.go"}, false}
		if d := decide(f, bashPlan(command)); d.Verdict != Allow {
			t.Errorf("%s where git keeps no secret: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
