package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/workspace"
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
	fmt.Fprintf(p.out, "agent-sidecar %s, %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	say(writable(p.home), "home", p.home)
	config, err := control.OpenStore(p.home, control.StoreOptions{})
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
	fmt.Fprintf(p.out, "%-4s  %-10s %s\n", mark, what, control.Title(detail, 1000))
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
func (p *program) checkSandbox(config *control.Store, say func(bool, string, string)) {
	box := new(workspace.Prober).Sandbox(sandboxSettings(config)()) // doctor changes nothing, so nothing is remembered
	detail := fmt.Sprintf("level %s, network %s, files %s", box.Level, box.Network, box.Files)
	if len(box.Missing) > 0 {
		detail += "; not confined: " + strings.Join(box.Missing, ", ")
	}
	switch {
	case config.Settings().Sandbox.Mode == "off":
		detail += ` (sandbox.mode is "off")`
	case box.Level == "none" && config.Settings().Sandbox.Mode == "required":
		say(false, "sandbox", detail+` (sandbox.mode is "required": commands do not run)`)
		return
	case box.Level == "none" && runtime.GOOS == "linux":
		detail += " (bubblewrap, user namespaces or Landlock would confine them: docs/sandbox.md)"
	}
	p.tell("info", "sandbox", detail)
}

func (p *program) checkModel(config *control.Store, say func(bool, string, string)) {
	w := p.wiring()
	catalog, problems := w.catalog(config.Settings())
	for _, problem := range problems {
		say(false, "config", problem)
	}
	defer catalog.Close()
	for _, name := range config.Settings().Fallback { // one that lacks something is found out only when its turn comes
		if _, err := catalog.Open(name); err != nil {
			say(false, "fallback", err.Error())
		}
	}
	m, err := catalog.Open(w.chain(config.Settings(), "", config.Settings().Fallback)...)
	if err == nil {
		say(true, "model", m.Info().Provider+"/"+m.Info().Name)
		return
	}
	if !errors.Is(err, model.ErrNoModel) {
		say(false, "model", err.Error())
		return
	}
	ctx, cancel := shortly()
	defer cancel()
	if found, models, ok := catalog.FindLocal(ctx); ok {
		say(true, "model", fmt.Sprintf("local server %s at %s: %s", found.Name, found.BaseURL, control.Title(strings.Join(models, ", "), 200)))
		return
	}
	say(false, "model", err.Error())
}
