package session

import "github.com/agent-sidecar/agent-sidecar/tool"

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
