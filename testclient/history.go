package testclient

import "fmt"

// checkHistory holds the messages of a request against what providers refuse:
// every call has exactly one result, directly after its message and in call
// order, and no result stands without its call (session §1). It also holds that
// the text of one result stays under what a line of the log may hold (control §6).
func checkHistory(messages []chatMessage) []string {
	var problems []string
	bad := func(i int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(format, args...))
	}
	var open []string // calls that wait for their result, in order
	for i, m := range messages {
		if m.Role == "tool" {
			if len(m.Content) > maxLogLine && m.Content[0] == '"' {
				bad(i, "the result of call %q is %d bytes long", m.CallID, len(m.Content))
			}
			switch {
			case len(open) == 0:
				bad(i, "result of call %q has no call before it", m.CallID)
			case open[0] != m.CallID:
				bad(i, "result of call %q stands where that of %q belongs", m.CallID, open[0])
				open = open[1:]
			default:
				open = open[1:]
			}
			continue
		}
		if len(open) > 0 {
			bad(i, "calls %q have no result directly after their message", open)
			open = nil
		}
		seen := map[string]bool{}
		for _, c := range m.ToolCalls {
			if c.ID == "" || seen[c.ID] {
				bad(i, "call id %q is empty or given twice", c.ID)
			}
			seen[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		bad(len(messages), "calls %q have no result", open)
	}
	return problems
}
