package workspace

import (
	"context"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// toolset is what the file tools of one session share: the Vault and the memory of
// what this session has read. Hits of grep and the reads of child sessions do
// not count; own changes do.
type toolset struct {
	v       *Vault
	session string
	mayRead func(base string) func(object string) bool // of Owner; nil: everything
	// explains says that calls are only planned, to be judged: whether a file was
	// read, is there or holds the text then says nothing about permission.
	explains bool

	reads *readSet
}

func newToolset(v *Vault, of Owner) *toolset {
	return &toolset{v: v, session: of.Session, mayRead: of.MayRead, reads: newReadSet(v.disk, of.Folder)}
}

// sensitive tells what the session may not read without a question: of a search
// below base, or of anything where that is "".
func (d *toolset) sensitive(base string) func(object string) bool {
	if d.mayRead == nil {
		return func(string) bool { return false }
	}
	may := d.mayRead(base)
	return func(object string) bool { return !may(object) }
}

func (d *toolset) remember(p Path, hash string) { d.reads.set(p.key(), hash) }

func (d *toolset) forget(p Path) { d.reads.set(p.key(), "") }

// mayChange says why a file must not be changed yet: it was not read in this
// session, it changed since, or was is what is on the disk below unsaved changes
// in the editor.
func (d *toolset) mayChange(p Path, was snapshot) error {
	if was.open == nil {
		if err := d.v.notDirty(p); err != nil {
			return err
		}
	}
	if !was.exists || d.explains {
		return nil
	}
	switch hash := d.reads.hash(p.key()); {
	case hash == "":
		return fmt.Errorf("%s exists and was not read in this session; read it first (any range)", p)
	case !d.v.asLeft(p, hash, was.hash):
		return &unreadError{p}
	}
	return nil
}

// unreadError says that a file is not what the model has seen of it.
type unreadError struct{ path Path }

func (e *unreadError) Error() string {
	return fmt.Sprintf("%s changed since it was read; read it again", e.path)
}

// path resolves an argument for a tool and refuses what `.agentignore` hides.
func (d *toolset) path(s string) (Path, error) {
	p, err := d.v.Path(s)
	if err != nil {
		return Path{}, err
	}
	return p, p.visible()
}

func (d *toolset) entry(s string) (Path, error) {
	p, err := d.v.entry(s)
	if err != nil {
		return Path{}, err
	}
	return p, p.visible()
}

// looking is the plan of a tool that looks at p and, where that is a directory, at
// what is below it. When it runs, p is looked up once more.
func (d *toolset) looking(p Path, title string, look func(context.Context) (tool.Result, error)) *tool.Plan {
	return &tool.Plan{
		Title: title, Targets: targets(tool.DomainRead, p), Below: p.isDir(),
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			if err := d.v.again(p); err != nil {
				return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
			}
			return look(ctx)
		},
	}
}

// unseen keeps what is wrong with a file outside every folder from a model that
// may not know whether it is there: the call is judged first, and says so only
// when it runs. A toolset that explains judges all of them so.
func (d *toolset) unseen(verb string, plan *tool.Plan, err error, paths ...Path) (*tool.Plan, error) {
	inside := !slices.ContainsFunc(paths, func(p Path) bool { return !p.InVault() })
	if err == nil || inside && !d.explains {
		return plan, err
	}
	return &tool.Plan{
		Title: verb + " " + paths[0].title(), Targets: targets(tool.DomainEdit, paths...),
		Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) { return tool.Failed(err), nil },
	}, nil
}

// targets are all objects of the paths in one domain.
func targets(domain tool.Domain, paths ...Path) []tool.Target {
	var out []tool.Target
	for _, p := range paths {
		for _, o := range p.Objects() {
			out = append(out, tool.Target{Domain: domain, Object: o})
		}
	}
	return out
}
