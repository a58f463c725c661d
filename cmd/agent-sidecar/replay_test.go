package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/session/bundle"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestReplayPlays: the session of a conversation that was played is exported,
// replayed as text, and that text is a conversation that plays: the same events
// come, modulo times and generated ids, from the same things said by the client and
// by the model.
func TestReplayPlays(t *testing.T) {
	prober := sandbox.NewProber(t.TempDir())
	for _, name := range []string{"run_end_turn_trusted", "approval_once", "tool_read", "tool_search", "run_parallel_reads", "run_malformed_arguments", "run_length_calls", "explore_report", "task_resume", "task_by_person", "explore_approval", "steer_during_batch", "limit_explicit_turns", "permission_hard_limits"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := playable(t, name)
			first, second := t.TempDir(), t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				c, err := testclient.ParseConversation(name, text)
				if err != nil {
					t.Fatal(err)
				}
				r := testclient.Play(c, testclient.Options{Dir: first, Start: startHere(t, prober), Settle: synctest.Wait, Update: true})
				if len(r.Problems) > 0 {
					t.Fatalf("the conversation itself: %v", r.Problems)
				}
			})
			replayed := withFiles(replayOf(t, first), text)
			synctest.Test(t, func(t *testing.T) {
				c, err := testclient.ParseConversation("replayed_"+name, replayed)
				if err != nil {
					t.Fatalf("%v in\n%s", err, replayed)
				}
				r := testclient.Play(c, testclient.Options{Dir: second, Start: startHere(t, prober), Settle: synctest.Wait})
				for _, p := range r.Problems {
					t.Error(p)
				}
			})
			if n := strings.Count(replayed, "<-- agent/event"); n < 4 {
				t.Errorf("%d events in\n%s", n, replayed)
			}
		})
	}
}

// playable is a conversation of the tree, all its events shown.
func playable(t *testing.T, name string) string {
	t.Helper()
	if name == "run_end_turn_trusted" {
		return strings.ReplaceAll(playable(t, "run_end_turn"), `"approvals": {}}}}}`, `"approvals": {}}}}, "initializationOptions": {"agentSidecar": {"trusted": true}}}`)
	}
	raw, err := os.ReadFile(filepath.Join(conversations, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// replayOf is what replay prints of the first session that was played in dir.
func replayOf(t *testing.T, dir string) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "home", ".agent-sidecar", "sessions", "*", "0001"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("sessions: %v %v", logs, err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var file, out bytes.Buffer
	err = bundle.Write(&file, bundle.Source{ID: "0001", Dir: logs[0], Program: "test"}, &bundle.Private{
		Roots: [][]string{{filepath.Join(real, "workspace")}}, Home: []string{filepath.Join(real, "home")}, WorkspaceID: filepath.Base(filepath.Dir(logs[0])),
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Conversation(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// withFiles puts the workspace and the configuration of a conversation into its
// replay: they are in no log.
func withFiles(replayed, from string) string {
	section := regexp.MustCompile(`(?ms)^-- ((?:workspace/|home/|config|env|args|setup)\S*) --\n.*?(?:^-- |\z)`)
	before, model, _ := strings.Cut(replayed, "-- model --\n")
	for rest := from; ; {
		at := section.FindStringIndex(rest)
		if at == nil {
			break
		}
		body := strings.TrimSuffix(rest[at[0]:at[1]], "-- ")
		before += body
		rest = rest[at[0]+len(body):]
	}
	return before + "-- model --\n" + model
}
