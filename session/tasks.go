package session

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The task list is the model's plan of its work, in items that a person can
// watch. It is one list of the whole session: it outlives runs, summaries and the
// process, and only `plan.updated` changes it.

//go:embed tasks_update.md
var tasksUpdateDescription string

//go:embed tasks_list.md
var tasksListDescription string

const (
	mostTasks = 50
	taskBytes = 500 // of one item's text
)

// taskStatuses are the states of an item, and how each is marked in a list.
var taskStatuses = map[string]string{"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}

type (
	tasksUpdateArgs struct {
		Items []taskItem `json:"items" jsonschema:"the whole list as it is from now on, in order; at most 50"`
	}
	tasksListArgs struct{}

	taskItem struct {
		ID     string `json:"id,omitempty" jsonschema:"of an item that is on the list already; a new one gets its own"`
		Text   string `json:"text" jsonschema:"what is to be done, in one line"`
		Status string `json:"status" words:"pending,in_progress,completed,cancelled" jsonschema:"how far it is"`
	}
)

func (a *activity) tasksUpdateTool() tool.Tool {
	spec := tool.Spec{Name: "tasks_update", Effect: tool.Read, Description: tasksUpdateDescription}
	return tool.Define(spec, func(in tasksUpdateArgs) (*tool.Plan, error) {
		if err := checkTasks(in.Items); err != nil {
			return nil, err
		}
		return &tool.Plan{
			Title:   fmt.Sprintf("update the task list (%s)", tasksDone(in.Items)),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:tasks_update"}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				x := a.journal.Begin()
				defer x.End()
				if a.live == nil {
					return tool.Result{Text: "no run is active", Failed: true}, nil
				}
				items := withTaskIDs(in.Items, x.State.Plan)
				if err := x.Append(a.live.id, history.PlanUpdated{Items: items}); err != nil {
					return tool.Failed(err), nil
				}
				return tool.Result{Text: tasksText(items)}, nil
			},
		}, nil
	})
}

func (a *activity) tasksListTool() tool.Tool {
	spec := tool.Spec{Name: "tasks_list", Effect: tool.Read, Description: tasksListDescription}
	return tool.Define(spec, func(tasksListArgs) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "look at the task list",
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:tasks_list"}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				return tool.Result{Text: journal.Read(a.journal, func(t *history.Transcript) string { return tasksText(t.Plan) })}, nil
			},
		}, nil
	})
}

// checkTasks says what is wrong with a list, naming the item.
func checkTasks(items []taskItem) error {
	if len(items) > mostTasks {
		return fmt.Errorf(`argument "items": %d items; a list has at most %d`, len(items), mostTasks)
	}
	at, ids := "", map[string]bool{}
	for i, item := range items {
		here := fmt.Sprintf("items/%d", i)
		switch {
		case strings.TrimSpace(item.Text) == "":
			return fmt.Errorf("argument %q: the text is empty", here)
		case len(item.Text) > taskBytes:
			return fmt.Errorf("argument %q: the text has %d bytes; an item has at most %d", here, len(item.Text), taskBytes)
		case len(item.ID) > 40:
			return fmt.Errorf("argument %q: the id is longer than 40 bytes", here)
		case item.ID != "" && ids[item.ID]:
			return fmt.Errorf("argument %q: the id %q stands twice", here, item.ID)
		case item.Status == "in_progress" && at != "":
			return fmt.Errorf("argument %q: %s is in progress already; one item at a time", here, at)
		case item.Status == "in_progress":
			at = here
		}
		ids[item.ID] = true
	}
	return nil
}

// withTaskIDs is the list with an id for every item: what is on the list already
// keeps its own, which a model that leaves ids out means by the same text; what is
// new gets the next number.
func withTaskIDs(items []taskItem, before []history.PlanItem) []history.PlanItem {
	taken := map[string]bool{}
	for _, item := range items {
		taken[item.ID] = true
	}
	next := 1
	for _, old := range before {
		if n, err := strconv.Atoi(old.ID); err == nil {
			next = max(next, n+1)
		}
	}
	out := make([]history.PlanItem, 0, len(items))
	for _, item := range items {
		text := strings.Join(strings.Fields(item.Text), " ")
		id := item.ID
		if i := slices.IndexFunc(before, func(old history.PlanItem) bool { return old.Text == text && !taken[old.ID] }); id == "" && i >= 0 {
			id = before[i].ID
		}
		for ; id == ""; next++ {
			if n := strconv.Itoa(next); !taken[n] {
				id = n
			}
		}
		taken[id] = true
		out = append(out, history.PlanItem{ID: id, Text: text, Status: item.Status})
	}
	return out
}

// tasksText is the list as a model reads it.
func tasksText(items []history.PlanItem) string {
	if len(items) == 0 {
		return "The task list is empty."
	}
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "%s %s: %s\n", taskStatuses[item.Status], item.ID, item.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func tasksDone(items []taskItem) string {
	done := 0
	for _, item := range items {
		if item.Status == "completed" {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(items))
}
