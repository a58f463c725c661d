package show

import (
	"encoding/json"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// plan shows the task list, whole. The protocol knows no task that was dropped.
func (s *Show) plan(e history.WireEvent) {
	var b history.PlanUpdated
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	plan := &v1.Plan{}
	for _, item := range b.Items {
		entry := v1.PlanEntry{Content: item.Text, Priority: v1.PlanEntryPriorityMedium, Status: v1.PlanEntryStatus(item.Status)}
		if item.Status == "cancelled" {
			entry.Content, entry.Status = s.say(locale.TaskDropped, item.Text), v1.PlanEntryStatusCompleted
		}
		plan.Entries = append(plan.Entries, entry)
	}
	s.Send(v1.SessionUpdate{Plan: plan})
}

// usage shows how full the window is, where its size is known, and what the session has cost.
func (s *Show) usage(e history.WireEvent) {
	var b history.Usage
	if json.Unmarshal(e.Data, &b) != nil || b.Context.Window == nil {
		return
	}
	s.mu.Lock()
	cost := s.cost
	s.mu.Unlock()
	update := &v1.UsageUpdate{Used: int(b.Context.Used), Size: int(*b.Context.Window)}
	if b.Cost != nil {
		cost += b.Cost.Amount
	}
	if cost > 0 {
		update.Cost = &v1.Cost{Amount: cost, Currency: "USD"}
	}
	s.Send(v1.SessionUpdate{UsageUpdate: update})
}

// runEnded adds up what the session has cost.
func (s *Show) runEnded(e history.WireEvent) {
	var b struct{ Usage history.Usage }
	if json.Unmarshal(e.Data, &b) != nil || b.Usage.Cost == nil {
		return
	}
	s.mu.Lock()
	s.cost += b.Usage.Cost.Amount
	s.mu.Unlock()
}

func (s *Show) noticed(e history.WireEvent) {
	var b struct{ Severity, Title string }
	if json.Unmarshal(e.Data, &b) == nil {
		s.Notice(b.Severity, b.Title)
	}
}

// Notice tells the person something. A client that declares no notices gets what matters as a thought.
func (s *Show) Notice(severity, title string) {
	if s.client.Notices {
		s.Send(v1.SessionUpdate{Notice: &v1.Notice{Severity: v1.NoticeSeverity(severity), Title: title}})
		return
	}
	if severity != "info" {
		s.Send(v1.SessionUpdate{AgentThoughtChunk: chunk("", title)})
	}
}

// compacted shows that the older part of the conversation was summarised, or could not be.
func (s *Show) compacted(e history.WireEvent) {
	var b history.ContextCompacted
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	id := fmt.Sprintf("compaction-%d", e.Seq)
	if s.client.Compaction {
		status := v1.CompactionStatusCompleted
		if !b.OK {
			status = v1.CompactionStatusFailed
		}
		s.Send(v1.SessionUpdate{CompactionUpdate: &v1.CompactionUpdate{CompactionID: id, Status: status, Error: b.Reason}})
		if b.OK {
			s.Send(v1.SessionUpdate{CompactionSummaryChunk: &v1.CompactionSummaryChunk{CompactionID: id, Content: v1.ContentBlock{Text: &v1.TextContent{Text: b.Summary}}}})
		}
		return
	}
	call := v1.ToolCall{ToolCallID: id, Kind: v1.ToolKindThink, Status: v1.ToolCallStatusCompleted, Title: s.say(locale.SummarisedTo, thousands(b.Before), thousands(b.After))}
	if !b.OK {
		call.Status, call.Title = v1.ToolCallStatusFailed, s.say(locale.NotSummarisedNow)
		call.Content = []v1.ToolCallContent{convert.Text(b.Reason)}
	}
	s.Send(v1.SessionUpdate{ToolCall: &call})
}

func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

// switched says that another model of the chain is asked.
func (s *Show) switched(e history.WireEvent) {
	var b struct{ From, To, Reason string }
	if json.Unmarshal(e.Data, &b) == nil {
		s.Notice("warning", s.say(locale.ModelSwitched, b.From, b.To, b.Reason))
	}
}

// childStarted remembers which call has sent a sub-agent.
func (s *Show) childStarted(e history.WireEvent) {
	var b history.SubagentStarted
	if json.Unmarshal(e.Data, &b) == nil {
		s.grew(b.CallID, b.Path+"\n")
	}
}

// childEvent shows what a sub-agent does as lines of the call that has sent it.
func (s *Show) childEvent(e history.WireEvent) {
	if e.Type != "tool.requested" || len(e.AgentPath) != 1 {
		return
	}
	var b history.ToolRequested
	if json.Unmarshal(e.Data, &b) == nil {
		s.grew(e.ParentCall, b.Title+"\n")
	}
}

// titled shows another title of the session.
func (s *Show) titled(e history.WireEvent) {
	var b struct{ Title *string }
	if json.Unmarshal(e.Data, &b) != nil || b.Title == nil {
		return
	}
	s.mu.Lock()
	s.title = *b.Title
	s.mu.Unlock()
	s.Send(v1.SessionUpdate{SessionInfoUpdate: &v1.SessionInfoUpdate{Title: b.Title, UpdatedAt: &e.Time}})
}
