package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// In the terminal too nothing is allowed that was not shown: a script whose 31st
// line does the harm is viewed first, and always shows the whole rule.
func TestTerminalShowsBeforeItAllows(t *testing.T) {
	rows := func(n int) string { return strings.Repeat("echo\n", n-1) + "harm\n" }
	for _, row := range []struct {
		name    string
		preview history.ApprovalPreview
		typed   string
		want    string
		shown   bool // the harm
	}{
		{"29 lines", history.ApprovalPreview{Text: rows(29)}, "y\n", "once", true},
		{"30 lines", history.ApprovalPreview{Text: rows(30)}, "y\n", "once", true},
		{"31 lines", history.ApprovalPreview{Text: rows(31)}, "y\nyes\na\nn\n", "reject", false},
		{"31 lines, viewed", history.ApprovalPreview{Text: rows(31)}, "y\nv\ny\n", "once", true},
		{"160 characters", history.ApprovalPreview{Text: strings.Repeat(" ", 156) + "harm"}, "y\n", "once", true},
		{"161 characters", history.ApprovalPreview{Text: strings.Repeat(" ", 157) + "harm"}, "y\nn\n", "reject", false},
		{"cut in its event", history.ApprovalPreview{Text: "echo\n", Whole: rows(31)}, "y\nview\na\n", "always", true},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(row.typed))}
		a := history.Approval{Title: said.Plain("bash: x"), Preview: &row.preview, Always: []control.Offer{{ID: "a1", Label: "Always: " + strings.Repeat("x", 300)}}}
		answer := term.question(a)
		if answer.Decision != row.want || strings.Contains(out.String(), "harm") != row.shown {
			t.Errorf("%s: %s, shown:\n%s", row.name, answer.Decision, out.String())
		}
		if row.want != "reject" && !strings.Contains(out.String(), strings.Repeat("x", 300)) {
			t.Errorf("%s: the rule is cut", row.name)
		}
	}
}

// The terminal offers what the question takes: session where it does, and for a
// limit an always that stores nothing. A word that is not offered is no answer.
func TestTerminalOffersWhatIsTaken(t *testing.T) {
	for _, row := range []struct {
		name      string
		decisions []string
		typed     string
		want      string
	}{
		{"session", []string{"once", "session", "reject"}, "s\n", "session"},
		{"no session", []string{"once", "reject"}, "s\nsession\nn\n", "reject"},
		{"always of a limit", []string{"once", "always", "reject"}, "a\n", "always"},
		{"no always", []string{"once", "session", "reject"}, "a\nalways\ny\n", "once"},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(row.typed))}
		answer := term.question(history.Approval{Title: said.Plain("x"), Decisions: row.decisions})
		if answer.Decision != row.want {
			t.Errorf("%s: %s\n%s", row.name, answer.Decision, out.String())
		}
		if got := strings.Contains(out.String(), "[s] Allow this session"); got != (row.decisions[1] == "session") {
			t.Errorf("%s: session is offered: %v", row.name, got)
		}
	}
}

// A person whose environment is Chinese is asked in Chinese: the reason, the answers and how
// the call ended.
func TestTerminalIsInThePersonsLanguage(t *testing.T) {
	p := &program{env: func(name string) string {
		return map[string]string{"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}[name]
	}}
	var out bytes.Buffer
	term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader("y\n")), lang: p.locale()}
	reason := said.That("Asks: %s.", said.List{said.That("this workspace is not trusted yet")})
	term.question(history.Approval{Title: said.Plain("bash: x"), Reason: reason, Decisions: []string{"once", "reject"}})
	zero := 0
	term.Event(history.Origin{}, history.Event{Body: history.ToolReturned{Status: "completed", ExitCode: &zero}})
	for _, words := range []string{"尚未受信任", "[y] 允许一次", "已完成（退出码 0）"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%s is not said: %s", words, out.String())
		}
	}
}

