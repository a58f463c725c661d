//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The tree of the scripts. ROOT is the directory that holds all of it.
var (
	treeFiles = []string{
		"work/a.txt", "work/b.md", "work/near.txt", "work/list.txt", "work/.gitignore", "work/src/m.go", "work/src/near.txt", "work/src/deep/x.txt", "work/sub/near.txt", "work/run.sh",
		"work/.env", "work/.env.local", "work/key.pem", "work/id_rsa", "work/src/.env", "work/sub/.env", "work/src/deep/.env", "work/conf/credentials.json", "work/.ssh/id_ed25519",
		"work/.envrc", "work/.vscode/settings.json", "work/AGENTS.md", "work/Jenkinsfile",
		"work/a b", "work/-r", "work/[x].txt", "work/[x].env", "work/\ufffc", "work/new\nline", "work/*", "work/{a,b}", "work/~", "work/$HOME", "work/a\tb", "work/ü.txt",
		"outside/near.txt", "outside/.env", "outside/docs/x.txt", "outside/docs/near.txt", "outside/docs/deep/y.txt", "outside/run.sh", "near.txt",
		"home/.bashrc", "home/.ssh/id_rsa", "home/.aws/credentials", "home/.gitconfig", "home/.agent-sidecar/sessions/log", "home/near.txt",
	}
	treeLinks = []string{
		"work/docs -> ../outside/docs", "work/out.txt -> ../outside/near.txt", "work/link.txt -> a.txt", "work/loop -> loop", "work/up -> ..", "work/self -> .", "work/d -> src/deep",
		"work/abs -> ROOT/outside", "work/e -> .env", "work/proccwd -> /proc/self/cwd", "work/procroot -> /proc/self/root", "work/devfd -> /dev/fd", "work/src/up -> ..",
		"work/src/s -> ../sub", "work/x\ufffcy -> ../outside", "work/gone -> ../outside/nothing", "work/many -> d/../../docs", "work/a\ufffbb -> .env", "outside/back -> ../work",
	}
	treeTwins = []string{"work/twin.txt = work/.env", "work/src/twin.go = work/src/.env"}
)

// scribe writes scripts. Its choices come from a seed.
type scribe struct {
	r     *rand.Rand
	root  string
	depth int
}

func newScribe(seed uint64, root string) *scribe {
	return &scribe{r: rand.New(rand.NewPCG(seed, 7)), root: root}
}

func (s *scribe) pick(list ...string) string { return list[s.r.IntN(len(list))] }
func (s *scribe) one(in int) bool            { return s.r.IntN(in) == 0 }

// script is a few statements.
func (s *scribe) script() string {
	var b strings.Builder
	for n := 1 + s.r.IntN(5)/3; n > 0; n-- {
		b.WriteString(s.statement())
		if n > 1 {
			b.WriteString(s.pick("; ", "\n", " && ", " || ", "; ", "\n"))
		}
	}
	return b.String()
}

// boxed is a script, and several tries to open what is hidden in the sandbox and to
// change what is protected. None of them leaves the tree, should the sandbox fail.
func (s *scribe) boxed() string {
	script := "(\n" + s.script() + "\n)"
	for range 4 {
		at := s.pick(s.root+"/", "up/", "self/up/", "abs/../", "src/up/up/", "/proc/self/cwd/up/", "/proc/self/root"+s.root+"/", "procroot"+s.root+"/", "/dev/fd/../cwd/up/", "/proc/1/root"+s.root+"/", "docs/../../")
		if s.one(2) {
			at += s.pick(keptInBox...)
		} else {
			at += "home/" + s.pick(".ssh/id_rsa", ".aws/credentials", ".agent-sidecar/sessions/log", ".ssh/*", ".agent-sidecar/config.jsonc")
		}
		script += "\n" + strings.ReplaceAll(s.pick(
			"cat @", "cat <@", "cp @ n1; cat n1", "ln @ n2; cat n2; echo x >>n2", "ln -s @ n3; cat n3; echo x >n3", "dd if=@ status=none", "tar cf - @", "grep -r KEY $(dirname @)", "find $(dirname @) -type f -exec cat {} +",
			"echo x >@", "echo x >>@", "rm -f @", "mv @ n4", "mv $(dirname @) n5; echo x >n5/$(basename @)", "sed -i s/K/x/ @", "truncate -s 0 @", "cp a.txt @", "cp -f --remove-destination a.txt @", "mv -f a.txt @",
			"ln -sf ../a.txt @", "mkdir -p @", "chmod 000 @", "exec 7<>@; echo x >&7", "git config -f @ a.b c", "install a.txt @", "(sleep 0.2; echo x >@) &", "cd $(dirname @) && echo x >$(basename @)", "tee -a @ <a.txt", "touch @",
		), "@", at)
	}
	return script
}

