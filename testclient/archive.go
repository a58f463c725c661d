package testclient

import (
	"fmt"
	"strings"
)

// archive is a txtar file: a comment and files between "-- name --" lines. It
// is written here, and not taken from a library, because -update has to give
// every untouched byte back.
type archive struct {
	comment string
	files   []file
}

type file struct {
	name string
	data string
}

func parseArchive(text string) (*archive, error) {
	if strings.Contains(text, "\r") {
		return nil, fmt.Errorf("has CR line ends")
	}
	a := &archive{}
	into := &a.comment
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		name, ok := marker(line)
		if !ok {
			*into += line
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("section %q twice", name)
		}
		seen[name] = true
		a.files = append(a.files, file{name: name})
		into = &a.files[len(a.files)-1].data
	}
	return a, nil
}

func marker(line string) (name string, ok bool) {
	line = strings.TrimRight(line, "\n")
	name, ok = strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok && strings.TrimSpace(name) != ""
}

func (a *archive) format() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, f := range a.files {
		fmt.Fprintf(&b, "-- %s --\n%s", f.name, f.data)
		if f.data != "" && !strings.HasSuffix(f.data, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (a *archive) get(name string) (string, bool) {
	for _, f := range a.files {
		if f.name == name {
			return f.data, true
		}
	}
	return "", false
}

func (a *archive) set(name, data string) {
	for i := range a.files {
		if a.files[i].name == name {
			a.files[i].data = data
		}
	}
}
