package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Tables of what programs are known to do.
var (
	// textHeads print their arguments and open none of them.
	textHeads = words("echo printf true false :")
	// harmlessHeads do nothing with a word that could not be read before.
	harmlessHeads = words("echo printf true false : test [ exit return break continue shift sleep seq expr basename dirname pwd")
	// readHeads read and never run anything of the project: they may be offered
	// for every workspace.
	readHeads = words("ls cat head tail wc pwd grep egrep fgrep cut tr basename dirname stat file du df date whoami uname which echo printf true test nl rev cmp tree realpath readlink id md5sum sha1sum sha256sum")
	// readsDirectories name "." without reading every file below it.
	readsDirectories = words("ls cd pushd find tree du")
	// interpreters run text or other programs: never offered as a prefix.
	interpreters = words(`sh bash dash zsh ksh ash fish python python2 python3 node deno bun perl ruby php lua env sudo doas su xargs find
		ssh docker podman kubectl eval exec npx npm pnpm yarn rm dd curl wget source . awk gawk mawk sed make just task parallel
		command builtin timeout nice nohup time setsid stdbuf ionice watch strace busybox chroot trap alias set shopt sg runuser flock`)
	// writers change the files among their arguments.
	writers = words(`rm rmdir mv cp tee touch mkdir ln chmod chown chgrp install truncate dd rsync shred unlink patch mkfifo mknod setfacl
		setfattr chattr unzip tar gunzip gzip bzip2 xz ex ed vim vi nano`)
	makeEach = words("touch tee mkdir truncate mkfifo mknod dd") // they make what each of their words names
	makeLast = words("cp mv ln install rsync split")             // they make what the last one does
	shells   = words("sh bash dash zsh ksh ash mksh rbash")
)

// reaching options start programs, write elsewhere or leave the directory. Long
// ones count when abbreviated too.
var (
	reachingShort = words("-exec -execdir -ok -okdir -toolexec -vettool -C -c -delete -fprint -fprintf -fls -o -O -I -e -x -X")
	reachingLong  = []string{
		"--git-dir", "--work-tree", "--output", "--config", "--ext-diff", "--exec", "--exec-path", "--config-env", "--toolexec", "--vettool",
		"--to-command", "--use-compress-program", "--checkpoint-action", "--rsh", "--upload-pack", "--receive-pack", "--pre",
		"--open-files-in-pager", "--textconv", "--directory", "--compress-program", "--config-file", "--require", "--plugin", "--rulesdir",
		"--exec-batch", "--info-script", "--new-volume-script", "--rmt-command", "--rsh-command", "--manifest-path", "--prefix", "--modfile",
		"--extcmd", "--filter", "--pager", "--script-shell", "--rootdir", "--confcutdir", "--python-executable", "--parser", "--init-script",
		"--resolve-plugins-relative-to", "--use-askpass", "--execute", "--hostname-bin", "--extld", "--upload-pack", "--template",
		"--overlay", "--output-directory", "--out-dir", "--target-dir", "--no-index", "--files0-from",
	}
)

func reachingOptions(cmd *Command) []string {
	var out []string
	for i, a := range cmd.likely {
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		name, _, _ := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(name, "--"):
			if len(name) > 3 && slices.ContainsFunc(reachingLong, func(l string) bool { return strings.HasPrefix(l, name) }) ||
				reachingShort.has(name[1:]) && len(name) > 3 {
				out = append(out, name)
			}
		case cmd.Head == "find" && (name == "-L" || name == "-follow"): // through each link below
			out = append(out, name)
		case reachingShort.has(name):
			if !harmlessHere(cmd.Known, name) {
				out = append(out, name)
			}
		case slices.Contains(reachingLong, "-"+name): // Go's tools take -modfile and --modfile
			out = append(out, name)
		case strings.HasPrefix(name, "-C") && !harmlessHere(cmd.Known, "-C"):
			out = append(out, "-C")
		case attached(cmd.Head, cmd.Args[i].filled("_")):
			out = append(out, name[:2])
		}
	}
	return out
}

