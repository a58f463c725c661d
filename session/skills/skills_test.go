package skills

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func one(t *testing.T, head string) Skill {
	t.Helper()
	found := Look([]Folder{{Home, "/h", fstest.MapFS{"a/SKILL.md": file("---\nname: a\n" + head + "\n---\nbody")}}})
	if len(found.Skills) != 1 {
		t.Fatalf("%+v", found)
	}
	return found.Skills[0]
}

func TestWhatIsASkill(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for name, row := range map[string]struct {
		head        string
		state       State
		description string
		problem     string // "" is none
	}{
		"as it should be":    {"description: does it", Ready, "does it", ""},
		"folded":             {"description: >\n  does\n  it", Ready, "does it", ""},
		"none":               {"license: MIT", Unusable, "", "no description"},
		"a list":             {"description: [x]", Unusable, "", "no description"},
		"too long":           {"description: " + long, Ready, long[:1023] + "…", "at most 1024 characters"},
		"turned round":       {"description: \"a \\u202Eb\"", Ready, "a <U+202E>b", "each of which can be seen"},
		"a control sequence": {"description: \"a \\u001B[2Jb\"", Ready, "a <U+001B>[2Jb", "each of which can be seen"},
		"not YAML":           {"description: [", Unusable, "", "cannot be read"},
		"an alias":           {"x: &x 1\ndescription: *x", Unusable, "", "aliases"},
	} {
		s := one(t, row.head)
		said := ""
		if len(s.Problems) > 0 {
			said = s.Problems[len(s.Problems)-1].Text.String()
		}
		if s.State != row.state || s.Description != row.description || (row.problem == "") != (said == "") || !strings.Contains(said, row.problem) {
			t.Errorf("%s: %s %q %q", name, s.State, s.Description, said)
		}
	}
	other := Look([]Folder{{Home, "/h", fstest.MapFS{"b/SKILL.md": file("---\nname: a\ndescription: x\n---\n")}}}).Skills[0]
	if other.Name != "b" || other.State != Ready || len(other.Problems) != 1 || other.Problems[0].Line != 2 {
		t.Errorf("a name that is not the folder's: %+v", other)
	}
}

func TestNamesOfSkills(t *testing.T) {
	for name, state := range map[string]State{
		"a": Ready, "a-b2": Ready, "A": Unusable, "a--b": Unusable, "-a": Unusable, "a b": Unusable, "a\u202Eb": Unusable, "a\nb": Unusable,
		strings.Repeat("a", 64): Ready, strings.Repeat("a", 65): Unusable, "é": Unusable,
	} {
		found := Look([]Folder{{Home, "/h", fstest.MapFS{name + "/SKILL.md": file("---\ndescription: x\n---\n")}}})
		if len(found.Skills) != 1 || found.Skills[0].State != state {
			t.Errorf("%q: %+v", name, found)
		}
	}
	hidden := Look([]Folder{{Home, "/h", fstest.MapFS{".git/SKILL.md": file("x"), "notes.md": file("x"), "empty/x.md": file("x")}}})
	if len(hidden.Skills) > 0 || len(hidden.Every()) > 0 {
		t.Errorf("what is no skill: %+v", hidden)
	}
}

