package shell

// listedOptions are, for a program with its verb, the options that only say what of
// the named files is shown or which of the project's own steps run. None starts
// another program, writes a file, reads a file or a directory that is not named, or
// loads code. What is not here asks: the lists are short on purpose.
//
// The source of each is the manual page of its program, and that of GNU where there are
// several. The words are
//
//	abc      letters that may be together behind one dash; "n:" takes a value, "u?" may have one attached
//	#        a number behind a dash: -20
//	--name   as it is; "--name=" takes a value, "--name=?" may have one behind "="
//	=-x      a word just as it is, of programs that have ways of their own
//	go       options of one or two dashes, -run=x or -run x; each follows as "-name", with a value "-name="
//	split    a value never is in the same word as its letter
//	no@      words that begin with "@" name a file of arguments
//	nowords  words are steps or properties of their own
//	noend    what follows "--" goes to another program
var listedOptions = map[string]string{
	"ls": `aAbBcCdfFgGhHiklmNnopqQrRsStuUvxXZ1I:T:w: --all --almost-all --author --escape --block-size= --ignore-backups --color=? --directory --classify=?
		--file-type --format= --full-time --group-directories-first --no-group --human-readable --si --hide= --indicator-style= --inode --ignore= --kibibytes
		--numeric-uid-gid --literal --quote-name --reverse --recursive --size --sort= --time= --time-style= --width= --zero --help --version`,
	"cat":  `AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting`,
	"head": `qvzc:n: # --bytes= --lines= --quiet --silent --verbose --zero-terminated`,
	"tail": `fFqvzc:n:s: # --bytes= --lines= --follow=? --retry --pid= --sleep-interval= --quiet --silent --verbose --zero-terminated`,
	"wc":   `clmLw --bytes --chars --lines --max-line-length --words --total=`,
	"pwd":  `LP`,
	"grep": listedGrep, "egrep": listedGrep, "fgrep": listedGrep,
	"rg": `inwvcloxFSsPNHIhUp0e:A:B:C:m:t:T:j:M:E:r:d:q --ignore-case --smart-case --case-sensitive --line-number --no-line-number --word-regexp --line-regexp
		--invert-match --count --count-matches --files-with-matches --files-without-match --files --only-matching --fixed-strings --regexp= --after-context=
		--before-context= --context= --max-count= --type= --type-not= --type-list --color= --heading --no-heading --with-filename --no-filename --multiline --json
		--stats --sort= --sortr= --column --vimgrep --trim --max-depth= --max-columns= --quiet --pcre2 --null`,
	"stat": `Lftc: --format= --printf= --terse --dereference --file-system`,
	"file": `biLhkNnrE0vF: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --extension --print0 --separator=`,
	"du": `abcDHhklmsSx0B:d:t: --all --apparent-size --block-size= --bytes --total --max-depth= --human-readable --summarize --one-file-system --separate-dirs
		--threshold= --time=? --si --exclude=`,
	"tree": `adfpshugDiAqNQvtcrUxCnSJXFL:P:I: split --noreport --dirsfirst --filesfirst --du --filelimit= --charset= --prune --sort= --si --inodes --device --matchdirs
		--ignore-case --timefmt=`,
	"diff": `uqsyNabBwiEZtTdpecU:C:W:I:F:L: # --unified=? --context=? --brief --report-identical-files --side-by-side --new-file --text --ignore-blank-lines
		--ignore-all-space --ignore-space-change --ignore-case --ignore-trailing-space --ignore-tab-expansion --expand-tabs --minimal --width= --label= --color=?
		--suppress-common-lines --show-c-function --strip-trailing-cr --normal`,
	"cmp": `bls i:n: --print-bytes --verbose --silent --quiet --bytes= --ignore-initial=`,
	"sort": `bdfghiMnRrVcCmsuzk:t:S: --key= --field-separator= --reverse --numeric-sort --unique --human-numeric-sort --version-sort --general-numeric-sort --ignore-case
		--check=? --stable --zero-terminated --ignore-leading-blanks --month-sort --dictionary-order --parallel=`,
	"cut": `nszb:c:d:f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated`,
	"nl":  `pb:d:f:h:i:l:n:s:v:w:`,

	"git status": `sbvzu? --short --branch --show-stash --porcelain=? --long --verbose --untracked-files=? --ignored=? --column=? --no-column --ahead-behind
		--no-ahead-behind --renames --no-renames`,
	"git diff": listedGitDiff,
	"git log":  listedGitDiff + listedGitLog,
	"git show": listedGitDiff + listedGitLog,
	"git rev-parse": `q --show-toplevel --abbrev-ref=? --short=? --verify --quiet --is-inside-work-tree --show-prefix --symbolic-full-name --symbolic --git-common-dir
		--absolute-git-dir --show-cdup --is-bare-repository --is-inside-git-dir --all --branches=? --tags=? --remotes=? --revs-only --no-revs`,
	"git ls-files": `dmoiskutvzx: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --exclude= --error-unmatch --full-name
		--abbrev=? --eol --deduplicate --with-tree=`,
	"git blame": `bltsewfnpL:M? --root --show-email --show-name --show-number --line-porcelain --porcelain --incremental --date= --since= --first-parent --ignore-rev=
		--color-lines --color-by-age --abbrev=? --minimal --progress`,
	"git describe": `--all --tags --contains --abbrev=? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty=? --broken=?`,

	"go test": listedGoBuild + ` -run= -count= -short -timeout= -bench= -benchtime= -benchmem -cover -covermode= -coverpkg= -cpu= -failfast -parallel= -shuffle=
		-skip= -list= -json -fullpath`,
	"go build":    listedGoBuild + ` -json`,
	"go vet":      listedGoBuild + ` -json`,
	"go list":     listedGoBuild + ` -m -u -f= -json -deps -test -e -find -versions -retracted`,
	"go version":  `go -m -v`,
	"go doc":      `go -all -c -cmd -short -src -u`,
	"gofmt":       `go -d -l -s -e`,
	"staticcheck": `go -checks= -f= -tests -show-ignored -go= -tags= -fail= -explain= -version`,

	"npm test": `noend`, "pnpm test": `noend`, "yarn test": `noend`,
	"cargo test": listedCargo + ` --no-run --no-fail-fast --doc`, "cargo build": listedCargo, "cargo check": listedCargo, "cargo clippy": listedCargo + ` --no-deps`,
	"cargo fmt": `qv noend --all --check --quiet --verbose`,
	"pytest": `vqxslk:m:r:n: no@ --maxfail= --lf --last-failed --ff --failed-first --tb= --no-header --no-summary --co --collect-only --durations= --verbose --quiet
		--exitfirst --showlocals --capture= --color= --sw --stepwise --strict-markers --disable-warnings`,
	"mvn test":     `nowords noend =-q =-B =-e =-o =-V =-ntp =--quiet =--batch-mode =--offline =--errors =--no-transfer-progress`,
	"gradle test":  `nowords noend =-q =-i =-s =--quiet =--info =--stacktrace =--offline =--continue =--no-daemon =--rerun-tasks =--console=plain`,
	"dotnet test":  `nowords noend =--no-build =--no-restore =--nologo`,
	"dotnet build": `nowords noend =--no-restore =--nologo =--no-incremental`,
	"mix test":     `no@ noend --trace --stale --failed --only= --exclude= --include= --seed= --max-failures= --slowest= --color`,
	"tsc":          `go no@ -noEmit -pretty -strict -watch -w -p= -project= -skipLibCheck -version -v`,
	"eslint":       `vh --ext= --quiet --max-warnings= --color --no-color --no-inline-config --report-unused-disable-directives --version`,
	"ruff check": `nqsv no@ --select= --ignore= --extend-select= --line-length= --statistics --quiet --silent --verbose --diff --exit-zero --no-cache --output-format=
		--preview --force-exclude --exclude= --target-version=`,
	"mypy": `vm:p: no@ --strict --ignore-missing-imports --show-error-codes --no-error-summary --pretty --verbose --no-incremental --warn-unused-ignores
		--check-untyped-defs --disallow-untyped-defs --python-version= --no-color-output --exclude= --follow-imports= --namespace-packages --explicit-package-bases`,

	"sed": `nErsuze:i? --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --expression= --in-place`,
	"awk": listedAwk, "gawk": listedAwk, "mawk": listedAwk,
}