// harmlessOptions are one-letter options that mean something innocent: grep -c
// counts, grep -e is a pattern, ls -I ignores.
var harmlessOptions = map[string]words{
	"grep": words("-c -C -e -o -x -I"), "egrep": words("-c -C -e -o -x -I"), "fgrep": words("-c -C -e -o -x -I"), "rg": words("-c -C -e -o -x -I"),
	"ls": words("-c -C -x -X -I"), "tree": words("-C -I -x"), "du": words("-c -x -X"), "head": words("-c"), "tail": words("-c"), "wc": words("-c"),
	"cut": words("-c"), "stat": words("-c"), "tr": words("-c -C"), "cat": words("-e"), "uniq": words("-c"), "sort": words("-c -C"),
	"set": words("-e -x -o -C"), "test": words("-c -e -o -x -O"), "[": words("-c -e -o -x -O"), "echo": words("-e"),
}

// attachedOptions are letters that take a program or a place without a blank:
// git grep -Oless, tar -Iprog, sort -ofile.
var attachedOptions = map[string]string{"git": "Oc", "tar": "I", "rsync": "e", "sort": "oT", "tree": "o", "uniq": "", "less": "oO", "ssh": "oF", "scp": "oFS", "sftp": "oFS"}

func harmlessHere(head, option string) bool { return harmlessOptions[head].has(option) }

func attached(head, option string) bool {
	return len(option) > 2 && option[1] != '-' && strings.IndexByte(attachedOptions[head], option[1]) >= 0
}

// isInterpreter also knows python3.12 and its like.
func isInterpreter(head string) bool {
	return interpreters.has(head) || interpreters.has(strings.TrimRight(head, "0123456789."))
}

// obeysInput says that the command takes orders from its standard input, so that
// its text alone does not say what it does: `python -` with a here-document.
func obeysInput(cmd *Command) bool {
	switch cmd.Head {
	case "patch", "ed", "ex", "sqlite3", "psql", "mysql", "crontab", "at", "batch", "bc", "gdb", "m4", "tclsh", "irb", "cpio":
		return true
	case "git":
		verb := firstVerb(cmd)
		return verb == "apply" || verb == "am" || verb == "fast-import" || verb == "update-ref"
	case "awk", "gawk", "mawk", "sed":
		return slices.Contains(cmd.likely, "-") || slices.Contains(cmd.likely, "/dev/stdin")
	case "rm", "curl", "wget", "npm", "pnpm", "yarn", "find", "kubectl", "docker", "dd", "env", "nice", "nohup", "timeout", "time", "command", "builtin", "exec", "set", "shopt":
		return false // or what they start is judged itself
	}
	return isInterpreter(cmd.Head)
}

// awkRuns and sedRuns find programs that start programs.
var (
	awkRuns = lazy.Regexp(`system\s*\(|\|\s*getline|\|&|print[^;}]*\|\s*"|"\s*\|`)
	sedRuns = lazy.Regexp(`(^|[;{}\n=!]|^[0-9$,]+|/)\s*[0-9]*e(\s|$|;)|[/|#,!@]([gpiImM0-9])*e([gpiImM0-9])*\s*($|;|\})|(^|[;{}\n])\s*[0-9$,]*[wW]\s`)
)

