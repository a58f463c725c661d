package shell

import (
	"slices"
	"strings"
)

// gitKeeps are the verbs of git that leave every repository that is there as it is,
// whatever their options are. What is not here, in gitListing or in gitAsks counts as
// changing one. The source of the three is git's manual.
var gitKeeps = words(`status diff log show blame annotate grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file check-attr check-ignore check-mailmap
	check-ref-format whatchanged merge-base name-rev show-ref for-each-ref count-objects version help var cherry diff-tree diff-index diff-files range-diff show-branch
	ls-remote archive verify-commit verify-tag verify-pack get-tar-commit-id interpret-trailers stripspace column patch-id fast-export request-pull format-patch merge-file
	clean clone`)

// gitListing are verbs with words of their own, and of those words the ones that only
// list. A "-" is for no word at all.
var gitListing = map[string]words{
	"stash": words("list show"), "worktree": words("list"), "remote": words("- show get-url"), "submodule": words("- status summary"), "notes": words("- list show"),
	"bisect": words("log terms"), "bundle": words("create verify list-heads"), "reflog": words("- show list exists HEAD"), "sparse-checkout": words("list"),
	"rerere": words("status diff remaining"), "commit-graph": words("verify"), "multi-pack-index": words("verify"),
}

// gitAsk is a verb that lists or changes by its options alone.
type gitAsk struct {
	only  string // as in listedOptions: with any other option it changes something
	plain int    // so many words that are no options still list
	// lists are options with which every word is a pattern or a commit.
	lists words
}

const gitRefs = `avri --all --remotes --verbose --ignore-case --sort= --format= --column=? --no-column --color=? --no-color --abbrev=? --no-abbrev --omit-empty --show-current
	l --list --contains --no-contains --merged --no-merged --points-at `

var gitAsks = map[string]gitAsk{
	"branch":       {only: gitRefs, lists: words("-l --list --contains --no-contains --merged --no-merged --points-at")},
	"tag":          {only: `ln? --list --sort= --format= --column=? --no-column --color=? --no-color --ignore-case i --omit-empty --contains --no-contains --merged --no-merged --points-at`, lists: words("-l --list -n --contains --no-contains --merged --no-merged --points-at")},
	"symbolic-ref": {only: `q --quiet --short --recurse --no-recurse`, plain: 1},
	"hash-object":  {only: `t: --path= --stdin --stdin-paths --no-filters --literally`, plain: 1 << 20},
	"apply":        {only: `Rvqp:C: --stat --numstat --summary --check --reverse --verbose --quiet --whitespace= --directory= --exclude= --include= --reject --unidiff-zero --recount --unsafe-paths --allow-empty`, plain: 1 << 20},
	"fsck":         {only: `v --full --no-full --strict --unreachable --dangling --no-dangling --connectivity-only --root --tags --cache --no-reflogs --verbose --progress --no-progress --name-objects --references --no-references`, plain: 1 << 20},
	"config": {only: `lzf: --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list --name-only --show-origin --show-scope --null --local --global --system --worktree --file= --blob= --type= --bool --int
		--bool-or-int --path --expiry-date --no-type --includes --no-includes --default= --all --regexp --value= --fixed-value --url=`,
		plain: 1, lists: words("-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool")},
}

// changesRepository says that a command is known to change a repository, or that nobody
// knows that it does not. A program that is named by its path may be any.
func changesRepository(cmd *Command) bool {
	switch cmd.Known {
	case "gh":
		return firstVerb(cmd) == "pr" && slices.Contains(cmd.likely, "checkout")
	case "git":
	default:
		return false
	}
	verb, rest, sure := gitVerb(cmd.Args)
	switch {
	case !sure:
		return true
	case verb == "":
		return false // it says what it is
	case gitKeeps.has(verb):
		return slices.ContainsFunc(rest, func(p Parts) bool { return p.begins("--remerge-diff") }) // it makes trees
	}
	args := make([]string, len(rest))
	for i, p := range rest {
		text, known := p.Text()
		if !known {
			return true
		}
		args[i] = text
	}
	if list, ok := gitListing[verb]; ok {
		return !listsBy(list, args)
	}
	ask, ok := gitAsks[verb]
	return !ok || ask.changes(verb, args)
}

// gitVerb finds the verb of git behind its own options. sure: it is known, and so are they.
func gitVerb(args []Parts) (verb string, rest []Parts, sure bool) {
	for i := 0; i < len(args); i++ {
		text, known := args[i].Text()
		if !known {
			return "", nil, false
		}
		name, _, joined := strings.Cut(text, "=")
		switch {
		case words("--version -v --help -h --html-path --man-path --info-path").has(text), text == "--exec-path":
			return "", nil, true
		case words("-C -c").has(text), !joined && words("--git-dir --work-tree --namespace --config-env").has(text):
			i++
		case words("-p -P --paginate --no-pager --no-optional-locks --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice").has(text),
			joined && words("--git-dir --work-tree --namespace --config-env").has(name):
		case strings.HasPrefix(text, "-"):
			return "", nil, false
		default:
			return text, args[i+1:], true
		}
	}
	return "", nil, true
}

// listsBy says that the first word that is no option is one of the list.
func listsBy(list words, args []string) bool {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return list.has(a)
		}
	}
	return list.has("-")
}

// changes says that the words behind a verb ask for more than a list.
func (g gitAsk) changes(verb string, args []string) bool {
	l := listOf(g.only)
	if l.read(args); len(l.out) > 0 {
		return true
	}
	if verb == "config" && len(l.plain) > 0 && (l.plain[0] == "list" || l.plain[0] == "get") {
		return false
	}
	lists := slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return g.lists.has(name) || len(a) > 1 && a[0] == '-' && a[1] != '-' && slices.ContainsFunc(strings.Split(a[1:], ""), func(letter string) bool { return g.lists.has("-" + letter) })
	})
	return !lists && len(l.plain) > g.plain
}
