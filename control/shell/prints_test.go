package shell

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
)

// What is said to print no contents prints none: the git of this machine is asked with each
// option of the lists, alone and in twos, in a repository whose every change has the word.
// That is over a thousand starts of git: without -thorough each option is asked about once,
// for a command and beside others that chance chooses.
func TestBypassGitThatShowsOnlyNames(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: a hundred starts of git")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: there is no git here")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
		out, _ := cmd.CombinedOutput() // many of these fail, which prints nothing, either
		return string(out)
	}
	put := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "key"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q")
	for _, text := range []string{"NEEDLE 1\n", "NEEDLE 1\nNEEDLE 2\n", "x\nNEEDLE 3\n"} {
		put(text)
		run("add", "key")
		run("commit", "-qm", "c")
	}
	put("NEEDLE 4 \n")
	run("stash")
	put("NEEDLE 5 \n")
	run("add", "key")
	put("NEEDLE 6 \n")
	if !strings.Contains(run("diff"), "NEEDLE") || !strings.Contains(run("log", "-p"), "NEEDLE") || !strings.Contains(run("status", "-v"), "NEEDLE") {
		t.Fatal("git shows nothing at all")
	}
	seed, asked, could := sample.Seed(t), 0, 0
	byOption := map[string][][]string{} // commands that are said to print no contents
	for _, verb := range []string{"status", "log", "whatchanged", "reflog", "diff", "show", "diff-tree", "diff-index", "diff-files", "stash show", "stash list"} {
		name := strings.NewReplacer("stash show", "diff", "stash list", "log").Replace(verb)
		for _, o := range optionsOf(listOf(gitNames[name])) {
			for _, more := range [][]string{nil, {"--stat"}, {"HEAD"}, {"-m", "--stat"}} {
				args := slices.Concat(strings.Fields(verb), o, more)
				if gitPrints(&Command{Head: "git", Args: partsOf(args), likely: args}) == nil {
					byOption[o[0]] = append(byOption[o[0]], args)
					could++
				}
			}
		}
	}
	dice := rand.New(rand.NewPCG(seed, 0))
	for _, option := range slices.Sorted(maps.Keys(byOption)) {
		commands := byOption[option]
		dice.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
		if !sample.Thorough() {
			commands = commands[:1]
		}
		for _, args := range commands {
			asked++
			if out := run(args...); strings.Contains(out, "NEEDLE") {
				t.Errorf("git %s prints %q", strings.Join(args, " "), out)
			}
		}
	}
	t.Logf("AGENT_SIDECAR_SEED=%d: %d commands of git, %d of them asked", seed, could, asked)
	if could < 300 {
		t.Errorf("only %d commands could be asked", could)
	}
}

// optionsOf are the words that give each option of a list.
func optionsOf(l *optionList) (all [][]string) {
	for _, c := range slices.Sorted(maps.Keys(l.letters)) {
		all = append(all, map[byte][]string{0: {"-" + string(c)}, '?': {"-" + string(c)}, ':': {"-" + string(c), map[bool]string{true: "1", false: "NEED"}[c == 'n']}}[l.letters[c]])
	}
	for _, o := range slices.Sorted(maps.Keys(l.long)) {
		all = append(all, map[byte][]string{0: {"--" + o}, '?': {"--" + o}, ':': {"--" + o, "NEED"}}[l.long[o]])
	}
	return all
}

// partsOf are words that are known.
func partsOf(list []string) (out []Parts) {
	for _, text := range list {
		out = append(out, known(text))
	}
	return out
}