// runsProgramText says that the arguments hold a program of their own which
// starts others: no rule with a wildcard covers it.
func runsProgramText(cmd *Command) bool {
	switch cmd.Head {
	case "awk", "gawk", "mawk", "nawk":
		return slices.ContainsFunc(cmd.likely, awkRuns().MatchString) || hasProgramFile(cmd.likely, "fEil", "--file --exec --include --load") ||
			slices.ContainsFunc(cmd.likely, func(a string) bool { return strings.Contains(a, "@") && !strings.Contains(a, `"@`) })
	case "sed", "gsed":
		return slices.ContainsFunc(cmd.likely, sedRuns().MatchString) || slices.ContainsFunc(cmd.likely, sedOddly) || hasProgramFile(cmd.likely, "f", "--file")
	case "man":
		return hasProgramFile(cmd.likely, "PH", "--pager --html")
	case "less", "more", "vim", "vi", "nvim", "view", "ex", "emacs":
		return slices.ContainsFunc(cmd.likely, func(a string) bool { return strings.HasPrefix(a, "+") }) || hasProgramFile(cmd.likely, "SuSlcs", "--cmd --eval --load")
	case "patch":
		return true
	case "split":
		return hasLongOption(optionNames(cmd.likely), "--filter", 3)
	case "go":
		return slices.ContainsFunc(cmd.likely, func(a string) bool { return strings.Contains(a, "-extld") })
	case "git":
		if slices.ContainsFunc(cmd.likely, func(a string) bool { return strings.HasPrefix(a, "ext::") || strings.HasPrefix(a, "fd::") }) {
			return true // a remote that is a command
		}
		switch verb := firstVerb(cmd); verb {
		case "bisect":
			return slices.Contains(cmd.likely, "run")
		case "submodule":
			return slices.Contains(cmd.likely, "foreach")
		case "apply", "am":
			return true // the patch says which files it changes
		case "difftool", "mergetool", "filter-branch", "hook", "rebase":
			return verb != "rebase" || hasShortOption(cmd.likely, 'i', "--interactive")
		}
	}
	return false
}

// sedOddly finds s with a letter between its parts and the flag e: sxaxbxe.
func sedOddly(program string) bool {
	if len(program) < 5 || program[0] != 's' || !isName("_"+program[1:2]) || strings.Count(program, program[1:2]) < 3 {
		return false
	}
	flags := program[strings.LastIndexByte(program, program[1])+1:]
	return strings.Contains(flags, "e") && strings.Trim(flags, "egpiImM0123456789w") == ""
}

// networkHeads need the network whatever their arguments; networkVerbs only
// with one of these as the first word.
var (
	networkHeads = words(`curl wget ssh scp sftp rsync ftp nc ncat netcat telnet ping dig nslookup host whois npx pnpx bunx apt apt-get
		dnf yum zypper pacman apk brew snap flatpak pipx aws gcloud az gh glab helm terraform http https aria2c socat traceroute`)
	networkVerbs = map[string]words{
		"git":      words("fetch pull push clone ls-remote submodule lfs"),
		"npm":      words("install i ci add update up publish audit view outdated exec x create init login search"),
		"pnpm":     words("install i add update up publish audit dlx create fetch"),
		"yarn":     words("install add upgrade up publish audit dlx create"),
		"bun":      words("install i add update x create"),
		"pip":      words("install download wheel index search"),
		"pip3":     words("install download wheel index search"),
		"uv":       words("pip sync add lock tool run"),
		"poetry":   words("install add update lock publish"),
		"cargo":    words("install fetch update add publish search login"),
		"go":       words("get install"),
		"gem":      words("install update push fetch"),
		"bundle":   words("install update add"),
		"composer": words("install update require"),
		"docker":   words("pull push build run login search"),
		"podman":   words("pull push build run login search"),
		"kubectl":  words("get apply delete exec logs describe port-forward create run"),
		"mvn":      words("install deploy dependency:resolve"),
		"dotnet":   words("restore add publish"),
		"nix":      words("build run shell develop"),
		"rustup":   words("update install toolchain target component"),
		"conda":    words("install create update"),
		"hg":       words("pull push clone"),
		"svn":      words("checkout co update up commit"),
	}
)

func usesNetwork(cmd *Command) bool {
	if networkHeads.has(cmd.Head) {
		return true
	}
	verb := firstVerb(cmd)
	if cmd.Head == "go" && verb == "mod" {
		return slices.Contains(cmd.likely, "download") || slices.Contains(cmd.likely, "tidy")
	}
	if strings.HasPrefix(cmd.Head, "python") && slices.Contains(cmd.likely, "pip") {
		return slices.Contains(cmd.likely, "install") || slices.Contains(cmd.likely, "download")
	}
	if cmd.Head == "git" && verb == "remote" {
		return slices.Contains(cmd.likely, "update") || slices.Contains(cmd.likely, "show")
	}
	return networkVerbs[cmd.Head].has(verb)
}

