package control

import (
	"strings"
	"testing"
)

// Each of these was covered by the rule that `always` offered for its program, or
// would be by an ordinary one, and reads, runs or writes more than it names.
func TestPrefixesCoverOnlyListedOptions(t *testing.T) {
	for prefix, commands := range map[string][]string{
		"grep *": {"grep -d rec K .", "grep -drec K .", "grep --directories=rec K .", "grep --directories rec K .", "grep --dir=recurse K .", "grep --der K .",
			"grep --dereference-recursive K .", "grep -nd rec K .", "grep -R K .", "grep -nR K .", "grep -r K .", "grep --rec K .", "grep -f x K", "grep -D read K a.go",
			"grep K a.go -r", "grep -e -r K ."},
		"diff *": {"diff -r . src", "diff -ur . src", "diff --rec . src", "diff --recursive . src", "diff --from-file=x a.go", "diff -l a.go b.go", "diff -X x a.go b.go"},
		"file *": {"file -f names", "file -fnames", "file --files-from=names", "file -C -m x", "file -m x a.go", "file -z a.go"},
		"tree *": {"tree -R", "tree -LR 2", "tree -aR -L 1", "tree -o x", "tree --fromfile x", "tree -H . -o x"},
		"rg *":   {"rg -g '*' K", "rg --hidden K", "rg --hid K", "rg --pre x K", "rg --pre=x K", "rg -uu K", "rg -. K", "rg -z K", "rg -L K", "rg -f x", "rg --no-ignore K"},
		"sort *": {"sort -o x a.go", "sort --output=x a.go", "sort -T src a.go", "sort --compress-program=x a.go", "sort --files0-from=x", "sort -uo x a.go"},
		"wc *":   {"wc --files0-from=x", "wc --files0-from x", "wc --fi=x"},
		"du *":   {"du -X x", "du --files0-from=x", "du --exclude-from=x"},
		"go build *": {"go build -gcflags=-json=0,dir", "go build -gcflags -json=0,dir", "go build --gcflags=x", "go build -toolexec=x", "go build -toolexec x ./...",
			"go build -o x", "go build -overlay=x", "go build -modfile=x", "go build -mod=mod", "go build -ldflags=x", "go build -C src", "go build -pgo=x"},
		"go test *": {"go test -exec x", "go test -c", "go test -o x", "go test -coverprofile=x", "go test -coverprofile x ./...", "go test -memprofile=x", "go test -trace=x",
			"go test -outputdir=x", "go test -args x", "go test -fuzz=x", "go test -test.cpuprofile=x", "go test --vet=x -vettool=y"},
		"go vet *":       {"go vet -vettool=x", "go vet -fix"},
		"gofmt *":        {"gofmt -w .", "gofmt --w .", "gofmt -d -cpuprofile=x ."},
		"git diff *":     {"git diff --ext-diff", "git diff --textconv", "git diff --output=x", "git diff --outp=x", "git diff --no-index a.go b.go", "git diff --no-ind a b", "git diff -Ox", "git diff -O x", "git diff --text-conv"},
		"git log *":      {"git log --ext-diff", "git log --textconv", "git log --output x", "git log -Ox", "git log -C", "git log -c", "git log --show-signature", "git log --format=%G?", "git log --pretty=format:%GG"},
		"git show *":     {"git show --ext-diff", "git show --textconv HEAD:a", "git show --output=x"},
		"git blame *":    {"git blame --contents x a.go", "git blame -S x a.go", "git blame --ignore-revs-file x a.go"},
		"pytest *":       {"pytest @args", "pytest -p x", "pytest -c x", "pytest --rootdir=x", "pytest -o x=y", "pytest --pdbcls=x:y", "pytest --cov-report=xml:x", "pytest --junitxml=x", "pytest -W error::x.Y", "pytest --basetemp=x", "pytest -vp x"},
		"tsc *":          {"tsc @args", "tsc --outDir x", "tsc -outFile x", "tsc --build", "tsc --init", "tsc --generateTrace x"},
		"mypy *":         {"mypy @args", "mypy --config-file x", "mypy --python-executable x", "mypy --install-types", "mypy --html-report x", "mypy --junit-xml x", "mypy --cache-dir=x"},
		"ruff check *":   {"ruff check @args", "ruff check --fix", "ruff check --config x", "ruff check -o x", "ruff check --add-noqa"},
		"mvn test *":     {"mvn test deploy", "mvn test -Dx=y", "mvn test -f x", "mvn test exec:java", "mvn test -s x", "mvn test -Pci", "mvn test -qf x"},
		"gradle test *":  {"gradle test publish", "gradle test -Px=y", "gradle test -I x", "gradle test -b x", "gradle test --init-script x", "gradle test -Dx=y", "gradle test -p x"},
		"dotnet test *":  {"dotnet test x.csproj", "dotnet test -p:X=y", "dotnet test @args", "dotnet test --logger x", "dotnet test -- x", "dotnet test /p:X=y"},
		"dotnet build *": {"dotnet build -t:X", "dotnet build -o x", "dotnet build /t:X"},
		"npm test *":     {"npm test -- --x", "npm test --prefix x", "npm test --script-shell=x", "npm test --node-options=x", "npm test -w x"},
		"pnpm test *":    {"pnpm test --x", "pnpm test -r", "pnpm test -C x"},
		"yarn test *":    {"yarn test --cwd x", "yarn test -x"},
		"cargo test *":   {"cargo test --config x", "cargo test --manifest-path x", "cargo test --target-dir=x", "cargo test -Z x", "cargo test -- --logfile x"},
		"cargo clippy *": {"cargo clippy --fix", "cargo clippy --allow-dirty"},
		"cargo fmt *":    {"cargo fmt -- --config-path x", "cargo fmt --manifest-path x"},
		"eslint *":       {"eslint --fix", "eslint -c x", "eslint -f x", "eslint --rulesdir x", "eslint -o x", "eslint --plugin x", "eslint --resolve-plugins-relative-to x", "eslint --cache-location x"},
		"sed *": {"sed '0~3e id' a.go", "sed '1,+2e' a.go", "sed '/x/Ie' a.go", `sed '\,x,e' a.go`, "sed 's x id e' a.go", "sed -nf x a.go", "sed 'w x' a.go", "sed 'r x' a.go",
			"sed e a.go", "sed 's/a/b/e' a.go", "sed 's/a/b/w x' a.go", "sed 's/a/b/;e' a.go", "sed -n -e p -e 'e id' a.go", "sed --expression='1e id' a.go", "sed --expr='1e id' a.go",
			"sed -ne '1e id' a.go", "sed '1!e' a.go", "sed '{e\n}' a.go", "sed 's/[/]x/e;p' a.go", "sed 's/a/b/\ne' a.go", "sed -i../../x p a.go", "sed --file=x a.go", "sed -s 'y/a/b/' a.go",
			"sed '1~2p' a.go", "sed 'a\\\ne' a.go", "sed 's/a/b/M' a.go", "sed 's/[]/X/p;s#]/id/p;/a/Ie id #x#' a.go", "sed 's/[^]/X/p;s#]/id/ge #x#' a.go",
			"sed 's/[[:a:]/X/p;s#]/id/ge #x#' a.go", "sed '/[]/p;s#]/R.env #x#' a.go", "sed 's/[\\]/X/p;s#]/id/ge #x#' a.go", "sed 's/[[.].]/X/p;s#]/id/ge #x#' a.go"},
		"awk *": {"awk '@load \"x\"'", "awk '{print | \"id\"}'", "awk '\"id\" | getline'", "awk '{getline l < \"x\"}'", "awk 'BEGIN{ARGV[1]=\"x\";ARGC=2}'", "awk '{print ENVIRON[\"A\"]}'",
			"awk 'BEGIN{system (\"id\")}'", "awk '{f(1)}'", "awk '{print > \"x\"}'", "awk '{printf \"a\" >> \"x\"}'", "awk -f x a.go", "awk -i inplace 1 a.go", "awk -E x", "awk -l x 1", "awk 'BEGIN{f=\"sys\" \"tem\"; @f(\"id\")}'",
			"awk '{print |& \"id\"}'"},
	} {
		for _, command := range commands {
			f := baseFacts()
			f.Layers = append(f.Layers, Layer{Source: "always", Rules: []Rule{{Domain: "bash", Pattern: prefix, Decision: "allow", By: "always", Workspace: "w-1"}}})
			d := decide(f, bashPlan(command))
			if d.Verdict == Allow {
				t.Errorf("%s is covered by the stored rule %s", command, prefix)
			}
			for _, o := range d.Always {
				if strings.HasSuffix(o.Pattern, " *") {
					t.Errorf("%s: %s is offered", command, o.Pattern)
				}
			}
			switch head, _, _ := strings.Cut(prefix, " "); head {
			case "grep", "rg", "diff", "file", "tree", "sort", "wc", "du", "sed", "awk":
				if d := decide(baseFacts(allowBash(prefix)...), bashPlan(command)); d.Verdict == Allow {
					t.Errorf("%s is covered by the written rule %s", command, prefix)
				}
			}
		}
	}
}

