package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
)

// skillInfo is a skill as a client shows it.
type skillInfo struct {
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	Source       skills.Source  `json:"source"`
	State        skills.State   `json:"state"`
	Path         string         `json:"path"`
	AllowedTools []string       `json:"allowedTools,omitempty"`
	Problems     []skillProblem `json:"problems,omitempty"`
}

// skillProblem is what is wrong with a skill, or with a folder of skills.
type skillProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

type skillsResult struct {
	Skills   []skillInfo    `json:"skills"`
	Problems []skillProblem `json:"problems,omitempty"`
	// Untrusted says that the workspace's own were not looked at.
	Untrusted bool `json:"untrusted,omitempty"`
}

// skills lists them as they are now.
func (s *about) skills(context.Context, *wire.Call, wire.None) (skillsResult, error) {
	found := s.back.Own.Skills()
	out := skillsResult{Skills: s.skillInfos(found), Problems: s.skillProblems(found.Problems), Untrusted: !s.back.Config.TrustedAll(s.back.Folders.Roots())}
	return out, nil
}

func (s *about) skillInfos(found skills.Found) []skillInfo {
	out := []skillInfo{}
	for _, one := range found.Skills {
		info := skillInfo{one.Name, one.Description, one.Source, one.State, one.Path, nil, s.skillProblems(one.Problems)}
		if one.Allowed != nil {
			info.AllowedTools = one.Allowed.Tools
		}
		out = append(out, info)
	}
	return out
}

func (s *about) skillProblems(found []skills.Problem) (out []skillProblem) {
	for _, p := range found {
		out = append(out, skillProblem{p.File, p.Line, locale.Say(s.client.Locale, p.Text)})
	}
	return out
}