// sweeping are the programs that read whole directories whatever their options.
const sweeping words = "rgrep mv tar bsdtar zip rsync 7z cpio ditto"

// sweepsFiles says that the command reads every file below a directory, the
// sensitive ones included (`grep -r KEY .`). mv copies what it cannot rename: a directory
// where something is mounted, and one that goes to another file system.
func sweepsFiles(cmd *Command) bool {
	switch cmd.Head {
	case "grep", "egrep", "fgrep", "zgrep":
		return grepRecurses(cmd.Args)
	case "find":
		return findReads(cmd.Args)
	case "git":
		return firstVerb(cmd) == "grep" && (slices.Contains(cmd.likely, "--no-index") || slices.Contains(cmd.likely, "--untracked"))
	case "cp", "scp":
		return hasLongOption(cmd.likely, "--recursive", 4) || hasLongOption(cmd.likely, "--archive", 4) || hasShortOption(cmd.likely, 'r', "--recursive") || hasShortOption(cmd.likely, 'R', "") || hasShortOption(cmd.likely, 'a', "--archive")
	case "rg", "ag", "ack":
		return slices.ContainsFunc(cmd.likely, func(a string) bool {
			return a == "--hidden" || a == "--no-ignore" || strings.HasPrefix(a, "-u") || a == "-." || a == "--unrestricted" || a == "-a"
		}) || globsSecrets(cmd.likely)
	}
	return sweeping.has(cmd.Head)
}

// globsSecrets says that rg is given a pattern that not only sources have: what it hits is
// searched even where it is hidden or ignored.
func globsSecrets(args []string) bool {
	for i, a := range args {
		pattern, is := "", false
		for _, option := range []string{"--glob=", "--iglob=", "-g"} {
			if !is && a != "-g" {
				pattern, is = strings.CutPrefix(a, option)
			}
		}
		if (a == "-g" || a == "--glob" || a == "--iglob") && i+1 < len(args) {
			pattern, is = args[i+1], true
		}
		if is && !strings.HasPrefix(pattern, "!") && !onlySources(pattern) {
			return true
		}
	}
	return false
}

// outputOptions name the file that the next word, or what is behind "=", is
// written to.
var outputOptions = map[string]words{
	"curl": words("-o --output --output-dir -D --dump-header -c --cookie-jar --trace"),
	"wget": words("-O --output-document -o --output-file -a --append-output -P --directory-prefix"),
	"sort": words("-o --output"), "go": words("-o -coverprofile -cpuprofile -memprofile"), "gcc": words("-o"), "cc": words("-o"),
	"find": words("-fprint -fprintf -fls"), "strace": words("-o"), "time": words("-o --output"), "shuf": words("-o --output"),
	"git": words("-o --output --output-directory"), "tar": words("-C --directory"), "unzip": words("-d"),
}

func isOutputOption(head, option string) bool { return outputOptions[head].has(option) }

// setsGitConfig says that a command writes the repository's own configuration,
// which names programs that git starts.
func setsGitConfig(cmd *Command) bool {
	if cmd.Head != "git" {
		return false
	}
	if firstVerb(cmd) == "remote" {
		return slices.ContainsFunc(cmd.likely, func(a string) bool { return words("add set-url rename remove rm set-head set-branches prune").has(a) })
	}
	i := slices.Index(cmd.likely, "config")
	if i < 0 || firstVerb(cmd) != "config" {
		return false
	}
	names := 0
	for _, p := range cmd.Args[i+1:] {
		switch a := p.filled(""); {
		case p.begins("--get"), p.in("-l --list get list --global --system"):
			return false
		case strings.HasPrefix(a, "--unset"), a == "--add", a == "--replace-all", a == "-e", a == "--edit", strings.HasSuffix(a, "-section"):
			return true
		case !strings.HasPrefix(a, "-"):
			names++
		}
	}
	return names > 1
}

// OnlyReads says that its program reads files and runs nothing of the project.
func (c *Command) OnlyReads() bool { return readHeads.has(c.Known) }