func (s *scribe) statement() string {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 3 {
		return s.command()
	}
	switch s.r.IntN(40) {
	case 0:
		return "(" + s.statement() + ")"
	case 1:
		return "{ " + s.statement() + "; }"
	case 2:
		return "for f in " + s.path() + " " + s.path() + "; do " + s.pick(`cat "$f"`, "cat $f", "head -n1 $f", `cat <$f`, `(cd $f && cat near.txt)`, `cat "${f%.txt}"`, `cat ${f/near/}`) + "; done"
	case 3:
		return "if " + s.pick("[ -e "+s.path()+" ]", "true", s.command()) + "; then " + s.statement() + "; fi"
	case 4:
		return s.pick("cd ", "cd -P ", "cd -L ", "cd -- ", "cd -e -P ") + s.dir() + s.pick(" && ", "; ") + s.statement()
	case 5:
		name := s.pick("v", "w", "IFS", "CDPATH", "p")
		return name + "=" + s.pick(s.path(), s.dir(), "e", `.e`, `"$v"`) + "; cat " + s.pick("$v", `"$v"`, "${v}nv", ".${v}nv", "$w/near.txt", "${v:-"+s.path()+"}", "${v#x}", "$p", "${v}/../near.txt")
	case 6:
		return s.command() + " | " + s.pick("while read f; do cat $f; done", "cat", "head -n2", "{ read f; cat \"$f\"; }", "tee "+s.path(), "sort", "wc -l", "grep KEY "+s.path(), "mapfile -t m")
	case 7:
		return s.pick("cat", "tee "+s.path(), "grep foo", "head -n1 -") + " <<" + s.pick("E", "'E'", "-E") + "\n" + s.pick("$(<"+s.path()+")", "$(cat "+s.path()+")", "x", s.path()) + "\nE\n"
	case 8:
		return s.pick("cat", "head", "grep K") + " <<<" + s.pick(`"$(<`+s.path()+`)"`, "$(cat "+s.path()+")", s.path())
	case 9:
		return "cat <(" + s.statement() + ")"
	case 10:
		return "f() { " + s.statement() + "; }; f " + s.path()
	case 11:
		return "case " + s.path() + " in " + s.pick("*", "a*", "'x'") + ") " + s.statement() + ";; esac"
	case 12:
		return "exec 5<" + s.pick(s.path(), s.dir()) + "; cat " + s.pick("<&5", "/dev/fd/5", "/proc/self/fd/5", "/dev/fd/5/near.txt", "/dev/fd/5/../near.txt", "devfd/5")
	case 13:
		return s.rename() + s.pick("; ", " && ") + s.command()
	case 14:
		return "set -- " + s.path() + " " + s.path() + "; cat " + s.pick(`"$@"`, "$1", "$2", "${@:1:1}", "${1}", "$*")
	case 15:
		return s.pick("shopt -s globstar dotglob", "shopt -s extglob", "set -f", "set -o noglob", "shopt -s nullglob nocaseglob", "set +H", "LC_ALL=C") + "; " + s.statement()
	case 16:
		return s.pick("pushd ", "cd ") + s.dir() + " >/dev/null; cat " + s.pick("../near.txt", "near.txt", "$OLDPWD/near.txt", "~-/near.txt", "~+/../near.txt", "\"$PWD\"/../near.txt", "../a.txt", "../.env") + s.pick("", "; cd - ; cat near.txt", "; cd ..; cat near.txt")
	}
	return s.command()
}

// rename gives a file another name.
func (s *scribe) rename() string {
	return s.pick("ln -s ", "ln ", "cp ", "mv ", "cp -r ", "cp -a ", "cp -l ", "cp -P ", "ln -sf ", "ln -sr ", "ln -sT ", "mv -f ", "install ", "cp --parents ") + s.pick(s.path(), s.dir()) + " " + s.pick("n", "src/n", "sub", s.path(), s.dir())
}

