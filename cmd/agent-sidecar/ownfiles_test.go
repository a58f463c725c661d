package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a person has written, by its path below the home.
func (s *shell) own(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join(s.home, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, path, text)
}

// Commands in the terminal: a prompt file is expanded, and what an editor does with a
// command is said with the words that do it here. Nothing is sent for those.
func TestCommandsInTheTerminal(t *testing.T) {
	s := scriptedShell(t, "", "when Fix the parser now\nsay Fixed.")
	s.own(t, ".agents/prompts/fix.prompt.md", "---\ndescription: x\n---\nFix $ARGUMENTS now")
	for _, row := range []struct {
		typed, lang string
		code        int
		says        string
	}{
		{"/usage", "C", 2, "/usage is for editors; here it is: agent-sidecar usage"},
		{"/usage", "zh_CN.UTF-8", 2, "/usage 用于编辑器；这里请用：agent-sidecar usage"},
		{"/fork", "C", 2, "/fork is for editors"},
		{"/fx it", "C", 2, "there is no command /fx, but there is /fix. To send the text as it is, begin it with //"},
		{"/fix the parser", "C", 0, "Fixed."},
	} {
		s.env = append(s.env, "LANG="+row.lang)
		code, out, errs := s.run(t, "", "run", "--trust-client", row.typed)
		if code != row.code || !strings.Contains(out+errs, row.says) {
			t.Errorf("%s: %d %s%s", row.typed, code, out, errs)
		}
	}
}

// doctor names skills and prompt files with what is wrong with them, and does not fail.
func TestDoctorOfOwnFiles(t *testing.T) {
	s := newShell(t, "")
	s.own(t, ".agents/skills/good/SKILL.md", "---\nname: good\ndescription: x\n---\n")
	s.own(t, ".agents/skills/bad/SKILL.md", "---\nname: bad\n---\n")
	s.own(t, ".agent-sidecar/prompts/init.prompt.md", "Mine.")
	_, out, _ := s.run(t, "", "doctor")
	for _, says := range []string{
		"info  skills     good\n",
		"bad/SKILL.md, line 1: the skill has no description",
		"init.prompt.md, line 1: the command /init is already in the program itself",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("%q is not said:\n%s", says, out)
		}
	}
	if strings.Contains(out, "FAIL  skills") || strings.Contains(out, "FAIL  prompts") {
		t.Error(out)
	}
}
