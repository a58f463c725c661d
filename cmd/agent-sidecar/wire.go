package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/explore"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// A policy asks its resolver for more only where it can do more, so nobody else would
// notice that the Vault no longer can.
var _ interface {
	control.Resolver
	control.Directories
	control.Globber
	control.Finder
	control.Searcher
	control.Tracker
} = (*workspace.Vault)(nil)

// open builds everything behind one workspace (rpc.Options.Open).
func (w *wiring) open(ws rpc.Workspace) (*rpc.Backend, error) {
	w.ownDisk()
	w.audits = map[string]*audit.Log{}
	if !w.looking {
		config.Begin(w.disk, w.home)
	}
	config, err := w.openConfig(config.Options{Disk: w.disk, TrustClient: w.trustClient, Agents: agents(), Tools: toolNames(), Network: w.networkProblems, Inline: ws.Inline, ClientTrust: ws.Trusted})
	if err != nil {
		return nil, err
	}
	vault := w.openVault(ws, config)
	pages := web.New(version, func() outbound.Settings { return w.networkOfPages(config.Settings()) })
	catalog, problems := w.catalog(config.Settings())
	counter := &model.Counter{Vocabulary: w.vocabulary}
	catalog.Exact = counter.Exact
	workspaceURI := ""
	if len(ws.Folders) > 0 {
		workspaceURI = ws.Folders[0].URI
	}
	sandbox := w.sandboxReport(config)
	added := w.thirdParty(config, vault, pages, hostTools(ws), browsesFor(ws.Approver))
	around := &surroundings{w, vault, config}
	here := &session.Place{Surroundings: around, Files: vault, Tools: &sessionTools{vault, pages, added}, Artifacts: vault.Artifacts(), Jobs: vault}
	there := &elsewhere{w, config, vault, pages, added}
	away := newRunners(there)
	var hands *runner.Hands
	if w.dialHere != nil {
		hands = there.hands(w.dialHere, seamFolders(ws.Folders), func(uri string) string { return uri }, nil)
		if err := hands.Reach(context.Background()); err != nil {
			return nil, err
		}
		here = there.place("", hands, true)
	}
	deps := &session.Deps{
		Disk: w.disk, Home: w.home, WorkspaceID: vault.WorkspaceID(), WorkspaceURI: workspaceURI,
		Config: config, Unasked: unasked(w, vault), Accepted: accepted(w, vault),
		Here: here, Elsewhere: away,
		Models: &sessionModels{counter, w, catalog, config}, Audits: audits{w, vault.WorkspaceID()}, Spending: &session.Spending{Ledger: ledger.Open(w.disk, w.home, time.Now)},
		Subagents: map[string]session.Subagent{explore.Name: explore.Explorer{}},
		Hooks:     &hooks.Runner{Home: w.home, UserHome: w.userHome, Env: func() []string { return vault.HookEnv(w.home) }},
		Locks:     session.NewLocks(),
		Approver:  ws.Approver, Notifier: ws.Notifier, Log: w.log,
	}
	var synced *synced
	if !w.looking {
		synced = w.synced(config, vault.Root())
	}
	deps.SyncState = synced.state
	sessions := store.OpenCopied(deps, func(st *store.Store) *copies.Keeper { return synced.keep(w, vault.WorkspaceID(), st) })
	away.runnerOf = func() (map[string]string, error) { return runnersOf(sessions) }
	w.bundles = &bundles{w, config, vault, sessions, ws.Folders}
	lists := &modelLists{w, config, catalog}
	back := &rpc.Backend{
		Sessions: sessions, Config: config, Documents: vault, Artifacts: artifacts{vault.Artifacts(), away},
		Tools: func() []tool.Spec { return deps.Offered(added.ready()) },
		Lists: lists, Own: ownFiles{lists, vault, here, added, pages}, Folders: folders{vault, w, added.mcp}, Bundles: w.bundles, Runners: away, MCP: mcpList{added}, Sandbox: sandbox, Problems: problems,
		Copies:        synced,
		Ledger:        deps.Spending.Ledger,
		Audit:         func(name string) *audit.Log { return w.audit(vault.WorkspaceID(), name) },
		ForeignMemory: func() []rpc.ForeignMemory { return foreignMemory(config, vault) },
		UnaskedOpen:   func() bool { return config.Settings().UnaskedOpen && around.Facts().Keeps() },
	}
	stopSweep, stopFollowing := func() {}, w.followFiles(config)
	if !w.looking {
		stopSweep = w.sweep(vault, sessions, config)
		away.work.Go(away.sweep)
	}
	back.Close = func(context.Context) error {
		stopFollowing()
		if hands != nil {
			hands.Close()
		}
		away.close()
		stopSweep()
		synced.close()
		added.mcp.Close()
		return errors.Join(catalog.Close(), vault.Close())
	}
	return back, nil
}

