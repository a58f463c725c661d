package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciKey is the key of the jobs. No output may have it.
const ciKey = "sk-ci0123456789abcdefghij0123456789abcdefghij"

// TestGitHubAction runs the steps of the action that the page has, but for the one that
// installs the program: in a repository with a change, with a scripted model.
func TestGitHubAction(t *testing.T) {
	t.Parallel()
	var action struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			If    string
			Steps []struct{ Name, Uses, Run string }
		}
	}
	must(t, yaml.Unmarshal([]byte(ciBlock(t, "jobs:\n")), &action))
	job := action.Jobs["review"]
	if action.Permissions["contents"] != "read" || len(action.Permissions) != 1 || !strings.Contains(job.If, "head.repo.full_name == github.repository") {
		t.Errorf("%+v", action)
	}
	for _, row := range []struct {
		name, script string
		code         int
		review       string
	}{
		{"a review", "when (?s)Review this change.*attached: stdin.*\\+bad\ncall c1 read {\"path\": \"a.txt\"}\n---\nsay {\"summary\": \"One bug.\", \"bugs\": [{\"file\": \"a.txt\", \"line\": 2, \"what\": \"bad\"}]}",
			0, `{"summary":"One bug.","bugs":[{"file":"a.txt","line":2,"what":"bad"}]}`},
		{"a review that changes something", "call c1 write {\"path\": \"a.txt\", \"content\": \"x\"}\n---\nsay {\"summary\": \"Mended.\", \"bugs\": []}", 0, `{"summary":"Mended.","bugs":[]}`},
		{"no JSON", "say No bugs.\n---\nsay None.", exitUnfit, ""},
		{"the model is away", "status 401 {}", exitFailed, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := newCI(t, row.script)
			temp := t.TempDir()
			env := []string{"RUNNER_TEMP=" + temp, "GITHUB_BASE_REF=main", "GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary.md")}
			code := 0
			for _, step := range job.Steps {
				if step.Uses != "" && !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(step.Uses) {
					t.Errorf("%s is not pinned", step.Uses)
				}
				if step.Run == "" || step.Name == "Install" || code != 0 {
					continue
				}
				code = c.sh(t, step.Run, env...)
			}
			review, _ := os.ReadFile(filepath.Join(temp, "review.json"))
			if code != row.code || strings.TrimSpace(string(review)) != row.review {
				t.Errorf("exit %d: %s\n%s", code, review, c.out.String())
			}
			if summary, _ := os.ReadFile(filepath.Join(temp, "summary.md")); (row.code == 0) != (len(summary) > 0) || !strings.Contains(string(summary), row.review) {
				t.Errorf("%s", summary)
			}
			if text, _ := os.ReadFile(filepath.Join(c.dir, "a.txt")); string(text) != "good\nbad\n" {
				t.Errorf("the review has changed something: %q", text)
			}
			c.keepsKey(t, temp)
		})
	}
}

// TestGitLabJob runs the script of the job that the page has, in one shell as GitLab does.
func TestGitLabJob(t *testing.T) {
	t.Parallel()
	var jobs map[string]struct {
		Script    []string
		Artifacts struct{ Paths []string }
	}
	must(t, yaml.Unmarshal([]byte(ciBlock(t, "script:\n")), &jobs))
	job := jobs["fix"]
	var script []string
	for _, line := range job.Script {
		if !strings.Contains(line, "go install") {
			script = append(script, line)
		}
	}
	for _, row := range []struct {
		name, script string
		code         int
		patch        string
		result       string
	}{
		{"fixed", "call c0 read {\"path\": \"a.txt\"}\n---\ncall c1 edit {\"path\": \"a.txt\", \"old\": \"bad\", \"new\": \"better\"}\ncall c2 write {\"path\": \"b.txt\", \"content\": \"new\\n\"}\n---\nsay Fixed.", 0, "-bad\n+better\n", `"exitCode":0`},
		{"refused", "call c1 bash {\"command\": \"curl https://example.com\", \"needs\": [\"network\"], \"reason\": \"to look\"}\n---\nsay Not allowed.", exitRefused, "", `"refused":1`},
		{"over its budget", "call c1 ls {}\nusage 3000000 1\n---\nsay never\noptional", exitLimit, "", `"stopReason":"limit"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := newCI(t, row.script)
			code := c.sh(t, strings.Join(script, "\n"))
			patch, _ := os.ReadFile(filepath.Join(c.dir, "fix.patch"))
			if code != row.code || !strings.Contains(string(patch), row.patch) || (row.patch == "") != (len(patch) == 0) || !strings.Contains(c.out.String(), row.result) {
				t.Errorf("exit %d: %s\n%s", code, patch, c.out.String())
			}
			if row.code == 0 && !strings.Contains(string(patch), "+++ b/b.txt") {
				t.Errorf("a new file is not in the patch: %s", patch)
			}
			events, _ := os.ReadFile(filepath.Join(c.dir, "events.jsonl"))
			c.result(t, string(events))
			c.keepsKey(t, c.dir)
		})
	}
}

// ciBlock is the job of the page that has a line.
func ciBlock(t *testing.T, line string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(treeFile("docs/ci.md"), -1) {
		if strings.Contains(m[1], line) {
			return m[1]
		}
	}
	t.Fatalf("the page has no job with %q", line)
	return ""
}

// ci is a checkout in which a job runs.
type ci struct {
	*shell
	out strings.Builder
}

// newCI is a repository with a branch that changes a.txt, and the program in the PATH.
func newCI(t *testing.T, script string) *ci {
	t.Helper()
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("not run: %v", err)
		}
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	c := &ci{shell: scriptedShell(t, "", script, "OPENAI_API_KEY="+ciKey)}
	bin := t.TempDir()
	must(t, os.Symlink(path, filepath.Join(bin, "agent-sidecar")))
	c.env = append(c.env, "PATH="+bin+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	setup := `git init -q -b main . && git config user.email a@b && git config user.name a
		echo good > a.txt && git add . && git commit -q -m one && git update-ref refs/remotes/origin/main HEAD
		git checkout -q -b change && echo bad >> a.txt && git commit -q -a -m two`
	if code := c.sh(t, setup); code != 0 {
		t.Fatal(c.out.String())
	}
	return c
}

// sh runs a script as the services do, and is its exit code.
func (c *ci) sh(t *testing.T, script string, env ...string) int {
	t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, append(c.env, env...), &c.out, &c.out
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode()
}

// keepsKey holds that neither the log of the job nor a file below dir has the key.
func (c *ci) keepsKey(t *testing.T, dir string) {
	t.Helper()
	if strings.Contains(c.out.String(), ciKey) {
		t.Error("the key is in the log")
	}
	for _, name := range list(t, dir) {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && strings.Contains(string(text), ciKey) {
			t.Errorf("the key is in %s", name)
		}
	}
}
