// Package tasks is the task list of a session: the model's plan of its work, in items that a
// person can watch. It is one list of the whole session: it outlives runs, summaries and the
// process, and only `plan.updated` changes it. The package knows the journal that the list is
// in, and neither a run nor a client.
package tasks

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

// Names are those of the tools. They are called one by one: who reads the list sees what
// the call before has written.
var Names = []string{"tasks_update", "tasks_list"}

//go:embed update.md
var updateDescription string

//go:embed list.md
var listDescription string

// A list has at most so many items, and the text of one so many bytes.
const most, mostBytes = 50, 500

// statuses are the states of an item, and how each is marked in a list.
var statuses = map[string]string{"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}

type updateArgs struct {
	Items []task `json:"items" jsonschema:"the whole list as it is from now on, in order; at most 50"`
}

type task struct {
	ID     string `json:"id,omitempty" jsonschema:"of an item that is on the list already; a new one gets its own"`
	Text   string `json:"text" jsonschema:"what is to be done, in one line"`
	Status string `json:"status" words:"pending,in_progress,completed,cancelled" jsonschema:"how far it is"`
}

// Tools change and show the list that is in a journal. Only a run changes it.
func Tools(j *journal.Journal) []tool.Tool { return []tool.Tool{update(j), list(j)} }

func update(j *journal.Journal) tool.Tool {
	spec := tool.Spec{Name: "tasks_update", Effect: tool.Read, Description: updateDescription}
	return tool.Define(spec, func(in updateArgs) (*tool.Plan, error) {
		if err := check(in.Items); err != nil {
			return nil, err
		}
		return &tool.Plan{
			Title:   fmt.Sprintf("update the task list (%s)", done(in.Items)),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:tasks_update"}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				x := j.Begin()
				defer x.End()
				run := x.State.Run
				if run == nil {
					return tool.Result{Text: "no run is active", Failed: true}, nil
				}
				items := withIDs(in.Items, x.State.Plan)
				if err := x.Append(run.ID, history.PlanUpdated{Items: items}); err != nil {
					return tool.Failed(err), nil
				}
				return tool.Result{Text: textOf(items)}, nil
			},
		}, nil
	})
}

func list(j *journal.Journal) tool.Tool {
	spec := tool.Spec{Name: "tasks_list", Effect: tool.Read, Tolerant: true, Description: listDescription}
	return tool.Define(spec, func(struct{}) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "look at the task list",
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:tasks_list"}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				return tool.Result{Text: journal.Read(j, func(t *history.Transcript) string { return textOf(t.Plan) })}, nil
			},
		}, nil
	})
}

// check says what is wrong with a list, naming the item.
func check(items []task) error {
	if len(items) > most {
		return fmt.Errorf(`argument "items": %d items; a list has at most %d`, len(items), most)
	}
	at, ids := "", map[string]bool{}
	for i, item := range items {
		here := fmt.Sprintf("items/%d", i)
		switch {
		case strings.TrimSpace(item.Text) == "":
			return fmt.Errorf("argument %q: the text is empty", here)
		case len(item.Text) > mostBytes:
			return fmt.Errorf("argument %q: the text has %d bytes; an item has at most %d", here, len(item.Text), mostBytes)
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

// withIDs is the list with an id for every item: what is on the list already
// keeps its own, which a model that leaves ids out means by the same text; what is
// new gets the next number.
func withIDs(items []task, before []history.PlanItem) []history.PlanItem {
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

// textOf is the list as a model reads it.
func textOf(items []history.PlanItem) string {
	if len(items) == 0 {
		return "The task list is empty."
	}
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "%s %s: %s\n", statuses[item.Status], item.ID, item.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func done(items []task) string {
	open := slices.DeleteFunc(slices.Clone(items), func(item task) bool { return item.Status == "completed" })
	return fmt.Sprintf("%d of %d done", len(items)-len(open), len(items))
}