// openVault opens the folders of a workspace. One that cannot be opened is told to the log.
func (w *wiring) openVault(ws rpc.Workspace, config *config.Store) *workspace.Vault {
	options := w.vaultOptions(handsSettings{
		artifactDir: config.Settings().Truncation.Dir, current: settingsOf(config),
		secret: func() func(name, value string) bool { return config.Settings().SecretVariable(os.Getenv) },
	})
	options.Skills = w.readableSkills
	if ws.Editor != nil {
		options.Editor, options.Languages = ws.Editor, ws.Editor
	}
	vault, err := workspace.Open(foldersOf(ws.Folders), options)
	if err != nil {
		w.log.Warn().Err(err).Msg("a workspace folder cannot be opened")
	}
	if !w.looking {
		if err := vault.RecoverCommands(); err != nil {
			w.log.Warn().Err(err).Msg("undo")
		}
	}
	return vault
}

// followFiles reads the configuration whenever it is written. Where the system watches
// no more files for us, it is read between turns and when an editor saves.
func (w *wiring) followFiles(config *config.Store) (stop func()) {
	if !w.following {
		return func() {}
	}
	stop, err := config.Watch()
	if err != nil {
		w.log.Warn().Err(err).Msg("the configuration is read between turns only")
		return func() {}
	}
	return stop
}

// folders lets the client change the Vault's folders.
type folders struct {
	*workspace.Vault
	w       *wiring
	servers *mcp.Servers // which are told of them
}

// SetFolders implements rpc.Folders.
func (f folders) SetFolders(to []rpc.Folder) {
	if err := f.Vault.SetFolders(foldersOf(to)); err != nil {
		f.w.log.Warn().Err(err).Msg("workspace folders")
	}
	f.servers.FoldersChanged()
}

func foldersOf(folders []rpc.Folder) []workspace.Folder {
	out := make([]workspace.Folder, len(folders))
	for i, f := range folders {
		out[i] = workspace.Folder{Name: f.Name, Path: f.Path}
	}
	return out
}

// agents are the built-in ones with the prompts that their packages bring.
func agents() []config.Agent {
	all := config.BuiltInAgents()
	for i := range all {
		if all[i].Name == explore.Name {
			all[i].Prompt = explore.Prompt()
		} else if p := system.AgentPrompt(all[i].Name); p != "" {
			all[i].Prompt = p
		}
	}
	return all
}

// sweep removes artifacts and pre-images that are too old or too many, and what
// killed processes left, at the start and once an hour.
func (w *wiring) sweep(vault *workspace.Vault, sessions *store.Store, config *config.Store) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		hourly := time.NewTicker(time.Hour)
		defer hourly.Stop()
		for {
			ttl := time.Duration(config.Settings().Truncation.TTLDays) * 24 * time.Hour
			if err := vault.Artifacts().Sweep(sessions.InUse, ttl); err != nil {
				w.log.Warn().Err(err).Msg("sweep artifacts")
			}
			if err := sessions.Sweep(); err != nil {
				w.log.Warn().Err(err).Msg("sweep sessions")
			}
			if err := vault.SweepCheckpoints(); err != nil {
				w.log.Warn().Err(err).Msg("sweep checkpoints")
			}
			if err := sandbox.SweepTemps(); err != nil {
				w.log.Warn().Err(err).Msg("sweep private directories")
			}
			w.sandbox().Remember(w.disk) // what a command had to find out
			select {
			case <-hourly.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
		w.sandbox().Remember(w.disk)
	}
}

// secretsOf finds the secrets of a text for those who show parts of it.
func secretsOf(text string) []tool.Secret {
	var out []tool.Secret
	for _, f := range secrets.Shapes(text) {
		out = append(out, tool.Secret{Kind: f.Kind, Start: f.Start, End: f.End, Part: f.Part, Bare: secrets.Bare(f.Kind)})
	}
	return out
}