// What is typed every day is still covered by what `always` offers for it.
func TestPrefixesCoverEverydayOptions(t *testing.T) {
	for prefix, commands := range map[string][]string{
		"grep *": {"grep -n foo a.go", "grep -in 'a b' a.go src/main.go", "grep -A3 -B 2 x a.go", "grep -C3 x a.go", "grep -5 x a.go", "grep -c x a.go", "grep -lE 'a|b' a.go", "grep -e x -e y a.go",
			"grep --color=never x a.go", "grep -m1 x -- a.go", "grep -er a.go", "grep -v x"},
		"ls *":            {"ls -la", "ls", "ls -lhtr src", "ls -1", "ls --color=never -R src", "ls -d src"},
		"cat *":           {"cat a.go", "cat -n a.go README.md"},
		"head *":          {"head -20 a.go", "head -n 20 a.go", "head -n20 a.go", "head -c 5 a.go", "head --lines=3 a.go", "head -n -5 a.go"},
		"tail *":          {"tail -5 a.go", "tail -n +5 a.go", "tail -f a.go", "tail -n 3"},
		"wc *":            {"wc -l a.go", "wc -lw a.go"},
		"stat *":          {"stat a.go", "stat -c %s a.go"},
		"file *":          {"file a.go", "file -b --mime-type a.go"},
		"du *":            {"du -sh src", "du -h -d 1", "du -hd1 src", "du --max-depth=1"},
		"tree *":          {"tree -L 2", "tree -a -I node_modules src"},
		"pwd *":           {"pwd"},
		"git status *":    {"git status", "git status -sb", "git status --short", "git status --porcelain=v2", "git status -uno"},
		"git log *":       {"git log --oneline -5", "git log -n 5 --stat", "git log -p a.go", "git log --since=yesterday --author me", "git log --graph --all --decorate", "git log --format=%h -3", "git log -S foo"},
		"git diff *":      {"git diff", "git diff --stat", "git diff --cached", "git diff HEAD~1 -- a.go", "git diff -U5 --name-only", "git diff -w"},
		"git show *":      {"git show HEAD", "git show --stat HEAD", "git show HEAD:a.go"},
		"git blame *":     {"git blame -L 1,5 a.go", "git blame a.go"},
		"git ls-files *":  {"git ls-files", "git ls-files -m"},
		"git describe *":  {"git describe --tags --always"},
		"git rev-parse *": {"git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel"},
		"go test *":       {"go test ./...", "go test -v -run TestX ./control", "go test -run=X -count=1 ./...", "go test -race -timeout 30s ./...", "go test --short"},
		"go build *":      {"go build ./...", "go build -v ./cmd/x", "go build -tags x ./..."},
		"go vet *":        {"go vet ./..."},
		"go list *":       {"go list -m all", "go list -f '{{.Dir}}' ./...", "go list -json"},
		"go doc *":        {"go doc -all fmt"},
		"gofmt *":         {"gofmt -l .", "gofmt -d a.go"},
		"npm test *":      {"npm test", "npm test unit"},
		"cargo test *":    {"cargo test", "cargo test --release -p x name"},
		"cargo check *":   {"cargo check --all-targets"},
		"pytest *":        {"pytest", "pytest -xvs tests/test_a.py::test_b", "pytest -k 'a and b' --tb=short", "pytest -q --maxfail=1"},
		"mvn test *":      {"mvn test", "mvn test -q"},
		"gradle test *":   {"gradle test", "gradle test -q"},
		"dotnet test *":   {"dotnet test", "dotnet test --no-build"},
		"mix test *":      {"mix test test/a_test.exs --trace"},
		"tsc *":           {"tsc --noEmit", "tsc -p tsconfig.json --noEmit"},
		"eslint *":        {"eslint src", "eslint --quiet ."},
		"ruff check *":    {"ruff check .", "ruff check --select E,F src"},
		"mypy *":          {"mypy src", "mypy --strict src", "mypy -p pkg"},
	} {
		for _, command := range commands {
			f := baseFacts()
			offered := false
			for _, o := range decide(f, bashPlan(command)).Always {
				offered = offered || o.Pattern == prefix
			}
			if !offered {
				t.Errorf("%s: %s is not offered", command, prefix)
			}
			f.Layers = append(f.Layers, Layer{Source: "always", Rules: []Rule{{Domain: "bash", Pattern: prefix, Decision: "allow", By: "always", Workspace: "w-1"}}})
			if d := decide(f, bashPlan(command)); d.Verdict != Allow {
				t.Errorf("%s: %s", command, d.Reason)
			}
		}
	}
	for _, command := range []string{"sed -n 1,5p a.go", "sed 's/a/b/g' a.go", "sed -E 's|a/b|c|; s,x,y,2g' a.go", "sed -n '/x/,$p' a.go", "sed '1d;$!d' a.go", "sed -i.bak s/a/b/ a.go",
		"awk '{print $1}' a.go", "awk -F: '$3 > 5 {print $1, length($2)}' a.go", "awk -v x=1 'x || y {n++} END {printf \"%d\\n\", n}' a.go", "rg -n K src", "diff -u a.go src/main.go", "sort -u -k2,2 a.go"} {
		head, _, _ := strings.Cut(command, " ")
		if d := decide(baseFacts(allowBash(head+" *")...), bashPlan(command)); d.Verdict != Allow {
			t.Errorf("%s: %s", command, d.Reason)
		}
	}
}

