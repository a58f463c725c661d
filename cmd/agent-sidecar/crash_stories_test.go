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
repeat 9
call r1 read {"path": "one.txt"}
call r2 read {"path": "two.txt"}
call r3 read {"path": "three.txt"}
call r4 read {"path": "four.txt"}
call r5 read {"path": "free.txt"}
---
when epsilon
repeat 9
call e1 edit {"path": "one.txt", "old": "end", "new": "<e1> end"}
call e2 edit {"path": "two.txt", "old": "end", "new": "<e2> end"}
call e3 edit {"path": "three.txt", "old": "end", "new": "<e3> end"}
call e4 edit {"path": "four.txt", "old": "end", "new": "<e4> end"}
call e5 edit {"path": "free.txt", "old": "end", "new": "<e5> end"}
---
when free.txt
repeat 9
call e6 write {"path": "free6.txt", "content": "<e6>\n"}
call s1 grep {"pattern": "x", "path": "words"}
---
when "_truncated"
repeat 9
call d1 delete {"path": "list/a"}
---
when .
repeat 9
say Done.
`,
		deeds:   []string{`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`},
		answers: map[string]string{"e1": `"decision": "once"`, "e2": `"decision": "session"`, "e3": `"decision": "always"`, "e4": `"decision": "reject"`},
		effects: []string{"e1", "e2", "e3", "e5", "e6"},
	},
}
