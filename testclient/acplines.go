package testclient

import (
	"slices"
	"strings"
)

// chunks are the updates whose text runs on. They are all that is seen of a message, so
// that in real time none may come that nobody expects.
var chunks = []string{"agent_message_chunk", "agent_thought_chunk"}

// goingOn are the states of a call whose content may be replaced.
var goingOn = []string{"", "in_progress"}

// classifyUpdate finds out how an update may be joined with its neighbours.
func classifyUpdate(s *shown) {
	u := s.value.get("update")
	s.event = u.str("sessionUpdate")
	s.order += " " + s.event
	key := strings.Join([]string{s.event, s.value.str("sessionId"), u.str("messageId"), u.str("toolCallId")}, "\x00")
	output := u.get("toolCallId") != nil && u.get("content") != nil && slices.Contains(goingOn, u.str("status"))
	switch {
	case slices.Contains(chunks, s.event) && u.get("content", "text") != nil:
		s.join, s.runs = key, []string{"update", "content", "text"}
	case slices.Contains(replacedUpdates, s.event) && output, slices.Contains(latestUpdates, s.event):
		s.join, s.volatile = key, true
	}
}

// Of latestUpdates only the newest counts, and of replacedUpdates while their call goes on.
var (
	latestUpdates   = []string{"usage_update"}
	replacedUpdates = []string{"tool_call_update"}
)