// Every prefix that is offered has its list, or it would cover every option.
func TestEveryPrefixHasItsList(t *testing.T) {
	for _, prefix := range safePrefixes {
		d := decide(baseFacts(), bashPlan(prefix+" --no-such-option-at-all"))
		for _, o := range d.Always {
			if strings.HasSuffix(o.Pattern, " *") {
				t.Errorf("%s covers any option", prefix)
			}
		}
	}
}

// Names that begin with a dash are options to the program that a pattern gives them to.
type dashed struct{ world }

func (dashed) Glob(_, pattern string) ([]string, bool) {
	return []string{"/home/u/p/-R", "/home/u/p/a.go"}, true
}

func TestPatternsThatHitOptions(t *testing.T) {
	f := baseFacts(allowBash("grep *")...)
	f.Resolver = dashed{theWorld}
	if d := decide(f, bashPlan("grep KEY *")); d.Verdict != Ask {
		t.Errorf("grep KEY * is %v where a file is called -R", d.Verdict)
	}
	if d := decide(f, bashPlan("grep KEY ./*")); d.Verdict != Allow {
		t.Errorf("grep KEY ./* asks: %s", d.Reason)
	}
}

// Brackets in brackets are counted before anything is read.
func TestDeepNestingIsRefused(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("$((1+", 1500), "echo " + strings.Repeat("$(", 2000), strings.Repeat("(", 2000), "echo " + strings.Repeat("${x:-", 1500), "echo " + strings.Repeat("`echo $(", 900),
		"bash -c '" + strings.Repeat("$((1+", 1500) + "'", "[[ " + strings.Repeat("( ", 2000),
	} {
		f := baseFacts(allowBash("*")...)
		f.Mode = "full_access"
		if d := decide(f, bashPlan(text)); d.Verdict != Deny {
			t.Errorf("%s: %v (%s)", Title(text, 40), d.Verdict, d.Reason)
		}
	}
}

