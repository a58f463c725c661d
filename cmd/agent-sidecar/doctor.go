package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// doctor says what works on this machine and what does not. It changes nothing
// and fails when something is missing that every session needs. With names of runners it says
// the same of those alone.
func (p *program) doctor(runners []string) int {
	d := &doctor{program: p}
	p.out.say("agent-sidecar %s, %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	if len(runners) > 0 {
		d.tryRunners(runners)
		return min(d.bad, exitFailed)
	}
	d.say(writable(p.home), "home", said.Plain(p.home))
	config, err := config.Open(p.home, config.Options{Agents: agents(), Tools: toolNames(), Network: d.wiring().networkProblems})
	if err != nil {
		d.say(false, "config", because(err))
	} else {
		d.checkOwn(config)
		d.checkModel(config)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		shell, err = exec.LookPath("sh")
	}
	if err != nil {
		d.say(false, "shell", said.That("there is neither bash nor sh, so there is no bash tool"))
	} else {
		d.say(true, "shell", said.Plain(shell))
	}
	if config != nil {
		d.checkSandbox(config)
		d.listRunners(config.Settings())
		d.checkSync(config)
	}
	return min(d.bad, exitFailed)
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
		detail = said.That(`%s sandbox.mode is "off".`, detail)
	case report.Level == "none" && config.Settings().Sandbox.Mode == "required":
		d.say(false, "sandbox", said.That(`%s sandbox.mode is "required", so commands do not run.`, detail))
		return
	case report.Level == "none" && runtime.GOOS == "linux":
		detail = said.That("%s Bubblewrap, user namespaces or Landlock would confine them.", detail)
	}
	d.tell("info", "sandbox", said.That("%s See docs/sandbox.md", detail))
	whole := report.Keeps(sandboxSettings(config)(), d.userHome)
	if words := unaskedWords(config.Settings(), whole); !words.IsZero() {
		d.tell("info", "unasked", words)
	}
}

// unaskedWords says whether commands run in the sandbox without a question, nothing where the
// person wants to be asked.
func unaskedWords(now *config.Settings, whole bool) (words said.Text) {
	switch wide := now.Sandbox.AutoAllow == "workspace"; {
	case wide && whole:
		return said.That(`commands run in the sandbox without asking (sandbox.autoAllow: "workspace").`)
	case wide:
		return said.That(`every command asks, although sandbox.autoAllow is "workspace": that needs the level namespaces with nothing missing, no network, and no sandbox.readable or sandbox.writable that contains your home directory.`)
	case now.UnaskedOpen && whole:
		return said.That("every command asks. A run in a trusted folder asks you once whether commands may run in the sandbox without asking (sandbox.autoAllow).")
	}
	return words
}

// sandboxWords says in plain words what a sandbox does and what it does not.
func sandboxWords(report sandbox.Report) said.Text {
	if report.Level == "none" {
		return said.That("none: commands are not confined.")
	}
	network := map[string]said.Text{"off": said.That("no network"), "tcp-only": said.That("no TCP, other network is open")}[report.Network]
	if network.IsZero() {
		network = said.That("with the network")
	}
	files := map[string]said.Text{"full": said.That("full"), "partial": said.That("partial")}[report.Files]
	words := said.That("%s (%s), %s.", files, report.Level, network)
	var gaps said.List
	for _, gap := range report.Missing {
		plain := plainGaps[gap]
		if plain.IsZero() {
			plain = said.Plain(gap)
		}
		gaps = append(gaps, plain)
	}
	switch len(gaps) {
	case 0:
		return words
	case 1:
		return said.That("%s Known gap: %s.", words, gaps)
	}
	return said.That("%s Known gaps: %s.", words, gaps)
}

// plainGaps are the gaps of the sandbox whose exact words say little at first sight.
var plainGaps = map[string]said.Text{
	"unix sockets that appear while a command runs, or are not where they were bound": said.That("sockets created during a command"),
	"system calls": said.That("system calls are not filtered"),
	"unix sockets": said.That("unix sockets can be reached"),
}
