package testclient

import "fmt"

// Logs are every events.jsonl of a sidecar's home at one moment, for tests that
// kill the server themselves.
type Logs struct{ all []eventLog }

// ReadLogs reads them.
func ReadLogs(home string) (Logs, error) {
	all, err := readLogs(home)
	return Logs{all}, err
}

// Broken holds each log against the laws of a log. With open the process was
// killed behind the last line: then the last run, with its calls and approvals,
// may be open, and the last line torn.
func (l Logs) Broken(open bool) []string {
	var bad []string
	for _, log := range l.all {
		if log.torn && len(log.lines) == 1 {
			continue // it has not begun: nobody opens it again
		}
		for _, b := range log.check(open) {
			bad = append(bad, log.name+": "+b)
		}
	}
	return bad
}

// Grew gives what is wrong with the logs beside what they were when the process
// was killed: a log is only appended to, only a torn line is cut, and none is
// gone.
func (l Logs) Grew(killed Logs) []string {
	var bad []string
	for _, was := range killed.all {
		found := false
		for _, log := range l.all {
			if log.name == was.name {
				found = true
				for _, b := range log.grew(killed.all) {
					bad = append(bad, log.name+": "+b)
				}
			}
		}
		if !found && len(was.lines) > 0 && !(was.torn && len(was.lines) == 1) {
			bad = append(bad, fmt.Sprintf("%s is gone; it had %d lines", was.name, len(was.lines)))
		}
	}
	return bad
}

// Line is one line of a log, as far as tests need it.
type Line struct {
	Log   string // the log's path below the home, with slashes
	Child bool   // of a sub-agent
	Seq   int64
	Run   string
	Type  string
	Raw   []byte // the whole line
	Data  []byte
}

// Lines are those of all logs that are whole, log by log.
func (l Logs) Lines() []Line {
	var lines []Line
	for _, log := range l.all {
		for i, e := range log.events {
			if e.bad == "" && e.Seq != nil {
				lines = append(lines, Line{log.name, log.child(), *e.Seq, e.RunID, e.Type, log.lines[i], e.Data})
			}
		}
	}
	return lines
}
