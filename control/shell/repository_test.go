package shell

import (
	"strings"
	"testing"
)

// Which commands change a repository, by their words. A list says which only read:
// whatever is not on it counts as a change.
func TestChangesRepository(t *testing.T) {
	reads := `git
git --version
git status
git status --short --branch
git --no-pager log --oneline -20
git -C sub log -p
git -c core.pager=cat diff HEAD~1 -- a.go
git --git-dir=.git --work-tree=. show HEAD:a
git --git-dir .git show
git --no-optional-locks status
GIT_DIR=x git log $SOMETHING
git blame a.go
git grep -n TODO
git ls-files -s
git rev-parse --abbrev-ref HEAD
git describe --tags --dirty
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feature/*'
git branch -l x
git branch --contains HEAD
git branch --sort=-committerdate --format='%(refname)'
git tag
git tag -l 'v*'
git tag -n3
git tag --points-at HEAD
git tag --sort=-v:refname
git stash list
git stash show -p stash@{0}
git remote
git remote -v
git remote get-url origin
git config --get user.name
git config user.name
git config --list --show-origin
git config get user.name
git config -l
git reflog
git reflog show main
git reflog -5
git worktree list --porcelain
git notes show
git bisect log
git submodule
git submodule status --recursive
git symbolic-ref HEAD
git symbolic-ref -q --short HEAD
git hash-object a.go
git apply --check x.patch
git apply x.patch
git fsck --full
git archive HEAD -o /tmp/x.tar
git clone ../other /tmp/x
git cat-file -p HEAD
cat .git/HEAD
echo git commit
gh pr view 3
./git commit`
	changes := `git add .
git commit -m x
g\it commit -m x
"git" commit -m x
g''it commit
X=git; $X commit
git -C sub commit -m x
git -c user.name=a commit -m x
git -c alias.x='!git commit' x
git ci
git --git-dir=/x/.git --work-tree=/x commit -m x
GIT_DIR=x git commit -m y
git --no-optional-locks add .
git --strange status
git --exec-path=/x status
git $VERB
git "$@"
git branch x
git branch x HEAD~1
git branch -d x
git branch -D x
git branch -m y
git branch -f main HEAD
git branch -avd x
git branch --edit-description
git branch --set-upstream-to=origin/main
git branch --lis x --delete y
git branch $X
git tag v1
git tag -a v1 -m x
git tag -d v1
git tag -f v1
git tag --list --delete v1
git stash
git stash -u
git stash push -m x
git stash pop
git stash drop
git remote add x y
git remote set-url x y
git remote update
git config x.y z
git config --unset x.y
git config --add x.y z
git config set x.y z
git config --edit
git config --get x.y --unset
git reflog expire --all
git reflog delete x
git worktree add ../x
git worktree
git worktree prune
git notes add -m x
git bisect start
git bisect run make
git submodule update --init
git submodule foreach git status
git symbolic-ref HEAD refs/heads/x
git symbolic-ref -d HEAD
git symbolic-ref --delete HEAD
git hash-object -w a.go
git apply --index x.patch
git apply --cached x.patch
git apply -3 x.patch
git fsck --lost-found
git log --remerge-diff
git checkout -b x
git switch main
git restore --staged a.go
git reset --hard
git rm a.go
git mv a b
git merge x
git rebase main
git cherry-pick x
git revert x
git fetch
git pull
git push
git gc
git update-ref refs/heads/x HEAD
git update-index --refresh
git read-tree HEAD
git write-tree
git init
git lfs pull
git unknown-to-all
xargs git
echo commit | xargs git
sh -c 'git commit -m x'
bash -lc "cd sub && git commit -m x"
timeout 5 git commit
env GIT_DIR=x git commit
sudo git commit
find . -name x -exec git add {} ;
find . -name x -exec git add {} \;
if true; then git commit; fi
(cd sub; git add .)
echo $(git commit -m x)
git status && git commit
eval 'git commit'
gh pr checkout 3`
	for want, list := range map[bool]string{false: reads, true: changes} {
		for _, command := range strings.Split(list, "\n") {
			s := Analyze(command, Place{Dir: "/w", Roots: []string{"/w"}})
			if s.Git != want {
				t.Errorf("%s: %v, want %v", command, s.Git, want)
			}
		}
	}
}