// command is a simple command, some with redirections.
func (s *scribe) command() string {
	c := s.simple()
	if s.one(6) {
		c += " " + s.pick("<", ">", ">>", "2>", "&>", "<>", ">|", "5<", "1<>") + s.path()
	}
	if s.one(30) {
		c = s.pick("<", "2>/dev/null <") + s.path() + " " + c
	}
	return c
}

// options are some that a program knows; the words are separated by "|", and "" is
// none. A "%" stands for a path.
var programOptions = map[string]string{
	"cat": "|||-n|-A|-vE|--show-all|-", "head": "|||-n1|-c 9|-v|-q|--lines=2|-1", "tail": "|||-n 3|-c4|-v|--bytes=5|-n +1", "wc": "|||-l|-c|--files0-from=%|-w",
	"sort": "|||-u|-r|-k 2|-o %|--files0-from=%|-m|-T %|--output=%|-uo%|-S 1M|--random-source=%|--compress-program=cat", "uniq": "|||-c|-d", "nl": "|||-b a", "cut": "|-c1-9|-d= -f2|-b 1-3",
	"diff": "|||-u|-r|-q|-ruN|--from-file=%|--to-file=%|-x .git -r|-X %|--no-dereference -r|-rq", "cmp": "|-s|-l", "stat": "|-L|-c %n", "file": "||-b|-L|-f %|-m %|-z|-s",
	"du": "|-a|-s|-L|--files0-from=%|-X %|-D", "tac": "|", "od": "|-c|-An", "rev": "|", "paste": "|-s|-d,", "comm": "|-12", "join": "|", "fold": "|-w 9", "expand": "|",
	"base64": "|-w0", "md5sum": "|-c|-b", "ls": "|||-l|-a|-R|-laR|-L|-d|-lLR|--dereference -R", "tr": "a-z A-Z <", "mapfile": "-t m <", "read": "x <",
	"touch": "|-c|-r %|-h|-a", "mkdir": "|-p", "rmdir": "|-p", "rm": "|-f|-r|-rf|-d", "tee": "|-a|--|-i", "truncate": "-s 0|-s 5|-r %|-s +1", "split": "|-l 1|-b 9|-n 2", "chmod": "600|+x|-R 700|--reference=%|u+w", "readlink": "|-f",
	"realpath": "|-s", "basename": "|", "dirname": "|", "test": "-e|-f|-nt %|-s", "echo": "|-n|-e",
}

func (s *scribe) simple() string {
	switch s.r.IntN(14) {
	case 0:
		return s.grep()
	case 1:
		return "find " + s.pick("", "-L ", "-H ", "-P ") + s.pick(s.path(), s.dir(), ".") + " " + s.pick("", "-name '*.txt'", "-newer "+s.path(), "-maxdepth 1", "-fprint "+s.path(), "-delete", "-samefile "+s.path(), "-type f -print0", "-fls "+s.path(), "-files0-from "+s.path(), "-follow")
	case 2:
		return "sed " + s.pick("-n ", "", "-e ", "-i ", "-i.bak ", "-s ", "-E ", "-ni ", "--in-place ", "-z ", "-u ") + s.pick("1p", "'s/foo/x/'", "p", "'r "+s.bare()+"'", "'w "+s.bare()+"'", "'1r"+s.bare()+"'", "'s/a/b/w "+s.bare()+"'", "'$!d'", "'R "+s.bare()+"'", "-f "+s.path(), "'W"+s.bare()+"'") + " " + s.path()
	case 3:
		return "awk " + s.pick("", "-F= ", "-v x=1 ", "-v f="+s.path()+" ") + s.pick("'{print $1}'", "1", "'NR==1'", "'{print > \""+s.bare()+"\"}'", "'{getline x < \""+s.bare()+"\"; print x}'", "-f "+s.path(), "'{print FILENAME}'", "'BEGIN{getline<f}'") + " " + s.pick(s.path(), s.path(), "x="+s.path()+" a.txt", "FS=: "+s.path())
	case 4:
		return "tar " + s.pick("cf n.tar", "-cf n.tar", "czf n.tgz", "-cf n.tar -C "+s.dir(), "tf", "-chf n.tar", "-cf n.tar -T", "xf", "-rf n.tar", "-cf n.tar --exclude-vcs", "-cf n.tar -X "+s.path()) + " " + s.pick(s.path(), s.dir())
	case 5:
		return "dd " + s.pick("if="+s.path(), "if="+s.path()+" of="+s.path(), "of="+s.path()+" if=a.txt", "count=1 if="+s.path()) + " status=none"
	case 6:
		return s.rename()
	case 7:
		return s.git()
	case 8:
		return "cat " + s.path()
	}
	name := s.pick(programNames...)
	choices := strings.Split(programOptions[name], "|")
	opt := choices[s.r.IntN(len(choices))]
	if strings.Contains(opt, "%") && name != "stat" {
		opt = strings.ReplaceAll(opt, "%", s.path())
	}
	words := []string{name, opt, s.path()}
	if s.one(3) || name == "diff" || name == "cmp" || name == "comm" || name == "join" {
		words = append(words, s.path())
	}
	if s.one(12) {
		words[2] = "-- " + words[2]
	}
	return strings.Join(words, " ")
}

