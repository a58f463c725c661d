package session

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// None is no workspace, no model, no audit and no store: a part of Deps that is not there.
type None struct{}

var errNoFolder = errors.New("no folder is open")

func (None) Facts() control.Facts                 { return control.Facts{} }
func (None) Environment() system.Environment      { return system.Environment{} }
func (None) Instructions([]string) []system.Layer { return nil }
func (None) Skills() []skills.Folder              { return nil }
func (None) Memory() string                       { return "" }

func (None) Unsaved() []string                                           { return nil }
func (None) ReadOnly() bool                                              { return false }
func (None) Unfollowed(context.Context, time.Time) (int, []string, bool) { return 0, nil, true }
func (None) StartedDiff(_, _ string) string                              { return "" }
func (None) Folder(string) (string, error)                               { return "", errNoFolder }
func (None) Cited(string, func(string) bool) (io.ReadCloser, error)      { return nil, errNoFolder }
func (None) Attachment(string, int64, func(string) bool) ([]byte, error) { return nil, errNoFolder }

func (None) Undo(context.Context, []tool.Change, bool, bool, func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
	return nil, nil, errNoFolder
}
func (None) LostChanges(_, _ string) ([]tool.Change, bool)    { return nil, false }
func (None) MoreChanges(string) ([]tool.Change, error)        { return nil, errNoFolder }
func (None) Compare(was tool.Change) (tool.Change, bool)      { return was, true }
func (None) CheckpointText(string) (string, bool, int, error) { return "", false, 0, errNoFolder }

func (None) Tools(ToolOwner, string) []tool.Tool          { return nil }
func (None) ToolsToExplain(ToolOwner, string) []tool.Tool { return nil }
func (None) ThirdPartyTools(context.Context) []tool.Tool  { return nil }

func (None) OpenModel(string, []string) (model.Model, error) { return nil, model.ErrNoModel }
func (None) DefaultModel() string                            { return "" }
func (None) Cheapest(string) string                          { return "" }
func (None) Ratio(string) float64                            { return 1 }
func (None) Learn(string, int64, int64)                      {}
func (None) Exact(_, text string) int64                      { return model.RawTokens(text) }

func (None) Audit(string) *audit.Log   { return nil }
func (None) AuditSessions() *audit.Log { return nil }

func (None) Create(_, _, _, _ string) (tool.Spill, error) {
	return nil, errors.New("there is no store")
}
func (None) RemoveSession(string) error         { return nil }
func (None) ArtifactDirs(string) []string       { return nil }
func (None) Copy(_, _ string, _ []string) error { return nil }

func (None) JobNews(string) []string  { return nil }
func (None) StopJob(_, _ string) bool { return false }
func (None) EndJobs(string)           {}
