package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// doctor says what works on this machine and what does not. It changes nothing
// and fails when something is missing that every session needs.
func (p *program) doctor([]string) int {
	bad := 0
	say := func(ok bool, what, detail string) {
		mark := "ok"
		if !ok {
			mark, bad = "FAIL", bad+1
		}
		p.tell(mark, what, detail)
	}
	p.out.say("agent-sidecar %s, %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	say(writable(p.home), "home", p.home)
	config, err := config.Open(p.home, config.Options{})
	if err != nil {
		say(false, "config", err.Error())
	} else {
		p.checkOwn(config, say)
		p.checkModel(config, say)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		shell, err = exec.LookPath("sh")
	}
	if err != nil {
		say(false, "shell", "there is neither bash nor sh, so there is no bash tool")
	} else {
		say(true, "shell", shell)
	}
	if config != nil {
		p.checkSandbox(config, say)
	}
	if bad > 0 {
		return 1
	}
	return 0
}

// tell prints one line of the report: ok, warn, info or FAIL, about what. What
// comes from files and servers is shown, not obeyed.
func (p *program) tell(mark, what, detail string) {
	p.out.say("%-4s  %-10s %s\n", mark, what, title(detail, 1000))
}

// writable says whether files can be made in dir, or in the first folder above
// it that exists.
func writable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			f, err := os.CreateTemp(dir, ".doctor-*")
			if err != nil {
				return false
			}
			name := f.Name()
			return errors.Join(f.Close(), os.Remove(name)) == nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return false
	}
}

// checkSandbox says what commands can touch. That no level works is no failure,
// unless the configuration requires one.
func (p *program) checkSandbox(config *config.Store, say func(bool, string, string)) {
	box := new(sandbox.Prober).Report(sandboxSettings(config)()) // doctor changes nothing, so nothing is remembered
	detail := sandboxWords(box)
	switch {
	case config.Settings().Sandbox.Mode == "off":
		detail += ` sandbox.mode is "off".`
	case box.Level == "none" && config.Settings().Sandbox.Mode == "required":
		say(false, "sandbox", detail+` sandbox.mode is "required", so commands do not run.`)
		return
	case box.Level == "none" && runtime.GOOS == "linux":
		detail += " Bubblewrap, user namespaces or Landlock would confine them."
	}
	p.tell("info", "sandbox", detail+" See docs/sandbox.md")
	whole := box.Keeps(sandboxSettings(config)(), p.userHome)
	if words := unaskedWords(config.Settings(), whole); words != "" {
		p.tell("info", "unasked", words)
	}
}

// unaskedWords says whether commands run in the sandbox without a question, "" where the
// person wants to be asked.
func unaskedWords(now *config.Settings, whole bool) string {
	switch wide := now.Sandbox.AutoAllow == "workspace"; {
	case wide && whole:
		return `commands run in the sandbox without asking (sandbox.autoAllow: "workspace").`
	case wide:
		return `every command asks, although sandbox.autoAllow is "workspace": that needs the level namespaces with nothing missing, no network, and no sandbox.readable or sandbox.writable that contains your home directory.`
	case now.UnaskedOpen && whole:
		return `every command asks. A run in a trusted folder asks you once whether commands may run in the sandbox without asking (sandbox.autoAllow).`
	}
	return ""
}

// sandboxWords says in plain words what a sandbox does and what it does not.
func sandboxWords(box sandbox.Report) string {
	if box.Level == "none" {
		return "none: commands are not confined."
	}
	network := map[string]string{"off": "no network", "tcp-only": "no TCP, other network is open"}[box.Network]
	if network == "" {
		network = "with the network"
	}
	words := fmt.Sprintf("%s (%s), %s.", box.Files, box.Level, network)
	var gaps []string
	for _, gap := range box.Missing {
		if plain := plainGaps[gap]; plain != "" {
			gap = plain
		}
		gaps = append(gaps, gap)
	}
	switch len(gaps) {
	case 0:
		return words
	case 1:
		return words + " Known gap: " + gaps[0] + "."
	}
	return words + " Known gaps: " + strings.Join(gaps, "; ") + "."
}

// plainGaps are the gaps of the sandbox whose exact words say little at first sight.
var plainGaps = map[string]string{
	"unix sockets that appear while a command runs, or are not where they were bound": "sockets created during a command",
	"system calls": "system calls are not filtered",
	"unix sockets": "unix sockets can be reached",
}
