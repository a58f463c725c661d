package tasks

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func TestCheckTasks(t *testing.T) {
	many := func(n int) []task {
		items := make([]task, n)
		for i := range items {
			items[i] = task{Text: "x", Status: "pending"}
		}
		return items
	}
	for name, row := range map[string]struct {
		items []task
		want  string // "" is right
	}{
		"empty":            {nil, ""},
		"fifty":            {many(50), ""},
		"fifty-one":        {many(51), "51 items; a list has at most 50"},
		"one in progress":  {[]task{{Text: "a", Status: "in_progress"}, {Text: "b", Status: "completed"}}, ""},
		"two in progress":  {[]task{{Text: "a", Status: "in_progress"}, {Text: "b", Status: "in_progress"}}, `"items/1": items/0 is in progress already`},
		"no text":          {[]task{{Text: " \n", Status: "pending"}}, `"items/0": the text is empty`},
		"as long as may":   {[]task{{Text: strings.Repeat("x", 500), Status: "pending"}}, ""},
		"too long":         {[]task{{Text: strings.Repeat("x", 501), Status: "pending"}}, "the text has 501 bytes; an item has at most 500"},
		"long id":          {[]task{{ID: strings.Repeat("x", 41), Text: "a", Status: "pending"}}, "the id is longer than 40 bytes"},
		"id twice":         {[]task{{ID: "1", Text: "a", Status: "pending"}, {ID: "1", Text: "b", Status: "pending"}}, `the id "1" stands twice`},
		"two without ids":  {[]task{{Text: "a", Status: "pending"}, {Text: "a", Status: "pending"}}, ""},
		"all are finished": {[]task{{Text: "a", Status: "completed"}, {Text: "b", Status: "cancelled"}}, ""},
	} {
		err := check(row.items)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func TestTaskIDs(t *testing.T) {
	list := func(pairs ...string) (items []history.PlanItem) {
		for i := 0; i < len(pairs); i += 2 {
			items = append(items, history.PlanItem{ID: pairs[i], Text: pairs[i+1], Status: "pending"})
		}
		return items
	}
	item := func(id, text string) task { return task{id, text, "pending"} }
	for name, row := range map[string]struct {
		before []history.PlanItem
		items  []task
		want   []history.PlanItem
	}{
		"new ones are numbered":              {nil, []task{item("", "a"), item("", "b")}, list("1", "a", "2", "b")},
		"an id of the model's is kept":       {nil, []task{item("x", "a"), item("", "b")}, list("x", "a", "1", "b")},
		"a number of the model's is spared":  {nil, []task{item("", "a"), item("1", "b")}, list("2", "a", "1", "b")},
		"the same text keeps its id":         {list("1", "a", "2", "b"), []task{item("", "b"), item("", "c")}, list("2", "b", "3", "c")},
		"an id is not given to another":      {list("1", "a"), []task{item("1", "b"), item("", "a")}, list("1", "b", "2", "a")},
		"two of one text":                    {list("1", "a"), []task{item("", "a"), item("", "a")}, list("1", "a", "2", "a")},
		"an id that is gone does not return": {list("7", "a"), []task{item("", "b")}, list("8", "b")},
		"one line":                           {nil, []task{item("", " a \n b ")}, list("1", "a b")},
		"nothing":                            {list("1", "a"), nil, []history.PlanItem{}},
	} {
		if diff := cmp.Diff(row.want, withIDs(row.items, row.before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The words that the tool takes are those that have a mark.
func TestTaskStatusesAreThoseOfTheSchema(t *testing.T) {
	field, _ := reflect.TypeFor[task]().FieldByName("Status")
	words := strings.Split(field.Tag.Get("words"), ",")
	if slices.Sort(words); !slices.Equal(words, slices.Sorted(maps.Keys(statuses))) {
		t.Errorf("%v", words)
	}
}