var programNames = func() []string {
	var all []string
	for _, p := range tracedPrograms {
		if programOptions[p] != "" {
			all = append(all, p)
		}
	}
	return all
}()

func (s *scribe) grep() string {
	return "grep " + s.pick("", "", "-n ", "-i ", "-c ", "-r ", "-R ", "-d rec ", "-drecurse ", "--directories=rec ", "--der ", "-f "+s.path()+" ", "-nd rec ", "-e K ", "--include=*.txt -r ", "--exclude-dir=.git -rn ", "-D skip ", "-d skip ", "-l ", "-H ", "-rl ", "--file="+s.path()+" ", "--exclude-from="+s.path()+" ", "-sr ", "-E ", "-z ") + s.pick("KEY", "K", "foo", "-e foo", "''", ".") + " " + s.pick(s.path(), s.path(), s.dir(), "."+s.pick("", "/*"), s.path()+" "+s.path())
}

func (s *scribe) git() string {
	return "git " + s.pick("log", "log -p", "log --stat", "log -n1 --", "diff", "diff HEAD", "diff --no-index a.txt", "show", "show HEAD:a.txt", "show HEAD:"+s.bare(), "status", "status -s", "status --ignored", "blame", "blame -L1,1", "blame --contents "+s.path(), "ls-files", "ls-files -o", "ls-files -X "+s.path(), "grep KEY", "grep --untracked KEY", "grep --no-index KEY", "grep -f "+s.path(), "grep -r KEY --", "rev-parse HEAD", "log --output="+s.path(), "diff --output="+s.path(), "diff -O"+s.path(), "diff --no-index", "show --", "log -S K --", "blame --ignore-revs-file="+s.path(), "log --no-walk --stdin <", "grep -O KEY") + " " + s.pick("", "a.txt", s.path(), s.dir())
}

// names of files that nobody minds, and of those that must not be touched.
var (
	plainNames  = []string{"a.txt", "b.md", "near.txt", "src/m.go", "src/near.txt", "sub/near.txt", "link.txt", "list.txt", "d/x.txt", "n", "n.txt", "run.sh"}
	secretNames = []string{
		".env", ".env.local", "key.pem", "id_rsa", "src/.env", "sub/.env", "conf/credentials.json", ".ssh/id_ed25519", "d/.env", "out.txt", "docs/x.txt", "abs/near.txt", "up/near.txt",
		"twin.txt", "src/twin.go", "e", "many/near.txt", "docs/../near.txt", "../near.txt", "../outside/near.txt", "src/up/up/near.txt", ".envrc", "AGENTS.md", ".git/config", ".vscode/settings.json", "Jenkinsfile",
		"gone", "x\ufffcy/near.txt", "a\ufffbb", ".git/hooks/n",
		"up/home/.ssh/id_rsa", "../home/.aws/credentials", "procroot/etc/hostname", "up/home/.agent-sidecar/sessions/log",
	}
	oddNames = []string{"a b", "-r", "[x].txt", "[x].env", "\ufffc", "new\nline", "*", "{a,b}", "~", "$HOME", "a\tb", "ü.txt", "loop"}
	detours  = []string{
		"./", ".//", "self/", "src/../", "src/up/", "docs/../", "up/work/", "src/deep/../../", "d/../", "d/../../", "abs/../work/", "abs/back/", "proccwd/", "devfd/../cwd/", "many/../",
		"/dev/fd/../cwd/", "/proc/self/cwd/", "/proc/thread-self/cwd/", "/proc/$$/cwd/", "/proc/self/fd/../cwd/", "/dev/../proc/self/cwd/", "/proc/net/../cwd/", "$PWD/", "${PWD}/", "~+/", "\"$PWD\"/", "~/", "~/../work/", "$HOME/", "$HOME/../work/", "loop/../", "nothing/../", "a.txt/../", "src/s/../", "s*/", "{src,sub}/../", "$(pwd)/", "docs/../../work/",
		"/proc/self/task/$$/cwd/", "/dev/stdin/../", "$OLDPWD/", "/proc/self/root$PWD/", "procroot$PWD/", "src/s/../../", ".git/../", "?rc/up/",
	}
)

