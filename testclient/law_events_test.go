package testclient_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// line reads the short form of an event, `seq=3 run=r1 path=explore#1 tool.returned
// {"callId": "c1"}`: members, type, data. Of session= the default is 0001.
func line(short string) map[string]any {
	e := map[string]any{"sessionId": "0001", "time": "2026-01-02T03:04:05.678Z"}
	member := map[string]string{"session": "sessionId", "run": "runId", "parent": "parentCallId", "path": "agentPath", "seq": "seq", "after": "afterSeq", "sub": "subSeq"}
	for {
		word, rest, _ := strings.Cut(short, " ")
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			e["type"], e["data"] = word, json.RawMessage(rest)
			if rest == "" {
				e["data"] = json.RawMessage("{}")
			}
			return e
		}
		short = rest
		switch n, err := strconv.Atoi(value); {
		case name == "path":
			e[member[name]] = strings.Split(value, "/")
		case err == nil && name != "session":
			e[member[name]] = n
		default:
			e[member[name]] = value
		}
	}
}

// logLine is the event as a line of a log.
func logLine(e map[string]any) string {
	delete(e, "sessionId")
	return text(e)
}

// logOf numbers the short events from 1 on, except where seq= says otherwise.
func logOf(shorts ...string) string {
	var all []string
	for i, short := range shorts {
		e := line(short)
		if e["seq"] == nil {
			e["seq"] = i + 1
		}
		all = append(all, logLine(e))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// event is the notification that carries the short event.
func event(short string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"agent/event","params":%s}`, text(line(short)))
}

func events(shorts ...string) (all []string) {
	for _, short := range shorts {
		all = append(all, event(short))
	}
	return all
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
