package shell

import (
	"slices"
	"strings"
)

// gitNoContents are the verbs of git that print no contents of files, whatever their
// options are. The source of this list and the next is git's manual.
var gitNoContents = words(`rev-parse ls-files describe branch tag remote config fetch push pull init clone switch rm mv clean merge cherry-pick revert worktree gc prune
	count-objects ls-remote ls-tree show-ref for-each-ref rev-list merge-base name-rev check-ignore check-attr check-ref-format symbolic-ref update-index version
	help var cherry shortlog sparse-checkout maintenance pack-refs update-ref write-tree hash-object show-branch`)

// gitNames are the options with which these verbs show of files no more than their names
// and how many lines changed.
var gitNames = map[string]string{
	"status":   `sbz u? --short --branch --show-stash --porcelain=? --long --untracked-files=? --ignored=? --column=? --no-column --ahead-behind --no-ahead-behind --renames --no-renames`,
	"add":      `AunfvN --all --update --no-all --dry-run --force --verbose --intent-to-add --refresh --renormalize`,
	"commit":   `amqsnF:C:m: --all --message= --quiet --signoff --amend --no-edit --no-verify --allow-empty --allow-empty-message --author= --date= --fixup= --squash= --file= --dry-run --only --include`,
	"checkout": `bBfqt # --quiet --force --detach --track --no-track --orphan= --ours --theirs --merge`, "restore": `SWqs: --staged --worktree --source= --quiet --ours --theirs`,
	"reset":  `q --soft --mixed --hard --keep --merge --quiet`,
	"rebase": `i --continue --abort --skip --quit --onto= --autostash --no-autostash --autosquash --no-autosquash --interactive --root --keep-base`,
	"log":    gitNamesLog, "whatchanged": gitNamesLog, "reflog": gitNamesLog,
	"diff": gitNamesDiff, "show": gitNamesDiff + gitNamesLog, "diff-tree": gitNamesDiff + ` rt --root --no-commit-id`, "diff-index": gitNamesDiff, "diff-files": gitNamesDiff,
}

const (
	gitSummaries = `--stat --numstat --shortstat --dirstat --summary --name-only --name-status --raw --compact-summary`
	gitNamesDiff = `s M?wbaz --stat=? --numstat --shortstat --dirstat=? --summary --name-only --name-status --cached --staged --merge-base --no-patch --raw --diff-filter=
		--find-renames=? --no-renames --color=? --no-color --abbrev=? --compact-summary --relative=? --exit-code --quiet --no-ext-diff --no-textconv --ignore-all-space
		--ignore-space-change --ignore-blank-lines --ignore-submodules=? `
	gitNamesLog = gitNamesDiff + `n:iEFPgS:G: # --oneline --graph --all --decorate=? --no-decorate --branches=? --tags=? --remotes=? --since= --until= --after= --before= --author= --committer=
		--grep= --max-count= --skip= --format= --pretty=? --date= --abbrev-commit --no-abbrev-commit --reverse --follow --merges --no-merges --first-parent --topo-order
		--date-order --author-date-order --left-right --cherry-pick --cherry-mark --cherry --simplify-by-decoration --full-history --ancestry-path=? --walk-reflogs
		--no-walk=? --boundary --parents --children --source --use-mailmap --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings
		--perl-regexp --no-notes --min-parents= --max-parents= --right-only --left-only --not --glob= --exclude= --pickaxe-all --pickaxe-regex`
)

// gitPrints says what a git command prints of files, nil for nothing.
func gitPrints(cmd *Command) *Prints {
	if cmd.Head != "git" {
		return nil
	}
	open := cmd.Dynamic || slices.ContainsFunc(cmd.Args, Parts.isOpen)
	p := &Prints{}
	verb, rest := p.verb(cmd.likely)
	raw := slices.ContainsFunc(rest, showsRaw)
	switch {
	case verb == "" && !p.Untold && !open, gitNoContents.has(verb) && !raw:
		return nil
	case verb == "stash" && (len(rest) == 0 || rest[0] != "show" && rest[0] != "list" && !hasShortOption(rest, 'p', "--patch")):
		return nil
	case verb == "stash" && (rest[0] == "show" || rest[0] == "list"):
		verb, rest = map[string]string{"show": "diff", "list": "log"}[rest[0]], rest[1:]
	}
	if spec, ok := gitNames[verb]; ok && !open && !raw && onlyNames(verb, spec, rest) {
		return nil
	}
	p.named(rest)
	return p
}

// showsRaw finds a format which prints what a reference leads to as it is.
func showsRaw(word string) bool { return strings.Contains(word, "%(raw") }

// verb reads what is in front of the verb.
func (p *Prints) verb(args []string) (verb string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" && i+1 < len(args):
			i++
			if p.At = args[i]; slices.Contains(args[:i-1], "-C") {
				p.Untold = true
			}
		case a == "-c" && i+1 < len(args):
			i++
		case a == "--no-pager", a == "-P", a == "-p", a == "--paginate", a == "--no-optional-locks", a == "--literal-pathspecs":
		case a == "--version", a == "--help", a == "-h", a == "-v":
			return "", nil
		case strings.HasPrefix(a, "-"):
			p.Untold = true
		default:
			return a, args[i+1:]
		}
	}
	return "", nil
}

// onlyNames says that all options are among those that show names and numbers. diff and
// its like show contents unless one of them says otherwise; show does so for an object
// that is no commit.
func onlyNames(verb, spec string, rest []string) bool {
	l := listOf(spec)
	if l.read(rest); len(l.out) > 0 {
		return false
	}
	switch {
	case verb == "show" && slices.ContainsFunc(l.plain, func(w string) bool { return !isHead(w) }):
		return false
	case verb == "diff" || verb == "show" || strings.HasPrefix(verb, "diff-"):
		return slices.ContainsFunc(rest, func(a string) bool {
			name, _, _ := strings.Cut(a, "=")
			return words(gitSummaries).has(name) || a == "--no-patch" || a == "-s"
		}) || verb == "diff-tree" || verb == "diff-index" || verb == "diff-files"
	}
	return true
}

// isHead says that a word names the last commit or one before it.
func isHead(word string) bool {
	rest, ok := strings.CutPrefix(word, "HEAD")
	if !ok {
		rest, ok = strings.CutPrefix(word, "@")
	}
	return ok && strings.Trim(rest, "~^0123456789") == ""
}

// named notes the words that may be paths: as they are, and behind a commit. A pattern of
// paths may hit what only an old commit has.
func (p *Prints) named(rest []string) {
	paths := false
	for _, w := range rest {
		switch {
		case w == "--":
			paths = true
			continue
		case !paths && strings.HasPrefix(w, "-"):
			continue
		case paths && strings.ContainsAny(w, `*?[\`) && !strings.HasPrefix(w, ":") && !onlySources(w):
			p.Untold = true
		}
		p.Words = append(p.Words, w)
		if i := strings.LastIndexByte(w, ':'); i >= 0 {
			p.Words = append(p.Words, w[i+1:])
		}
	}
}
