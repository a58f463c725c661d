//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// Bypass: a file among the sources is what git runs, by a link in `.git` or by the
// repository's configuration, or a secret by a link at the top. It is judged, and kept
// from commands, as that.
func TestBypassSourceWithAProtectedName(t *testing.T) {
	config := "[user]\n\tname = a\n[core]\n\tbare = false\n\tHooksPath = \"tools/git hooks\"\n[core] hookspath=named\n"
	r := newRoom(t, map[string]string{
		".git/config": config, ".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "", ".git/hooks/commit-msg": "", "a.txt": "a",
		"scripts/check": "#!/bin/sh\n", "scripts/plain": "K=1\n", "tools/git hooks/pre-push": "#!/bin/sh\n", "tools/other": "", "attributes": "",
		"sub/.git/config": "", "sub/.git/HEAD": "", "sub/own/pre-commit": "",
		"tree/.git": "gitdir: ../.git/worktrees/tree\n", ".git/worktrees/tree/commondir": "../..\n",
	})
	r.v.shields.Names = protectedNames
	for at, to := range map[string]string{
		".env":                  "scripts/plain",
		".git/hooks/pre-commit": "../../scripts/check", ".git/hooks/post-merge": "../../later", ".git/info/attributes": "../../attributes",
		"sub/.git/hooks": "../own", "link": "scripts/check", ".git/hooks/round": "round",
	} {
		if err := os.Symlink(to, filepath.Join(r.root, at)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"scripts/check": "vault:/.git/hooks/pre-commit", "link": "vault:/.git/hooks/pre-commit", "later": "vault:/.git/hooks/post-merge", "attributes": "vault:/.git/info/attributes",
		"tools/git hooks/pre-push": "vault:/.git/hooks/pre-push", "tools/git hooks/new/x": "vault:/.git/hooks/new/x", "named/pre-commit": "vault:/.git/hooks/pre-commit",
		"sub/own/pre-commit": "vault:/sub/.git/hooks/pre-commit", "tree/named/pre-commit": "vault:/.git/hooks/pre-commit",
		"scripts/plain": "vault:/.env", "a.txt": "", "tools/other": "", "scripts/other": "", "sub/scripts/check": "", "sub/own2": "", ".git/hooks/commit-msg": "",
	} {
		objects := r.v.Walk("", path).Objects
		if got := slices.Contains(objects, want); want != "" && !got || want == "" && len(objects) != 1 {
			t.Errorf("%s is %q, want %q", path, objects, want)
		}
	}
	var kept []string
	for _, s := range r.v.shields.All(shields.NewGitPlace(r.v.folders.Now()[0], ".git"), shields.NewGitPlace(r.v.folders.Now()[0], "sub/.git")) {
		kept = append(kept, s.Rel)
	}
	for _, rel := range []string{"scripts/check", "tools/git hooks", "attributes", "sub/own", "scripts/plain"} {
		if !slices.Contains(kept, rel) {
			t.Errorf("commands may change %s: %q", rel, kept)
		}
	}
	r.sensitive(protectedNames.Protected)
	if got := r.run("grep", "pattern", "K=1", "mode", "files"); strings.Contains(got.Text, "plain\n") || !strings.Contains(got.Text, "sensitive") {
		t.Errorf("grep: %s", got.Text)
	}
}

// Bypass: git obeys a file among the sources because a configuration names it: of the
// repository, one that it includes, that of a working tree, or the person's own.
func TestBypassFileThatAConfigurationNames(t *testing.T) {
	r := newRoom(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "a.txt": "", "tools/watch.sh": "", "clean.py": "", "two words.sh": "", "tools/dir/x": "", "main": "", "cat": "", "d/x": "",
		".git/config": "[include] path = ../build/extra.conf\n[includeIf \"onbranch:x\"]\n\tpath = \"../build/branch.conf\" ; why\n[core]\n\tfsmonitor = tools/watch.sh\n\tattributesFile = attrs\n" +
			"[filter \"x\"]\n\tclean = python3 clean.py %f\n\tsmudge = cat\n[alias]\n\tx = !sh -c './tools/alias.sh $1'\n\tz = \"!sh \\\"two words.sh\\\"\"\n" +
			"[branch \"main\"]\n\tmerge = refs/heads/main\n\tremote = main\n[remote \"o\"]\n\turl = https://example.com/a.txt\n\tfetch = +refs/heads/*:refs/remotes/o/*\n[core]\n\tworktree = tools/dir\n[diff \"y\"] textconv = \\\n  tools/conv\n",
		"build/extra.conf": "[core]\n\thooksPath = hooks dir\n[include]\n\tpath = more.conf\n", ".git/config.worktree": "[gpg]\n\tprogram = tools/sign\n",
		"../user/.gitconfig": "[core]\n\thookspath = team/hooks\n\teditor = ~/editor.sh\n[include]\n\tpath = ~/more\n", "../user/more": "[diff]\n\texternal = ./tools/diff.sh\n", "../user/.config/git/config": "[init] templateDir = template",
	})
	for path, want := range map[string]string{
		"build/extra.conf": "config", "build/branch.conf": "config", "build/more.conf": "config", "hooks dir/pre-commit": "hooks/pre-commit", "tools/watch.sh": "hooks/watch.sh", "attrs": "info/attributes",
		"clean.py": "hooks/clean.py", "tools/alias.sh": "hooks/alias.sh", "two words.sh": "hooks/two words.sh", "tools/conv": "hooks/conv", "tools/sign": "hooks/sign",
		"team/hooks/pre-push": "hooks/pre-push", "tools/diff.sh": "hooks/diff.sh", "template/hooks/x": "hooks/hooks/x",
		"a.txt": "", "main": "", "cat": "", "tools/dir/x": "", "tools/other": "", "refs/heads/main": "", "build/other.conf": "", "d/tools/watch.sh": "",
	} {
		objects := r.v.Walk("", path).Objects
		if want = "vault:/.git/" + want; want != "vault:/.git/" && !slices.Contains(objects, want) || want == "vault:/.git/" && len(objects) != 1 {
			t.Errorf("%s is %q, want %q", path, objects, want)
		}
	}
	r.put(map[string]string{".git/config": "[core]\n\thooksPath = .\n"})
	for path, want := range map[string]int{"pre-commit": 2, "post-checkout": 2, "a.txt": 1, "d/pre-commit": 1} {
		if objects := r.v.Walk("", path).Objects; len(objects) != want {
			t.Errorf("hooks among all sources: %s is %q", path, objects)
		}
	}
}

// Of a repository around the folder, or a linked worktree, a hook among the sources can be
// asked about like one of the folder: it is not outside.
func TestHooksOfARepositoryAroundTheFolder(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"around":   {"../.git/HEAD": "", "../.git/config": "[core]\n\thooksPath = vault/hooks\n"},
		"worktree": {".git": "gitdir: ../repo/.git/worktrees/w\n", "../repo/.git/worktrees/w/commondir": "../..\n", "../repo/.git/config": "[core]\n\thooksPath = hooks\n"},
		"bare":     {".git": "gitdir: ../repo.x/worktrees/w\n", "../repo.x/worktrees/w/commondir": "../..\n", "../repo.x/config": "[core]\n\thooksPath = hooks\n"},
	} {
		r := newRoom(t, files)
		if objects := r.v.Walk("", "hooks/pre-commit").Objects; !slices.Equal(objects, []string{"vault:/.git/hooks/pre-commit", "vault:/hooks/pre-commit"}) {
			t.Errorf("%s: %q", name, objects)
		}
	}
}
