package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// script is a parsed model script; README.md says how one is written.
type script struct {
	window   int           // tokens; 0 = unlimited
	pace     time.Duration // between two pieces of a stream
	models   []string
	wants    []string   // what it refuses, see unwanted
	sections []*section // in the order they are tried, main last
}

// section is a queue of turns for the requests it fits.
type section struct {
	title string
	rank  int
	fits  func(*ChatRequest) bool
	turns []*turn
}

// turn answers one request, or repeat of them.
type turn struct {
	line     int
	when     *regexp.Regexp // on the last user or tool message; nil = any
	has      *regexp.Regexp // on the whole body; nil = any
	optional bool
	repeat   int
	used     int
	verbs    []verb
}

// verb is one thing a turn does; which fields count depends on name.
type verb struct {
	line int
	name string
	text string
	id   string
	tool string

	in, out int
	wait    time.Duration
	status  int
	header  http.Header
}

// Placeholder is how a name looks in a script and in a conversation; doubled, it
// stands for itself. $0 to $9 are groups of a model turn. It is compiled when it is
// first asked for, as every pattern here: most starts of the program are no demo.
var Placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$?\$(?:[A-Z]+[0-9]*|[0-9])`) })

// parseScript reads a script. Every error names its line.
func parseScript(text string) (*script, error) {
	p := scriptParser{script: &script{}, sections: map[string]*section{}}
	if err := p.enter("main"); err != nil {
		return nil, err
	}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.parse(line); err != nil {
			return nil, fmt.Errorf("script line %d: %w", p.line, err)
		}
	}
	for _, title := range []string{"memory", "title"} {
		if p.sections[title] == nil {
			p.script.sections = append(p.script.sections, besides(title))
		}
	}
	p.script.order()
	return p.script, nil
}

type scriptParser struct {
	script   *script
	sections map[string]*section
	current  *section
	turn     *turn // nil between turns
	line     int
}

func (p *scriptParser) parse(line string) error {
	if rest, ok := strings.CutPrefix(line, "---"); ok {
		p.turn = nil
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return nil
		}
		title, ok := strings.CutPrefix(rest, "for ")
		if !ok {
			return fmt.Errorf("%q: want --- or --- for <whom>", line)
		}
		return p.enter(strings.TrimSpace(title))
	}
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if done, err := p.head(name, rest); done || err != nil {
		return err
	}
	if p.turn == nil {
		p.turn = &turn{line: p.line, repeat: 1}
		p.current.turns = append(p.current.turns, p.turn)
	}
	return p.verb(name, rest)
}

func (p *scriptParser) enter(title string) error {
	if s := p.sections[title]; s != nil {
		p.current = s
		return nil
	}
	s, err := newSection(title)
	if err != nil {
		return err
	}
	p.sections[title] = s
	p.script.sections = append(p.script.sections, s)
	p.current = s
	return nil
}

// head takes the words that hold for the whole script.
func (p *scriptParser) head(name, rest string) (bool, error) {
	var err error
	switch name {
	case "window":
		p.script.window, err = strconv.Atoi(rest)
	case "pace":
		p.script.pace, err = time.ParseDuration(rest)
	case "models":
		p.script.models = strings.Fields(rest)
	case "wants":
		p.script.wants = strings.Fields(rest)
		for _, name := range p.script.wants {
			if refusals[name] == nil {
				return true, fmt.Errorf("wants: %q is not known", name)
			}
		}
	default:
		return false, nil
	}
	return true, err
}

func (p *scriptParser) verb(name, rest string) (err error) {
	v := verb{line: p.line, name: name, text: rest}
	switch name {
	case "when":
		p.turn.when, err = regexp.Compile(rest)
		return err
	case "has":
		p.turn.has, err = regexp.Compile(rest)
		return err
	case "optional":
		p.turn.optional = true
		return nil
	case "repeat":
		p.turn.repeat, err = strconv.Atoi(rest)
		return err
	case "say", "summary", "think":
		v.text, err = TextOf(rest)
	case "call", "callraw":
		err = v.parseCall(name, rest)
	case "usage":
		if rest == "none" || rest == "counted" {
			v.text = rest
			break
		}
		_, err = fmt.Sscanf(rest, "%d %d", &v.in, &v.out)
	case "stall":
		v.wait, err = time.ParseDuration(rest)
	case "status":
		err = v.parseStatus(rest)
	case "error":
		if !json.Valid([]byte(rest)) {
			err = fmt.Errorf("error: not JSON: %s", rest)
		}
	case "raw", "http":
		v.text, err = strconv.Unquote(rest)
	case "finish", "drop", "apart":
	default:
		err = fmt.Errorf("unknown verb %q", name)
	}
	p.turn.verbs = append(p.turn.verbs, v)
	return err
}

func (v *verb) parseCall(name, rest string) error {
	v.name = "call"
	id, rest, _ := strings.Cut(rest, " ")
	tool, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if id == "" || tool == "" {
		return fmt.Errorf("%s: want <id> <tool> <arguments>", name)
	}
	var err error
	if v.id, err = TextOf(id); err != nil {
		return err
	}
	if v.tool, err = TextOf(tool); err != nil {
		return err
	}
	v.text = strings.TrimSpace(args)
	if name == "callraw" {
		v.text, err = TextOf(v.text)
		return err
	}
	if v.text == "" {
		v.text = "{}"
	}
	if !json.Valid([]byte(v.text)) {
		return fmt.Errorf("call: arguments are not JSON (callraw sends any text): %s", v.text)
	}
	return nil
}

// parseStatus reads `429 {json} Name: value; Name: value`, the headers also in
// square brackets.
func (v *verb) parseStatus(rest string) error {
	code, rest, _ := strings.Cut(rest, " ")
	var err error
	if v.status, err = strconv.Atoi(code); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	v.header = http.Header{}
	rest = strings.TrimSpace(rest)
	v.text = ""
	if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, `[{`) || strings.HasPrefix(rest, `"`) {
		d := json.NewDecoder(strings.NewReader(rest))
		var body json.RawMessage
		if err := d.Decode(&body); err != nil {
			return fmt.Errorf("status: body: %w", err)
		}
		v.text = string(body)
		rest = strings.TrimSpace(rest[d.InputOffset():])
	}
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "["), "]")
	for pair := range strings.SplitSeq(rest, ";") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, ":")
		if !ok {
			return fmt.Errorf("status: header %q", pair)
		}
		v.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

// TextOf is the text itself, or what it quotes when it is a Go string literal.
func TextOf(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) && !strings.HasPrefix(s, "`") {
		return s, nil
	}
	out, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("quoted text %s: %w", s, err)
	}
	return out, nil
}