// So are the results of every command and what was wrong with it; names of commands, flags
// and keys are the same in every language.
func TestCommandsAreInThePersonsLanguage(t *testing.T) {
	s := scriptedShell(t, "{\"unknown\": 1}", `
call c1 write {"path": "a.txt", "content": "a\\n"}
---
say Done.`, "LANG=zh_CN.UTF-8")
	for _, row := range []struct {
		args  []string
		words []string
	}{
		{[]string{"doctor", "--offline"}, []string{"正常  home       /", "信息  search     未配置提供方", "信息  model      openai/scripted，未询问（--offline）\n"}},
		{[]string{"sessions"}, []string{"此处还没有会话。\n"}},
		{[]string{"run", "--yes", "Go."}, []string{"已创建 a.txt"}},
		{[]string{"sessions"}, []string{"ID    状态  更新时间", "\n0001  空闲  20"}},
		{[]string{"sessions", "--query", "x y"}, []string{`此处没有任何会话的标题、键、代理、首个或最后一个提示词包含 "x y"。`}},
		{[]string{"undo"}, []string{"undo：请指定会话。"}},
		{[]string{"undo", "1", "--dry-run"}, []string{"将移除：a.txt\n"}},
		{[]string{"undo", "1"}, []string{"移除：a.txt\n如需收回，请运行：agent-sidecar undo 0001 'undo#1'\n"}},
		{[]string{"undo", "1"}, []string{"没有可撤销的更改。\n"}},
		{[]string{"explain", "bash", `{"command": "make"}`}, []string{
			"询问  bash: make\n", "代理 build，模式 agent，工作区受信任\n", "   <- 决定结果\n    生效      询问  *  built-in 规则 6\n    按规则：  询问  运行命令需要你的批准。\n",
		}},
		{[]string{"sessions", "../home/.agent-sidecar/config.jsonc"}, []string{"config.jsonc 不是目录\n"}},
		{[]string{"audit", "verify"}, []string{"正常  /", "0001.jsonl：", " 行\n"}},
		{[]string{"audit", "show", "9"}, []string{`没有会话 "9" 的审计记录`}},
		{[]string{"audit"}, []string{"audit 的用法："}},
		{[]string{"config"}, []string{"警告：/"}},
		{[]string{"config", "set"}, []string{"config 的用法："}},
		{[]string{"models", "nobody"}, []string{`没有提供方 "nobody"；`}},
		{[]string{"help"}, []string{
			"用法：agent-sidecar [命令] [选项]\n", "\n  models [provider]                列出所有提供方或某个提供方的模型\n",
			"\n  --query WORDS            sessions：仅列出标题、键、代理、首个或最后一个提示词包含 WORDS 的会话\n",
		}},
		{[]string{"doctor", "--merge"}, []string{"--merge 是 undo 的选项，不是 doctor 的选项\n"}},
		{[]string{"undo", "9"}, []string{`没有会话 "0009"`}},
		{[]string{"export", "9"}, []string{`没有会话 "0009"`}},
		{[]string{"replay", "9"}, []string{`没有会话 "0009"`}},
		{[]string{"export", "1", "-o", "bundle"}, nil},
		{[]string{"export", "1", "-o", "bundle"}, []string{"bundle 已存在；未写入任何内容\n"}},
		{[]string{"import", "bundle"}, []string{"会话 0002：Go.\n", "来自导出文件中的会话 0001：", "其文本来自别处："}},
		{[]string{"replay", "bundle"}, []string{"会话 0001：Go.\n", "\n你：Go.\n", "    已完成"}},
		{[]string{"nonsense"}, []string{`agent-sidecar: 没有命令 "nonsense"`, "请运行：agent-sidecar help\n"}},
	} {
		_, out, errs := s.run(t, "", row.args...)
		for _, words := range row.words {
			if !strings.Contains(out+errs, words) {
				t.Errorf("%v does not say %q:\n%s%s", row.args, words, out, errs)
			}
		}
	}
}