// What a skill names is all that may run, by the names of other programs, too. What cannot
// be understood allows nothing.
func TestAllowedTools(t *testing.T) {
	for head, want := range map[string]string{
		"description: x":                                              "everything",
		"description: x\nallowed-tools:":                              "everything",
		"description: x\nallowed-tools: []":                           "none",
		"description: x\nallowed-tools: \"\"":                         "none",
		"description: x\nallowed-tools: Read, Grep":                   "read, grep",
		"description: x\nallowed-tools: Read Edit":                    "read, edit, apply_patch",
		"description: x\nallowed-tools: [WebFetch, mcp__Notes__find]": "web_fetch, mcp__Notes__find",
		"description: x\nallowed-tools: Bash":                         "bash, job_output, job_kill",
		"description: x\nallowed-tools: Bash(git add:*), Bash(ls -l)": "bash, job_output, job_kill, bash, job_output, job_kill; of commands only `git add`, `git add *`, `ls -l`",
		"description: x\nallowed-tools: Bash, Bash(ls)":               "bash, job_output, job_kill, bash, job_output, job_kill",
		"description: x\nallowed-tools: Bash(:*)":                     "bash, job_output, job_kill; no command",
		"description: x\nallowed-tools: Bash(regex:.*)":               "bash, job_output, job_kill; no command",
		"description: x\nallowed-tools: Read(src/**)":                 "none",
		"description: x\nallowed-tools: {Read: true}":                 "none",
		"description: x\nallowed-tools: \"*\"":                        "*",
		"description: x\nallowed-tools: full_access":                  "full_access",
	} {
		got := "everything"
		if s := one(t, head); s.Allowed != nil {
			got = s.Allowed.words()
		}
		if got != want {
			t.Errorf("%s: %s", head, got)
		}
	}
}

// The list in a prompt is bounded, and says how much is not in it; what is not in it is
// found by its name.
func TestManySkills(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 300 {
		files[fmt.Sprintf("s%03d/SKILL.md", i)] = file("---\ndescription: " + strings.Repeat("x", 200) + "\n---\nbody")
	}
	found := Look([]Folder{{Home, "/h", files}})
	if len(found.Skills) != 200 || len(found.Problems) != 1 || !strings.Contains(found.Problems[0].Text.String(), "more than 200 skills; those from s200 on") {
		t.Errorf("%d skills, %v", len(found.Skills), found.Problems)
	}
	list := found.List()
	if named := strings.Count(list, "- s"); len(list) > 9<<10 || !strings.Contains(list, fmt.Sprintf("[left out: %d more skills", 200-named)) {
		t.Errorf("%d bytes: %s", len(list), list[len(list)-100:])
	}
	if s, err := found.Named("s199"); err != nil || s.Text(false) != "# Skill s199\n\nbody" {
		t.Errorf("%v %q", err, s.Text(false))
	}
	if _, err := found.Named("other"); err == nil || !strings.HasSuffix(err.Error(), "s039 and 160 more") {
		t.Error(err)
	}
}

func TestFilesOfASkill(t *testing.T) {
	files := fstest.MapFS{"a/SKILL.md": file("---\ndescription: x\n---\nbody"), "a/scripts/x.sh": file(""), "a/.git/config": file(""), "b/other": file("")}
	got, more := Look([]Folder{{Home, "/h", files}}).Skills[0].Files()
	if diff := cmp.Diff([]string{"scripts/x.sh"}, got); diff != "" || more {
		t.Error(diff, more)
	}
	for i := range 1001 {
		files[fmt.Sprintf("a/%d.txt", i)] = file("")
	}
	s := Look([]Folder{{Home, "/h", files}}).Skills[0]
	if got, more := s.Files(); len(got) > 0 || !more {
		t.Error(len(got), more)
	}
	if text := s.Text(false); text != "# Skill a\n\nbody\n\n[It has more than 1000 files in /h/a; they are not listed.]" {
		t.Error(text)
	}
	if !strings.Contains(s.Text(true), "another machine") {
		t.Error(s.Text(true))
	}
}

// A folder that cannot be read costs nothing but itself, and the first of two with one
// name counts.
func TestTwoFolders(t *testing.T) {
	skill := func(text string) fstest.MapFS {
		return fstest.MapFS{"a/SKILL.md": file("---\ndescription: " + text + "\n---\n" + text)}
	}
	found := Look([]Folder{{Home, "/h", fstest.MapFS{".": file("")}}, {Home, "/u", skill("mine")}, {Workspace, ".agents/skills", skill("theirs")}})
	s, err := found.Named("a")
	if err != nil || s.Source != Home || s.Description != "mine" {
		t.Errorf("%v %+v", err, s)
	}
	var all []string
	for _, p := range found.Every() {
		all = append(all, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text))
	}
	want := []string{"/h:1: the folder cannot be read: not a folder", ".agents/skills/a/SKILL.md:1: the skill a is already in /u/a/SKILL.md; this one is not used"}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}