const (
	listedGrep = `EFGPivwxycloqsbHhnTUzZaIe:m:A:B:C: # --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case
		--invert-match --word-regexp --line-regexp --count --color=? --colour=? --files-without-match --files-with-matches --max-count= --only-matching --quiet
		--silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context=
		--context= --text --binary-files= --null-data --line-buffered --include= --exclude= --exclude-dir= L`
	listedAwk     = `F:v:`
	listedGitDiff = `puswbazRDWS:G:U:M?B? # --stat=? --numstat --shortstat --dirstat=? --summary --name-only --name-status --cached --staged --merge-base --patch --no-patch
		--raw --patch-with-stat --unified= --minimal --patience --histogram --diff-algorithm= --color=? --no-color --color-words=? --word-diff=? --word-diff-regex=
		--check --full-index --binary --abbrev=? --find-renames=? --no-renames --diff-filter= --pickaxe-all --pickaxe-regex --ignore-all-space --ignore-space-change
		--ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --exit-code --quiet --no-ext-diff --no-textconv --function-context --inter-hunk-context=
		--relative=? --compact-summary --ignore-submodules=? --text --src-prefix= --dst-prefix= --no-prefix --color-moved=? `
	listedGitLog = `n:iEFPL:gmt --oneline --graph --all --decorate=? --no-decorate --branches=? --tags=? --remotes=? --since= --until= --after= --before= --author= --committer=
		--grep= --max-count= --skip= --format= --pretty=? --date= --abbrev-commit --no-abbrev-commit --reverse --follow --merges --no-merges --first-parent --topo-order
		--date-order --author-date-order --left-right --cherry-pick --cherry-mark --cherry --simplify-by-decoration --full-history --ancestry-path=? --walk-reflogs
		--no-walk=? --boundary --parents --children --source --use-mailmap --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings
		--perl-regexp --cc --no-notes --min-parents= --max-parents= --right-only --left-only --not --glob= --exclude=`
	listedGoBuild = `go -v -x -n -a -race -msan -asan -tags= -p= -trimpath`
	listedCargo   = `qvrp:j:F: noend --all --workspace --package= --exclude= --release --quiet --verbose --lib --bin= --bins --test= --tests --example= --examples --bench= --benches
		--all-targets --jobs= --features= --all-features --no-default-features --profile= --locked --offline --frozen --message-format= --keep-going --color=`
)
