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
	d := &doctor{program: p}
	p.out.say("agent-sidecar %s, %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	d.say(writable(p.home), "home", p.home)
	config, err := config.Open(p.home, config.Options{Agents: agents(), Tools: toolNames()})
	if err != nil {
		d.say(false, "config", err.Error())
	} else {
		d.checkOwn(config)
		d.checkModel(config)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		shell, err = exec.LookPath("sh")
	}
	if err != nil {
		d.say(false, "shell", "there is neither bash nor sh, so there is no bash tool")
	} else {
		d.say(true, "shell", shell)
	}
	if config != nil {
		d.checkSandbox(config)
	}
	if d.bad > 0 {
		return 1
	}
	return 0
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
func (d *doctor) checkSandbox(config *config.Store) {
	report := new(sandbox.Prober).Report(sandboxSettings(config)()) // doctor changes nothing, so nothing is remembered
	detail := sandboxWords(report)
	switch {
	case config.Settings().Sandbox.Mode == "off":
		detail += ` sandbox.mode is "off".`
	case report.Level == "none" && config.Settings().Sandbox.Mode == "required":
		d.say(false, "sandbox", detail+` sandbox.mode is "required", so commands do not run.`)
		return
	case report.Level == "none" && runtime.GOOS == "linux":
		detail += " Bubblewrap, user namespaces or Landlock would confine them."
	}
	d.tell("info", "sandbox", detail+" See docs/sandbox.md")
	whole := report.Keeps(sandboxSettings(config)(), d.userHome)
	if words := unaskedWords(config.Settings(), whole); words != "" {
		d.tell("info", "unasked", words)
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
func sandboxWords(report sandbox.Report) string {
	if report.Level == "none" {
		return "none: commands are not confined."
	}
	network := map[string]string{"off": "no network", "tcp-only": "no TCP, other network is open"}[report.Network]
	if network == "" {
		network = "with the network"
	}
	words := fmt.Sprintf("%s (%s), %s.", report.Files, report.Level, network)
	var gaps []string
	for _, gap := range report.Missing {
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
