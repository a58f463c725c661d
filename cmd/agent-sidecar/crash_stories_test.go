//go:build unix

package main

import "strings"

const edits = `{"agents": {"runtime": {"permission": {"rules": [
  {"domain": "edit", "pattern": "*.txt", "decision": "ask"},
  {"domain": "edit", "pattern": "free*.txt", "decision": "allow"}
]}, "truncation": {"maxLines": 20}}}}`

// stories are all that a session does with the disk, in pieces: each step of
// each is one death.
var stories = []story{
	{
		// A prompt, reads, edits with every answer, a new file, a removed one and an
		// artifact.
		name:   "edits",
		config: edits,
		files: map[string]string{"one.txt": "alpha end\n", "two.txt": "beta end\n", "three.txt": "gamma end\n", "four.txt": "delta end\n", "free.txt": "epsilon end\n",
			"list/a": "1\n", "list/b": "2\n", "words": strings.Repeat("x\n", 40)},
		model: `
when ^One
repeat 99
call r1 read {"path": "one.txt"}
call r2 read {"path": "two.txt"}
call r3 read {"path": "three.txt"}
call r4 read {"path": "four.txt"}
call r5 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "one.txt", "old": "end", "new": "<e1> end"}
call e2 edit {"path": "two.txt", "old": "end", "new": "<e2> end"}
call e3 edit {"path": "three.txt", "old": "end", "new": "<e3> end"}
call e4 edit {"path": "four.txt", "old": "end", "new": "<e4> end"}
call e5 edit {"path": "free.txt", "old": "end", "new": "<e5> end"}
---
when ^edited free
repeat 99
call e6 write {"path": "free6.txt", "content": "<e6>\n"}
call s1 grep {"pattern": "x", "path": "words"}
---
when "_truncated"
repeat 99
call d1 delete {"path": "list/a"}
---
when .
repeat 99
say Done.
`,
		deeds:   []string{`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`},
		answers: map[string]string{"e1": `"decision": "once"`, "e2": `"decision": "session"`, "e3": `"decision": "always"`, "e4": `"decision": "reject"`},
		effects: []string{"e1", "e2", "e3", "e5", "e6"},
	},
	{
		// A patch of several files.
		name:   "patch",
		config: edits,
		files:  map[string]string{"one.txt": "alpha end\n", "two.txt": "beta end\n", "three": "gamma\n", "four": "delta\n", "five": "epsilon\n"},
		model: `
when ^One
repeat 99
call r1 read {"path": "one.txt"}
call r2 read {"path": "two.txt"}
call r3 read {"path": "four"}
---
when ^1:.delta
repeat 99
call p1 apply_patch {"patch": "*** Begin Patch\n*** Update File: one.txt\n-alpha end\n+<p1> end\n*** Add File: new/six\n+zeta\n*** Delete File: three\n*** Update File: four\n*** Move to: new/four\n-delta\n+DELTA\n*** Update File: five\n*** Move to: new/five\n*** Update File: two.txt\n-beta end\n+BETA end\n*** End Patch"}
---
when .
repeat 99
say Done.
`,
		deeds:   []string{`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`},
		answers: map[string]string{"p1": `"decision": "once"`},
		effects: []string{"p1"},
		pieces: map[string][2]string{
			"one.txt": {"alpha end\n", "<p1> end\n"}, "two.txt": {"beta end\n", "BETA end\n"}, "three": {"gamma\n", ""}, "four": {"delta\n", ""},
			"five": {"epsilon\n", ""}, "new/six": {"", "zeta\n"}, "new/five": {"", "epsilon\n"},
		},
	},
	{
		// Prompts that wait, and words in between.
		name:   "queue",
		files:  map[string]string{"free.txt": "epsilon end\n"},
		config: edits,
		model: `
when ^One
repeat 99
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
stall 30s
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
---
when Three
repeat 99
say Heard.
---
when .
repeat 99
say Done.
`,
		deeds: []string{
			`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Two.", "clientMessageId": "m-2"}`,
			`agent/run {"sessionId": "0001", "prompt": "Three.", "clientMessageId": "m-3", "delivery": "steer"}`,
			`agent/run {"sessionId": "0001", "prompt": "Four.", "clientMessageId": "m-4"}`,
			`agent/session/update {"sessionId": "0001", "title": "Mine"}`,
			`wait 60s`,
		},
		effects: []string{"e1"},
	},
	{
		// A sub-agent that asks, and what its session then changes.
		name:   "child",
		config: edits,
		files:  map[string]string{".env": "KEY=secret\n", "free.txt": "epsilon end\n"},
		model: `
when ^One
repeat 99
call t1 task {"agent": "explore", "prompt": "Find it."}
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
---
when .
repeat 99
say Done.
--- for explore
when Find it
repeat 99
call s1 read {"path": ".env"}
---
when .
repeat 99
say .env:1 says KEY.
`,
		deeds:   []string{`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`},
		answers: map[string]string{"s1": `"decision": "once"`},
		effects: []string{"e1"},
	},
	{
		// A sub-agent that goes on: in the run that sent it, and in the next, however it
		// had ended by then.
		name:  "resume",
		files: map[string]string{"free.txt": "epsilon end\n"},
		model: `
when ^One
repeat 99
call t1 task {"agent": "explore", "prompt": "Find it."}
---
when ^Found
repeat 99
call t2 task {"agent": "explore", "prompt": "More.", "resumeId": "explore#1"}
---
when ^Two
repeat 99
call t3 task {"agent": "explore", "prompt": "More.", "resumeId": "explore#1"}
---
when .
repeat 99
say Done.
--- for explore
when ^More
repeat 99
call s$N read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
say free.txt:1 has more.
---
when .
repeat 99
say Found.
`,
		deeds: []string{
			`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Two.", "clientMessageId": "m-2"}`,
			`agent/run {"sessionId": "0001", "prompt": "Three.", "agent": "explore", "clientMessageId": "m-3"}`,
		},
	},
	{
		// Summaries, by hand and in a run.
		name:  "compaction",
		files: map[string]string{"a": "1\n"},
		model: `
when ^(One|Two|Three|Four|Five)
repeat 99
say ` + strings.Repeat("word ", 400) + `
--- for compaction
repeat 99
summary Words were said.
`,
		deeds: []string{
			`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Two.", "clientMessageId": "m-2"}`,
			`agent/run {"sessionId": "0001", "prompt": "Three.", "clientMessageId": "m-3"}`,
			`agent/run {"sessionId": "0001", "prompt": "Four.", "clientMessageId": "m-4"}`,
			`agent/session/compact {"sessionId": "0001"}`,
			`agent/run {"sessionId": "0001", "prompt": "Five.", "clientMessageId": "m-5"}`,
		},
	},
	{
		// Sessions that come and go, rules and configuration.
		name:   "sessions",
		config: edits,
		files:  map[string]string{"free.txt": "epsilon end\n"},
		model: `
when ^One
repeat 99
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
---
when .
repeat 99
say Done.
`,
		deeds: []string{
			`agent/session/new {"sessionKey": "dm:slack:u1", "title": "First"}`,
			`agent/run {"sessionKey": "dm:slack:u2", "prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/rules {"op": "add", "rule": {"domain": "bash", "pattern": "pwd *", "decision": "allow"}}`,
			`agent/config {"op": "set", "key": "agents.runtime.limits.maxTurns", "value": 7}`,
			`agent/session/delete {"sessionId": "0002"}`,
			`agent/run {"prompt": "Two.", "clientMessageId": "m-2"}`,
		},
	},
	{
		// A fork of a session that runs, with a sub-agent, an artifact and a long prompt
		// in it, and one of the fork.
		name:   "fork",
		config: edits,
		files:  map[string]string{"free.txt": "epsilon end\n", "words": strings.Repeat("x\n", 40)},
		model: `
when ^One
repeat 99
call t1 task {"agent": "explore", "prompt": "Find it."}
call s1 grep {"pattern": "x", "path": "words"}
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
---
when ^Stay
repeat 99
stall 30s
say Stayed.
---
when .
repeat 99
say Done.
--- for explore
when .
repeat 99
say Found.
`,
		deeds: []string{
			`agent/run {"prompt": "One. ` + strings.Repeat("long ", 9000) + `", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Stay.", "clientMessageId": "m-2"}`,
			`agent/run {"sessionId": "0001", "prompt": "Later.", "clientMessageId": "m-3"}`,
			`agent/session/fork {"sessionId": "0001"}`,
			`agent/run {"sessionId": "0002", "prompt": "Two.", "clientMessageId": "m-4"}`,
			`agent/session/fork {"sessionId": "0002", "title": "Third"}`,
			`agent/run {"sessionId": "0003", "prompt": "Three.", "clientMessageId": "m-5"}`,
		},
		effects: []string{"e1"},
	},
	backToOne,
	{
		// A key that goes from one session to the next, and the one before prompted by
		// its id.
		name:   "reset",
		config: `{"agents": {"runtime": {"memory": {"reset": "idle:30"}}}}`,
		model: `
when .
repeat 99
say Done.
`,
		deeds: []string{
			`agent/run {"sessionKey": "main", "prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/session/new {"sessionKey": "main", "reset": true}`,
			`agent/run {"sessionKey": "main", "prompt": "Two.", "clientMessageId": "m-2"}`,
			`wait 40m`,
			`agent/run {"sessionKey": "main", "prompt": "Three.", "clientMessageId": "m-3"}`,
			`agent/run {"sessionId": "0001", "prompt": "Four.", "clientMessageId": "m-4"}`,
		},
		has: []string{"session.changed"},
	},
	{
		// A plan that a person changes and accepts, the run that carries it out, and a prompt that
		// waits behind it.
		name:   "plan",
		config: edits,
		files:  map[string]string{"free.txt": "epsilon end\n"},
		model: `
when ^One
repeat 99
call p1 plan_ready {"plan": "Change it."}
---
when carry the plan out
repeat 99
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
---
when .
repeat 99
say Done.
`,
		deeds: []string{
			`agent/run {"prompt": "One.", "agent": "plan", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Two.", "clientMessageId": "m-2"}`,
		},
		answers: map[string]string{"p1": `"decision": "once", "mode": "agent", "editedInput": {"plan": "Change it, please."}`},
		effects: []string{"e1"},
		has:     []string{"session.changed", "run.queued"},
	},
	{
		// What is written down in a silent turn, old results that are pruned and written
		// as artifacts, and a summary.
		name:   "memory",
		config: `{"providers": {"small": {"baseUrl": "http://model.test/v1", "apiKeys": ["k-123456"], "models": {"scripted": {"window": 20000}}}}, "model": "small/scripted", "agents": {"runtime": {"compaction": {"micro": {"keepRecent": 50}}}}}`,
		files:  map[string]string{"long": strings.Repeat("a line of a file that is long enough to fill a small window by itself now\n", 900)},
		model: `
when ^One
repeat 99
call r1 read {"path": "long", "limit": 200}
---
when ^1: a line
repeat 99
call r2 read {"path": "long", "offset": 201, "limit": 200}
---
when ^Five
repeat 99
say Done.
usage 19000 50
---
when .
repeat 99
say Done.
--- for memory
when ^remembered
repeat 99
say NO_REPLY
---
when .
repeat 99
call m1 memory {"kind": "long", "text": "The user prefers <m1>."}
--- for compaction
repeat 99
summary Words were said.
`,
		deeds: []string{
			`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`,
			`agent/run {"sessionId": "0001", "prompt": "Two.", "clientMessageId": "m-2"}`,
			`agent/run {"sessionId": "0001", "prompt": "Three.", "clientMessageId": "m-3"}`,
			`agent/run {"sessionId": "0001", "prompt": "Four.", "clientMessageId": "m-4"}`,
			`agent/run {"sessionId": "0001", "prompt": "Five.", "clientMessageId": "m-5"}`,
			`agent/run {"sessionId": "0001", "prompt": "Six.", "clientMessageId": "m-6"}`,
			`agent/session/compact {"sessionId": "0001"}`,
			`agent/run {"sessionId": "0001", "prompt": "Seven.", "clientMessageId": "m-7"}`,
		},
		has: []string{"memory.flushed", "context.pruned", "context.compacted"},
	},
}
