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

// pricedShell is a scriptedShell whose model has a price.
func pricedShell(t *testing.T, script string) *shell {
	t.Helper()
	s := scriptedShell(t, "", script)
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{`+strings.Replace(priced, "$MODEL", strings.TrimPrefix(s.env[0], "OPENAI_BASE_URL="), 1)+`}`)
	return s
}

// TestRunBudgets: a budget of the command line ends the run without asking, counts what
// sub-agents spend, and says of a model without a price that it is in no cost.
func TestRunBudgets(t *testing.T) {
	t.Parallel()
	const ls = "call c1 ls {}\nusage 1000 50\n---\ncall c2 ls {}\nusage 1000 50\n---\nsay Done.\nusage 1000 50\noptional"
	const task = "call c1 task {\"agent\": \"explore\", \"prompt\": \"look\"}\nusage 1000 50\n---\nsay Done.\noptional\n--- for explore\ncall c1 ls {}\nusage 1000 50\n---\nsay nothing\noptional"
	const unpriced = "The price of scripted is not known, so --max-cost does not count it; --max-tokens does.\n"
	for _, row := range []struct {
		name, script string
		args         []string
		code         int
		says         string
	}{
		{"cost", ls, []string{"--max-cost", "0.004"}, exitLimit, "Stopped: the budget of 0.004 USD was used up."},
		{"enough", ls, []string{"--max-cost", "0.008", "--max-tokens", "4000"}, 0, "Done."},
		{"tokens", ls, []string{"--max-tokens", "2000"}, exitLimit, "Stopped: the token budget (2000) was used up."},
		{"nobody is asked, so --yes does not go on", ls, []string{"--max-cost", "0.004", "--yes"}, exitLimit, "Stopped: the budget of 0.004 USD was used up."},
		{"the cost of a sub-agent", task, []string{"--max-cost", "0.004"}, exitLimit, "Stopped: the budget of 0.004 USD was used up."},
		{"the tokens of a sub-agent", task, []string{"--max-tokens", "2000"}, exitLimit, "Stopped: the token budget (2000) was used up."},
		{"no price", ls, []string{"--max-cost", "0.004", "--model", "local/scripted"}, 0, unpriced},
		{"a word", ls, []string{"--max-cost", "much"}, exitMisused, "invalid"},
		{"nothing", ls, []string{"--max-cost", "0"}, exitMisused, "must be more than 0"},
		{"no number", ls, []string{"--max-cost", "NaN"}, exitMisused, "must be more than 0"},
		{"no end", ls, []string{"--max-cost", "Inf"}, exitMisused, "must be more than 0"},
		{"less than nothing", ls, []string{"--max-tokens", "-1"}, exitMisused, "must be more than 0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, "", row.script)
			url := strings.TrimPrefix(s.env[0], "OPENAI_BASE_URL=")
			s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{"providers": {
				"openai": {"baseUrl": "`+url+`", "apiKeys": ["k"], "models": {"scripted": {"price": {"input": 2, "output": 10}}}}, "local": {"baseUrl": "`+url+`", "apiKeys": ["k"]}}}`)
			args := append([]string{"run", "--model", "openai/scripted"}, row.args...)
			code, out, errs := s.run(t, "", append(args, "Go.")...)
			if code != row.code || !strings.Contains(out+errs, row.says) || strings.Count(out, "is not known") > 1 {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		})
	}
}

// What runs in a terminal have cost stands at their end, in the table, and for programs.
func TestUsage(t *testing.T) {
	s := pricedShell(t, "say Hello.\nusage 1000 50")
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
