package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// keep stores a text as an artifact of the session.
func (s *Session) keep(toolName, callID, text string) (*tool.ArtifactRef, string, error) {
	spill, err := s.deps.Artifacts.Create(s.root().id, toolName, callID, "text/plain")
	if err != nil {
		return nil, "", err
	}
	_, werr := spill.Write([]byte(text))
	ref, path, err := spill.Close()
	if werr != nil {
		err = werr
	}
	return &ref, path, err
}

// ArtifactsOf names the artifacts that a run's results point to.
func (s *Session) ArtifactsOf(run string) (map[string]bool, error) {
	named := map[string]bool{}
	err := s.Each(func(e history.Event) {
		if r, ok := e.Body.(history.ToolReturned); ok && e.Run == run && r.Artifact != nil {
			named[r.Artifact.ArtifactID] = true
		}
	})
	return named, err
}
