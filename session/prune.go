package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// prune takes old results out of the conversation for good, and says whether it
// did. One that is nowhere else is written as an artifact first; where that
// cannot be, it stays.
func (k *compactor) prune(r *run) bool {
	info := r.model.Info()
	tokens := k.view.measure(info.Name)
	t := journal.Read(k.journal, copied)
	results, gain := compaction.Prune(&t, k.view.recentTurns(), k.view.bounds(info), tokens)
	body := history.ContextPruned{CallIDs: []string{}, Tokens: gain}
	for _, result := range results {
		if result.Artifact == nil {
			ref, _, err := k.root.place().keep(k.root.id, result.Tool, result.CallID, result.Text)
			if err != nil {
				k.deps.Log.Error().Err(err).Str("session", k.id).Msg("result cannot be pruned")
				body.Tokens -= tokens(history.SizeOf(result.Text)) - tokens(history.PrunedSize(result))
				continue
			}
			if body.Artifacts == nil {
				body.Artifacts = map[string]tool.ArtifactRef{}
			}
			body.Artifacts[result.CallID] = *ref
		}
		body.CallIDs = append(body.CallIDs, result.CallID)
	}
	if len(body.CallIDs) == 0 {
		return false
	}
	recordOrCancel(k.journal, r, body)
	return true
}
