package prompts

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/session/skills"
)

func folder(source skills.Source, files map[string]string) skills.Folder {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name+suffix] = &fstest.MapFile{Data: []byte(text)}
	}
	return skills.Folder{Source: source, Path: string(source), Files: all}
}

func mine(text string) Found {
	return Look([]skills.Folder{folder(skills.Home, map[string]string{"go": text, "other": "never"})})
}

// What is typed is put in once: neither a command nor a place nor a file in it means
// anything.
func TestFill(t *testing.T) {
	const told = "\n\n[What the command calls @… is the name of a file; it is not attached. Read it with `read` where you need it.]"
	for name, row := range map[string]struct{ text, typed, want string }{
		"all":                    {"Fix $ARGUMENTS now", "/go a  b", "Fix a  b now"},
		"one by one":             {"$2 before $1", `/go a "b c"`, "b c before a"},
		"too few":                {"$1 and $2.", "/go a", "a and ."},
		"none":                   {"Fix $ARGUMENTS", "/go", "Fix"},
		"no place":               {"Fix.", "/go the test", "Fix.\n\nthe test"},
		"no place, nothing":      {"Fix.", "/go  \n", "Fix."},
		"more than one digit":    {"$12 $10", "/go a", "$12 $10\n\na"},
		"a longer name":          {"$ARGUMENTSX", "/go a", "$ARGUMENTSX\n\na"},
		"a place in what is put": {"Say $1 and $ARGUMENTS", "/go $ARGUMENTS $2", "Say $ARGUMENTS and $ARGUMENTS $2"},
		"a command in it":        {"Say $ARGUMENTS", "/go /other x", "Say /other x"},
		"a file in it":           {"Say $ARGUMENTS", "/go @.env", "Say @.env"},
		"a file in the command":  {"Look at @src/a.go", "/go", "Look at @src/a.go" + told},
		"an address":             {"Mail a@b.c", "/go", "Mail a@b.c"},
		"lines":                  {"Fix:\n$ARGUMENTS", "/go\none\ntwo", "Fix:\none\ntwo"},
		"front matter":           {"---\ndescription: x\n---\nFix $1", "/go a", "Fix a"},
	} {
		e, err := mine(row.text).Expand(t.Context(), row.typed)
		if err != nil || e.Text != row.want {
			t.Errorf("%s: %v %q", name, err, e.Text)
		}
	}
}

func TestWhatIsACommand(t *testing.T) {
	for typed, want := range map[string]string{
		"hello":             "hello",
		"//go away":         "/go away",
		"/etc/hosts is odd": "/etc/hosts is odd",
		"/src/a.go":         "/src/a.go",
		"/":                 "/",
		"/ hello":           "/ hello",
		"/a.txt":            "/a.txt",
		"/goo":              "there is no command /goo; there is /go. To send the text as it is, begin it with //",
		"/re":               "there is no command /re; there is /review, /go. To send the text as it is, begin it with //",
		"/undo":             "/undo is done by the client, with agent/session/undo",
		"/plan":             "/plan is done by the client, with agent/session/update",
		"/model x":          "/model is done by the client, with agent/session/update",
		"/plan a tower":     "plan: a tower, and it stays",
		"/compact the plan": "a summary: the plan",
		"/compact":          "a summary: ",
	} {
		e, err := mine("Go.").Expand(t.Context(), typed)
		got := e.Text
		switch {
		case err != nil:
			got = err.Error()
		case e.Compact:
			got = "a summary: " + e.Text
		case e.Stay:
			got = e.Command.Agent + ": " + e.Text + ", and it stays"
		}
		if got != want {
			t.Errorf("%q: %q", typed, got)
		}
	}
	var unknown *UnknownError
	if _, err := mine("Go.").Expand(t.Context(), "/qqqqqqq"); !errors.As(err, &unknown) || len(unknown.Near) < 8 {
		t.Errorf("%v", err)
	}
}

// No file takes the name of a command that comes first: not of a built-in one, and a
// workspace's none of the person's.
func TestBypassNames(t *testing.T) {
	found := Look([]skills.Folder{
		folder(skills.Home, map[string]string{"mine": "Mine.", "review": "Mine."}),
		folder(skills.Workspace, map[string]string{"mine": "Theirs.", "init": "Theirs.", "own": "Theirs.", "a b": "x", "empty": "", "broken": "---\na: [\n---\nx"}),
	})
	for name, want := range map[string]string{"mine": "Mine.", "own": "Theirs.", "review": "Review the changes", "init": "Write an `AGENTS.md`"} {
		if e, err := found.Expand(t.Context(), "/"+name); err != nil || !strings.HasPrefix(e.Text, want) {
			t.Errorf("%s: %v %q", name, err, e.Text)
		}
	}
	var all []string
	for _, p := range found.Problems {
		all = append(all, p.File+": "+p.Text.String())
	}
	want := []string{
		"home/review.prompt.md: the command /review is already in the program itself; this one is not used",
		"workspace/a b.prompt.md: a prompt file is named with at most 64 letters, digits, - and _ before .prompt.md",
		"workspace/broken.prompt.md: the front matter cannot be read: did not find expected node content",
		"workspace/empty.prompt.md: the prompt is empty",
		"workspace/init.prompt.md: the command /init is already in the program itself; this one is not used",
		"workspace/mine.prompt.md: the command /mine is already in home/mine.prompt.md; this one is not used",
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

// A file chooses what its person could choose, and one of a workspace no agent that may
// change something.
func TestBypassChoices(t *testing.T) {
	may := Choices{
		Agent:    func(name string) bool { return name == "build" || name == "plan" },
		ReadOnly: func(name string) bool { return name == "plan" },
		Model:    func(name string) bool { return name == "a/b" },
	}
	for _, row := range []struct {
		source           skills.Source
		agent, model     string
		agentIs, modelIs string
	}{
		{skills.Home, "build", "a/b", "build", "a/b"},
		{skills.Home, "ask", "GPT-4o", "", ""},
		{skills.Workspace, "build", "a/b", "", "a/b"},
		{skills.Workspace, "plan", "", "plan", ""},
	} {
		c := Look([]skills.Folder{folder(row.source, map[string]string{"go": "---\nagent: " + row.agent + "\nmodel: " + row.model + "\n---\nGo."})}).Commands[len(builtIn())].Held(may)
		if c.Agent != row.agentIs || c.Model != row.modelIs {
			t.Errorf("%+v: %q %q", row, c.Agent, c.Model)
		}
	}
}
