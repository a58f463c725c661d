package workspace

import (
	"path/filepath"
	"testing"
)

// Who signs is known from the configuration of the person and of the repository, the last
// word counting.
func TestSignsGit(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	const on, off = "[commit]\n\tgpgsign = true\n", "[commit]\n\tgpgsign = false\n"
	for name, row := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"nobody":                     {map[string]string{}, false},
		"by a key of ssh":            {map[string]string{"home/.gitconfig": "[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ~/.ssh/id.pub\n" + on}, true},
		"a key alone":                {map[string]string{"home/.gitconfig": "[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ~/.ssh/id.pub\n"}, false},
		"without a value":            {map[string]string{"home/.gitconfig": "[commit]\n\tgpgSign\n"}, true},
		"a number":                   {map[string]string{"home/.gitconfig": "[commit]\n\tgpgsign = 1\n"}, true},
		"tags":                       {map[string]string{"home/.gitconfig": "[tag]\n\tgpgsign = ON\n"}, true},
		"the last line":              {map[string]string{"home/.gitconfig": on + off}, false},
		"the other place":            {map[string]string{"home/.config/git/config": on}, true},
		"the home over that":         {map[string]string{"home/.config/git/config": on, "home/.gitconfig": off}, false},
		"an included file":           {map[string]string{"home/.gitconfig": "[include]\n\tpath = work\n", "home/work": on}, true},
		"one on a condition":         {map[string]string{"home/.gitconfig": "[includeIf \"gitdir:~/work/\"]\n\tpath = ~/work\n", "home/work": on}, true},
		"the repository":             {map[string]string{"vault/.git/config": on}, true},
		"the repository does not":    {map[string]string{"home/.gitconfig": on, "vault/.git/config": off}, false},
		"the repository of a folder": {map[string]string{"vault/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/HEAD": "x", "main/.git/config": on}, true},
		"a worktree":                 {map[string]string{"vault/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/config.worktree": on, "main/.git/config": off}, true},
	} {
		base := t.TempDir()
		put(t, base+"/vault/f", "")
		for path, text := range row.files {
			put(t, filepath.Join(base, path), text)
		}
		v, err := Open([]Folder{{Path: base + "/vault"}}, Options{UserHome: base + "/home"})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.signsGit(v.Root()); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
		v.Close()
	}
}