// Bypass: a blank that is none to the shell makes one word look like two. It is shown as
// what it is, also where an editor puts the rule into a title of its own.
func TestBypassOddBlanksInLabels(t *testing.T) {
	for _, blank := range []string{"\u00a0", "\u2003", "\u3000"} {
		d := decide(baseFacts(), bashPlan("./a"+blank+"b"))
		if len(d.Always) == 0 || strings.Contains(d.Always[0].Label, blank) || !strings.Contains(d.Always[0].Label, "<U+") {
			t.Errorf("%+q: %v", blank, d.Always)
		} else if names := d.Always[0].PlainNames(); strings.Contains(names, blank) || !strings.Contains(names, "<U+") {
			t.Errorf("%+q: %q", blank, names)
		}
	}
}

// withFolders is a world that knows its directories.
type withFolders struct{ world }

func (w withFolders) Directory(object string) bool {
	for _, dir := range []string{"vault:/", "vault:/src", "fs:/home/u/other"} {
		if object == dir {
			return true
		}
	}
	return false
}

// Bypass: diff of two directories prints every file in them, hidden ones too.
func TestBypassDiffOfFolders(t *testing.T) {
	f := baseFacts(allowBash("diff *")...)
	f.Resolver = withFolders{newWorld("/home/u/p/a.go", "/home/u/p/src/a.go", "/home/u/p/l -> /home/u/p/src")}
	for command, want := range map[string]Verdict{
		"diff . src": Ask, "diff -N src .": Ask, "diff --new-file src/ ./": Ask, "diff src l": Ask, "diff -u src -- .": Ask, "cd src && diff . ..": Ask, "d=src; diff $d .": Ask,
		"diff a.go src": Allow, "diff src/a.go a.go": Allow, "diff -u a.go src/a.go": Allow,
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
