package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Expansion is what typed words become.
type Expansion struct {
	Command Command // its name is "" where the words are no command
	Text    string
	// Compact says that a summary is made, and what it must not lose is Text. Stay says that
	// the agent is also that of the next prompts.
	Compact, Stay bool
	// Foreign says that there is text from outside in it.
	Foreign bool
	// Attached are the resources that the words name.
	Attached []Attached
}

// Attached is a resource of an MCP server that a person has named.
type Attached struct{ Path, Text string }

// UnknownError is why words are neither a command nor sent as they are.
type UnknownError struct {
	Name string
	Near []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no command /%s", control.Title(e.Name, maxName))
	if len(e.Near) > 0 {
		text += "; there is /" + strings.Join(e.Near, ", /")
	}
	return text + ". To send the text as it is, begin it with //"
}

// ClientError is why a command is not run here: it is no prompt.
type ClientError struct{ Name, Request string }

// Error implements error.
func (e *ClientError) Error() string {
	return fmt.Sprintf("/%s is done by the client, with %s", e.Name, e.Request)
}

// ServerError is why an MCP server does not give what a person has named.
type ServerError struct{ Err error }

// Error implements error.
func (e *ServerError) Error() string { return control.Title(e.Err.Error(), 1000) }

// Unwrap gives Err.
func (e *ServerError) Unwrap() error { return e.Err }

// PageError is why a page that a person has named is not attached.
type PageError struct{ Err error }

// Error implements error.
func (e *PageError) Error() string { return control.Title(e.Err.Error(), 1000) }

// Unwrap gives Err.
func (e *PageError) Unwrap() error { return e.Err }

// IsCommand says that words may be a command: Expand has something to say about them.
func IsCommand(typed string) bool { return strings.HasPrefix(typed, "/") }

// MayMean says that Expand may make more of words than they are: they may be a command, or
// name a resource.
func MayMean(typed string) bool { return IsCommand(typed) || resources().MatchString(typed) }

// Expand says what words become that begin with a slash, and which resources they name. Two slashes send the text behind
// the first one as it is, and what looks like a path is sent whole.
func (f Found) Expand(ctx context.Context, typed string) (Expansion, error) {
	e, err := f.command(ctx, typed)
	if err != nil || f.Servers == nil || typed == "" {
		return e, err
	}
	e.Attached, err = f.attached(ctx, typed)
	e.Foreign = e.Foreign || len(e.Attached) > 0
	return e, err
}

// mostAttached is how many resources the words of one prompt may name.
const mostAttached = 10

// attached are the resources that a person's words name, each once. What has the form and is
// of no server is only text.
func (f Found) attached(ctx context.Context, typed string) (all []Attached, err error) {
	seen := map[string]bool{}
	for _, m := range resources().FindAllStringSubmatch(typed, -1) {
		if name := strings.TrimRight(m[1], ".,;:!?)]}'\""); !seen[name] && len(all) < mostAttached {
			seen[name] = true
			path, text, is, err := f.Servers.Resource(ctx, name)
			if _, page := errors.AsType[*PageError](err); page {
				return nil, err
			}
			if err != nil {
				return nil, &ServerError{err}
			}
			if is {
				all = append(all, Attached{path, text})
			}
		}
	}
	return all, nil
}

// ofServer is a prompt of a server; is says that it is one.
func (f Found) ofServer(ctx context.Context, name, args string) (e Expansion, is bool, err error) {
	m := serverPrompt().FindStringSubmatch(name)
	if m == nil || f.Servers == nil {
		return e, false, nil
	}
	text, is, err := f.Servers.Prompt(ctx, m[1], m[2], split(args))
	if err != nil {
		return e, is, &ServerError{err}
	}
	if !is {
		return e, false, nil
	}
	return Expansion{Command: Command{Name: name, Source: Server}, Text: text, Foreign: true}, true, nil
}

// serverPrompt is the form of the prompts of servers, and resources of what names a resource.
var (
	serverPrompt = lazy.Regexp(`^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9][A-Za-z0-9_.-]{0,63})$`)
	resources    = lazy.Regexp(`(?:^|\s)@([A-Za-z0-9_-]{1,32}:[^\s]+)`)
)

// command says what words become that begin with a slash.
func (f Found) command(ctx context.Context, typed string) (Expansion, error) {
	text, slash := strings.CutPrefix(typed, "/")
	if !slash {
		return Expansion{Text: typed}, nil
	}
	if strings.HasPrefix(text, "/") {
		return Expansion{Text: text}, nil
	}
	name, args := text, ""
	if i := strings.IndexFunc(text, blank); i >= 0 {
		name, args = text[:i], strings.TrimSpace(text[i:])
	}
	if e, is, err := f.ofServer(ctx, name, args); is || err != nil {
		return e, err
	}
	if !form().MatchString(name) {
		return Expansion{Text: typed}, nil
	}
	for _, c := range f.Ready() {
		if c.Name == name {
			return c.expand(args)
		}
	}
	return Expansion{}, &UnknownError{name, f.near(name)}
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

func (c Command) expand(args string) (Expansion, error) {
	switch {
	case c.compact:
		return Expansion{Command: c, Text: args, Compact: true}, nil
	case c.rest && args != "":
		return Expansion{Command: c, Text: args, Stay: true}, nil
	case c.Request != "":
		return Expansion{}, &ClientError{c.Name, c.Request}
	}
	return Expansion{Command: c, Text: c.fill(args)}, nil
}

// places are where arguments are put into a text, and mentions the names of files in one.
var (
	places   = lazy.Regexp(`\$(ARGUMENTS|[1-9])\b`)
	mentions = lazy.Regexp(`(^|[\s("'` + "`" + `])@[\w.~/-]`)
)

// fill puts the arguments in. What they say themselves is not looked at: neither a command
// nor a place in them means anything. A text without places gets them at its end.
func (c Command) fill(args string) string {
	words := split(args)
	out, used := c.body, false
	if places().MatchString(out) {
		used = true
		out = places().ReplaceAllStringFunc(out, func(place string) string {
			if n, err := strconv.Atoi(place[1:]); err == nil {
				if n > len(words) {
					return ""
				}
				return words[n-1]
			}
			return args
		})
	}
	if out = strings.TrimSpace(out); !used && args != "" {
		out += "\n\n" + args
	}
	if c.Source != BuiltIn && mentions().MatchString(c.body) {
		out += "\n\n[What the command calls @… is the name of a file; it is not attached. Read it with `read` where you need it.]"
	}
	return out
}

// split are the words of a line, where quotes keep some together.
func split(line string) (words []string) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && blank(r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// near are names that may have been meant, the nearest first.
func (f Found) near(name string) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	name = strings.ToLower(name)
	for _, c := range f.Ready() {
		lower := strings.ToLower(c.Name)
		far := distance(name, lower)
		if strings.HasPrefix(lower, name) {
			far = 0
		}
		if far <= 2 {
			all = append(all, candidate{c.Name, far})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range all[:min(len(all), 5)] {
		names = append(names, c.name)
	}
	if len(names) > 0 {
		return names
	}
	for _, c := range f.Ready() {
		names = append(names, c.Name)
	}
	return names[:min(len(names), 20)]
}

// distance is how many letters two short names differ by.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			now := min(row[j]+1, row[j+1]+1)
			if a[i] == b[j] {
				now = min(now, before)
			} else {
				now = min(now, before+1)
			}
			before, row[j+1] = row[j+1], now
		}
	}
	return row[len(b)]
}
