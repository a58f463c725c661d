package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/runner/worker"
	"github.com/agent-sidecar/agent-sidecar/schema"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// work works for a sidecar on another machine until that leaves. It reads no
// configuration here: what it goes by comes with the greeting.
func work(p *program, _ []string) int {
	pipe := p.pipe
	os.Stdout = os.Stderr
	outlivePipes()
	ctx, stop := interrupted()
	defer stop()
	w := p.wiring()
	looked := w.lookForSandbox()
	defer func() { <-looked }()
	if err := w.workOn(ctx, p.in, pipe); err != nil {
		return p.fail("%v", err)
	}
	return 0
}

// workOn is worker over any pair of pipes.
func (w *wiring) workOn(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	disk := w.ownDisk()
	return worker.Serve(ctx, in, out, worker.Options{Version: version, Schema: schema.Hash(), Open: w.openForSidecar, Confined: w.sandbox().Report, Home: w.home, Disk: disk,
		Failed: func(what string, err error) { w.log.Warn().Err(err).Msg(what) }})
}

// openForSidecar opens the folders that a sidecar names.
func (w *wiring) openForSidecar(g seam.Greeting, settings func() seam.Settings) (*workspace.Vault, seam.Machine, error) {
	var folders []workspace.Folder
	for _, f := range g.Folders {
		path := f.Path
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(w.userHome, rest)
		}
		if f.Make {
			if err := w.disk.MkdirAll(path, 0o700); err != nil {
				return nil, seam.Machine{}, err
			}
		}
		folders = append(folders, workspace.Folder{Name: f.Name, Path: path})
	}
	vault, err := workspace.Open(folders, w.vaultOptions(handsSettings{
		artifactDir: g.Settings.ArtifactDir,
		current:     settings,
		secret:      func() func(name, value string) bool { return config.SecretVariable(settings().SecretNames, nil) },
	}))
	if err != nil {
		return nil, seam.Machine{}, err
	}
	if err := vault.RecoverCommands(); err != nil {
		w.log.Warn().Err(err).Msg("undo")
	}
	return vault, seam.Machine{System: runtime.GOOS, Home: w.home, UserHome: w.userHome, Roots: vault.Roots(), WorkspaceID: vault.WorkspaceID()}, nil
}

// handsSettings are what of the configuration the hands go by, here or elsewhere.
type handsSettings struct {
	artifactDir string
	current     func() seam.Settings
	secret      func() func(name, value string) bool
}

// vaultOptions are those of any Vault of this program, which no editor belongs to yet.
func (w *wiring) vaultOptions(s handsSettings) workspace.Options {
	return workspace.Options{Disk: w.disk, Home: w.home, UserHome: w.userHome, ArtifactDir: s.artifactDir,
		KeepEnv:   func() []string { return s.current().KeepEnv },
		SecretEnv: s.secret,
		Prober:    w.sandbox(), Sandbox: func() sandbox.Settings { return s.current().Sandbox }, Pending: secrets.Pending, Secrets: secretsOf,
		Protected: workspace.ProtectedNames{Protected: control.IsProtected, MerelySecret: control.MerelySecret, Closed: control.IsClosed, MayHoldKey: control.MayHoldKey},
	}
}

// settingsOf are what of the configuration the hands go by.
func settingsOf(config *config.Store) func() seam.Settings {
	settings := sandboxSettings(config)
	return func() seam.Settings {
		s := config.Settings()
		return seam.Settings{Sandbox: settings(), KeepEnv: s.Sandbox.KeepEnv, SecretNames: s.SecretNames(), ArtifactDir: s.Truncation.Dir}
	}
}