// Every answer that is offered can be typed, a no with its reason, and whoever types
// something else is told which answers there are.
func TestTerminalAnswers(t *testing.T) {
	both := []control.Offer{{ID: "a1", Label: "Always in this workspace: a.go", Pattern: "vault:/a.go"}, {ID: "a2", Label: "Always, in every folder: a.go", Pattern: "vault:/a.go"}}
	for _, row := range []struct {
		typed, decision, offer, feedback string
		says                             string
	}{
		{"y\n", "once", "", "", "[y] Allow once\n"},
		{"YES\n", "once", "", "", "[n] Reject (n and why, if you like) > "},
		{"s\n", "session", "", "", "[s] Allow this session\n"},
		{"a\n", "always", "a1", "", "[a] Always in this workspace: a.go\n"},
		{"a2\n", "always", "a2", "", "[a2] Always, in every folder: a.go\n"},
		{"n\n", "reject", "", "", ""},
		{"n because It breaks the API\n", "reject", "", "because It breaks the API", ""},
		{"No, not like that.\n", "reject", "", "not like that.", ""},
		{"n: wrong file\n", "reject", "", "wrong file", ""},
		{"\nn\n", "reject", "", "", "    Type y, s, a, a2 or n, then Enter.\n"},
		{"sure\ny\n", "once", "", "", "    \"sure\" is not an answer here. Type y, s, a, a2 or n, then Enter.\n"},
		{"y but only this\nn\n", "reject", "", "", `"y but only this" is not an answer here.`},
		{"a3\nv\nn\n", "reject", "", "", `"a3" is not an answer here.`},
		{"", "reject", "", "Nobody is at the terminal to ask.", ""},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(row.typed))}
		answer := term.question(history.Approval{Title: said.Plain("edit a.go"), Domain: "edit", Decisions: []string{"once", "session", "always", "reject"}, Always: both})
		if answer.Decision != row.decision || answer.OfferID != row.offer || answer.Feedback != row.feedback || !strings.Contains(out.String(), row.says) {
			t.Errorf("%q: %s %q %q\n%s", row.typed, answer.Decision, answer.OfferID, answer.Feedback, out.String())
		}
	}
}

// A question of the terminal itself has its own words for yes and no, and only a yes is one.
func TestTerminalConfirms(t *testing.T) {
	for _, row := range []struct {
		typed string
		want  bool
		says  string
	}{
		{"y\n", true, "[y] Trust this folder · [n] Not now (Enter) > "},
		{"n\n", false, ""},
		{"\n", false, ""},
		{"", false, ""},
		{"ok\nyes\n", true, `"ok" is not an answer here. Type y or n, then Enter.`},
		{"ok\n", false, ""},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(row.typed))}
		if got := term.confirm("Sure?", "Trust this folder", "Not now"); got != row.want || !strings.Contains(out.String(), row.says) {
			t.Errorf("%q: %v\n%s", row.typed, got, out.String())
		}
	}
}

// What a call has changed is shown as a diff, once: in its question, or behind it where
// nobody was asked.
func TestTerminalShowsChanges(t *testing.T) {
	const text = "edited a.go (+1 −1, checkpoint 1)\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-old\n+new\nNote: something else.\n--- not a diff"
	for _, row := range []struct {
		name string
		body history.ToolReturned
		ask  bool
		want bool
	}{
		{"unasked", history.ToolReturned{CallID: "c1", Tool: "edit", Status: "completed", Text: text}, false, true},
		{"asked", history.ToolReturned{CallID: "c1", Tool: "edit", Status: "completed", Text: text}, true, false},
		{"failed", history.ToolReturned{CallID: "c1", Tool: "edit", Status: "failed", Text: text}, false, false},
		{"the output of a command", history.ToolReturned{CallID: "c1", Tool: "bash", Status: "completed", Text: text}, false, false},
		{"many lines", history.ToolReturned{CallID: "c1", Tool: "write", Status: "completed", Text: "created\n--- /dev/null\n" + strings.Repeat("+new\n", 200)}, false, true},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader("y\n"))}
		if row.ask {
			term.question(history.Approval{CallID: "c1", Title: said.Plain("edit a.go"), Preview: &history.ApprovalPreview{Text: "a diff"}})
		}
		term.Event(history.Origin{}, history.Event{Body: row.body})
		if got := strings.Contains(out.String(), "│ +new\n"); got != row.want || strings.Contains(out.String(), "│ Note") || strings.Contains(out.String(), "not a diff\n") && row.body.Status == "completed" {
			t.Errorf("%s: %v\n%s", row.name, got, out.String())
		}
		if strings.Count(out.String(), "\n") > previewLines+8 {
			t.Errorf("%s: %d lines", row.name, strings.Count(out.String(), "\n"))
		}
	}
}

// A command that nobody was asked about says where it runs, and no other.
func TestTerminalShowsTheSandbox(t *testing.T) {
	for by, want := range map[string]string{"sandbox": "    in the sandbox\n", "rule": "", "default": ""} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}}
		term.Event(history.Origin{}, history.Event{Body: history.ToolDecided{CallID: "c1", Decision: "allow", By: by}})
		if out.String() != want {
			t.Errorf("by %s: %q", by, out.String())
		}
	}
}
