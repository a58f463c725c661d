package session

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// nowhere is an object that nothing is in.
const nowhere = "nowhere:/"

// boundsOf is the folder and the sandbox that an agent's file contains it to. A
// folder that is not there leaves it none.
func (p *Place) boundsOf(a config.Agent) tool.Bounds {
	b := tool.Bounds{Confined: a.Sandbox.Confined, Offline: a.Sandbox.Offline}
	if a.Workspace != "" {
		object, err := p.folder(a)
		if err != nil {
			object = nowhere
		}
		b.Within = []string{object}
	}
	return b
}

// folder is the object of the folder that an agent works in, "" for all of them. The
// error is why this workspace has none for it.
func (p *Place) folder(a config.Agent) (object string, err error) {
	if a.Workspace == "" {
		return "", nil
	}
	if object, err = p.Files.Folder(a.Workspace); err != nil {
		return "", fmt.Errorf("the agent %q works only in the folder %q, which this workspace does not have: %w", a.Name, control.Title(a.Workspace, 200), err)
	}
	return object, nil
}

// folderName is what an agent is told to call the folder that it works in, "" for all
// of them: where it is, because what is named through a link to it is outside.
func (p *Place) folderName(a config.Agent) string {
	if object, err := p.folder(a); err == nil {
		return object
	}
	return a.Workspace
}
