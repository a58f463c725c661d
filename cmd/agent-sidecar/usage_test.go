package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// priced is the model of a shell with a price: 1,000 tokens in and 50 out are 0.0025 USD.
const priced = `"providers": {"openai": {"baseUrl": "$MODEL", "apiKeys": ["k"], "models": {"scripted": {"price": {"input": 2, "output": 10}}}}}`

// What runs in a terminal have cost stands at their end, in the table, and for programs.
func TestUsage(t *testing.T) {
	s := scriptedShell(t, "", "say Hello.\nusage 1000 50")
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{`+strings.Replace(priced, "$MODEL", strings.TrimPrefix(s.env[0], "OPENAI_BASE_URL="), 1)+`}`)
	code, out, errs := s.run(t, "", "usage")
	if code != 0 || out != "Nothing was spent in this time.\n" || errs != "" {
		t.Errorf("before anything: %d %q %q", code, out, errs)
	}
	if code, out, errs := s.run(t, "", "run", "--model", "openai/scripted", "hi"); code != 0 || !strings.Contains(out, "\n  1000 input tokens (0% cached), 50 output tokens, ~0.0025 USD\n") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	today := time.Now().Format(time.DateOnly)
	for _, row := range []struct {
		args  []string
		first string
	}{
		{nil, today}, {[]string{"--day"}, today}, {[]string{"--month"}, today}, {[]string{"--since", today}, today}, {[]string{"--since", "2020-01-01"}, today},
		{[]string{"--by", "model"}, "openai/scripted"}, {[]string{"--day", "--by", "session"}, "0001"},
	} {
		code, out, errs := s.run(t, "", append([]string{"usage"}, row.args...)...)
		rows := strings.Split(out, "\n")
		if code != 0 || errs != "" || len(rows) != 5 || strings.Join(strings.Fields(rows[1]), " ") != row.first+" 1000 0 0 50 ~0.0025 USD" || !strings.HasPrefix(rows[2], "Total ") || !strings.HasPrefix(rows[3], "~: ") {
			t.Errorf("%q: %d %q %q", row.args, code, out, errs)
		}
	}
	code, out, errs = s.run(t, "", "usage", "--json", "--by", "model")
	var table struct {
		By   string
		Rows []struct {
			Name      string
			Input     int
			Cost      float64
			Estimated bool
		}
		Total struct{ Output int }
	}
	if err := json.Unmarshal([]byte(out), &table); err != nil || code != 0 || errs != "" || table.By != "model" || len(table.Rows) != 1 || table.Rows[0].Name != "openai/scripted" || table.Rows[0].Cost != 0.0025 || !table.Rows[0].Estimated || table.Total.Output != 50 {
		t.Errorf("%d %s %q %v", code, out, errs, err)
	}
	for _, args := range [][]string{{"--since", "yesterday"}, {"--by", "hour"}, {"--day", "--month"}, {"--day", "--since", today}, {"word"}} {
		if code, out, errs := s.run(t, "", append([]string{"usage"}, args...)...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
}

// Lines that are none are counted and left out; a folder in the place of a file, and a home
// that is not there, end nothing badly.
func TestUsageOfABrokenHome(t *testing.T) {
	s := newShell(t, "")
	dir := filepath.Join(s.home, ".agent-sidecar", "usage")
	if err := os.MkdirAll(filepath.Join(dir, "2001-01.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, filepath.Join(dir, time.Now().Format("2006-01")+".jsonl"), "not json\n\x1b[31m\n{\"day\":\""+time.Now().Format(time.DateOnly)+"\",\"session\":\"1\",\"model\":\"\x1b[31mred\",\"input\":5}\n{\"day\":\""+time.Now().Format(time.DateOnly)+"\",\"session\":\"1\",\"model\":\"m\",\"input\":7,\"unpriced\":7}\n{\"torn")
	code, out, errs := s.run(t, "", "usage", "--by", "model", "--since", "2000-01-01")
	want := "7 tokens are of models whose price is not known; they are in no cost.\n3 lines could not be read and were left out.\n"
	if code != 0 || errs != "" || !strings.HasSuffix(out, want) || strings.Contains(out, "\x1b") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, errs := s.run(t, "", "usage", "--home", filepath.Join(s.home, "nowhere")); code != 0 || out != "Nothing was spent in this time.\n" || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// Without a person a budget that is used up ends a run with the code of limits.
func TestBudgetInATerminal(t *testing.T) {
	s := scriptedShell(t, "", "say Hello.\nusage 1000 50")
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{`+strings.Replace(priced, "$MODEL", strings.TrimPrefix(s.env[0], "OPENAI_BASE_URL="), 1)+`, "agents": {"runtime": {"budget": {"day": {"cost": 0.002}}}}}`)
	if code, out, errs := s.run(t, "", "run", "--model", "openai/scripted", "hi"); code != 0 {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, errs := s.run(t, "", "run", "--model", "openai/scripted", "hi"); code != exitLimit || !strings.Contains(out, "Stopped: the budget of the day (0.002 USD) was used up.") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