// bare is a name without any quoting or expansion.
func (s *scribe) bare() string {
	if s.one(2) {
		return s.pick(plainNames...)
	}
	return s.pick(secretNames...)
}

// dir is a word that names a directory, most of the time.
func (s *scribe) dir() string {
	d := s.pick(".", "src", "sub", "src/deep", "d", "self", "docs", "up", "abs", "..", "proccwd", "many", "src/up", "src/s", "conf", ".ssh", "/dev/fd", "/proc/self", "/proc/self/cwd", "~", "$PWD", s.root+"/work/src", s.root+"/outside", "abs/back", "x\ufffcy", "docs/deep", "devfd", ".git", "src/../sub", "docs/..", "d/..", "-")
	if s.one(5) {
		return s.spell(d)
	}
	return d
}

// path is a word that names a file, most of the time.
func (s *scribe) path() string {
	var p string
	switch s.r.IntN(16) {
	case 0:
		p = s.pick(oddNames...)
		if strings.ContainsAny(p, "\n\t $*{[~") && !s.one(3) {
			return "'" + p + "'"
		}
	case 1, 2:
		p = s.pick(secretNames...)
	default:
		p = s.pick(plainNames...)
	}
	switch s.r.IntN(20) {
	case 0, 1, 2:
		return s.pick(detours...) + p
	case 3:
		return s.pick(detours...) + s.pick(detours...) + p
	case 4, 5, 8:
		return s.spell(p)
	case 6:
		return s.root + "/work/" + p
	case 7:
		return s.pick(detours...) + s.spell(p)
	}
	return p
}

// spell writes a name in another way: quoted, as a pattern, or put together.
func (s *scribe) spell(p string) string {
	runes := []rune(p)
	i := s.r.IntN(len(runes))
	before, at, after := string(runes[:i]), string(runes[i]), string(runes[i+1:])
	if at == "/" || at == "\n" || at == "\t" || at == " " || at == "$" {
		return "'" + p + "'"
	}
	switch s.r.IntN(22) {
	case 0:
		return before + "?" + after
	case 1:
		return before + "[" + at + "]" + after
	case 2:
		return before + "[!/]" + after
	case 3:
		return before + "[[:" + s.pick("alpha", "alnum", "punct", "graph", "lower") + ":]]" + after
	case 4:
		return before + "*"
	case 5:
		return before + "*" + after
	case 6:
		return "{" + p + ",a.txt}"
	case 7:
		return before + "{" + at + ",z}" + after
	case 8:
		return before + "'" + at + "'" + after
	case 9:
		return before + `"` + at + `"` + after
	case 10:
		return before + `\` + at + after
	case 11:
		return before + fmt.Sprintf(`$'\x%02x'`, runes[i]&0x7f) + after
	case 12:
		return before + "$(echo " + s.pick(at, "'"+at+"'") + ")" + after
	case 13:
		return before + "${u:-" + at + "}" + after
	case 14:
		return before + "$u" + at + after
	case 15:
		return before + "[^x]" + after
	case 16:
		return before + "[" + at + "-" + at + "]" + after
	case 17:
		return before + "[[." + at + ".]]" + after
	case 18:
		return before + "[[=" + at + "=]]" + after
	case 19:
		return before + "@(" + at + "|q)" + after
	case 20:
		return "**/" + p
	}
	return "." + s.pick("*", "?*", "[!.]*", "e*", "[a-z]*", "{env,x}", "??v", "/.?*")
}
