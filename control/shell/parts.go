package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
)

// Parts are what a word comes to, one after the other: text, and what only running the
// script would tell. There is no letter for the latter. A string is had only of a word
// that is known as a whole, or with a word of the caller's in the place of what is not.
type Parts []part

// part is one piece of a word.
type part struct {
	text     string
	open     bool // only known when it runs, without a text
	unquoted bool // the shell looks for wildcards in it, and splits it at blanks
}

// notKnown is a word of which nothing is known.
var notKnown = Parts{{open: true}}

// known is a word that is known. Its characters stand for themselves.
func known(text string) Parts {
	if text == "" {
		return nil
	}
	return Parts{{text: text}}
}

// Text is the whole word, where all of it is known.
func (p Parts) Text() (text string, known bool) {
	switch {
	case p.isOpen():
		return "", false
	case len(p) == 1:
		return p[0].text, true
	}
	return p.filled(""), true
}

// isOpen says that a part of the word is not known.
func (p Parts) isOpen() bool {
	return slices.ContainsFunc(p, func(q part) bool { return q.open })
}

// length is how long the text in it is.
func (p Parts) length() int {
	n := 0
	for _, q := range p {
		n += len(q.text)
	}
	return n
}

// filled is the word with a text in the place of every part that is not known.
func (p Parts) filled(with string) string {
	if len(p) == 1 && !p[0].open {
		return p[0].text
	}
	var b strings.Builder
	for _, q := range p {
		if q.open {
			b.WriteString(with)
		}
		b.WriteString(q.text)
	}
	return b.String()
}

// lead is what is known of the beginning.
func (p Parts) lead() string {
	if i := slices.IndexFunc(p, func(q part) bool { return q.open }); i >= 0 {
		p = p[:i]
	}
	return p.filled("")
}

// Start is the text before the first part that is not known or a pattern. whole says that
// there is none.
func (p Parts) Start() (text string, whole bool) {
	for _, q := range p {
		if q.open {
			return text, false
		}
		if i := strings.IndexAny(q.text, "*?["); q.unquoted && i >= 0 {
			return text + q.text[:i], false
		}
		text += q.text
	}
	return text, true
}

// is says that the word is known to be just this text.
func (p Parts) is(text string) bool {
	return p.length() == len(text) && !p.isOpen() && p.begins(text)
}

// in says that the word is known to be one of a set.
func (p Parts) in(set words) bool {
	text, ok := p.Text()
	return ok && set.has(text)
}

// begins says that the word is known to begin so.
func (p Parts) begins(prefix string) bool {
	for _, q := range p {
		n := min(len(q.text), len(prefix))
		if prefix == "" || q.open || q.text[:n] != prefix[:n] {
			break
		}
		prefix = prefix[n:]
	}
	return prefix == ""
}

// holds says that one of the characters is known to be in the word.
func (p Parts) holds(chars string) bool {
	return slices.ContainsFunc(p, func(q part) bool { return strings.ContainsAny(q.text, chars) })
}

// as is the word in as few parts as can be, all of them quoted or none.
func (p Parts) as(unquoted bool) Parts {
	var out Parts
	for len(p) > 0 {
		if p[0].open {
			out, p = append(out, part{open: true}), p[1:]
			continue
		}
		n := slices.IndexFunc(p, func(q part) bool { return q.open })
		if n < 0 {
			n = len(p)
		}
		if text := p[:n].filled(""); text != "" {
			out = append(out, part{text: text, unquoted: unquoted})
		}
		p = p[n:]
	}
	return out
}

// literal is the word with every character standing for itself.
func (p Parts) literal() Parts { return p.as(false) }

// wild says that the word is a pattern for names of files.
func (p Parts) wild() bool {
	inside := false // of a bracket, in which quotes may stand
	for _, q := range p {
		if !q.unquoted {
			continue
		}
		for _, c := range []byte(q.text) {
			if c == '*' || c == '?' || c == ']' && inside {
				return true
			}
			inside = inside || c == '['
		}
	}
	return false
}

// pattern is the text of a pattern, with a backslash before what stands for itself.
func (p Parts) pattern() string {
	var b strings.Builder
	special := `*?[]{}()\`
	for _, q := range p {
		if q.unquoted {
			b.WriteString(q.text)
			if strings.Contains(q.text, "[") {
				special = `*?[]{}()\!^-`
			}
			continue
		}
		for _, c := range []byte(q.text) {
			if strings.IndexByte(special, c) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// each is the word with something done to each text in it.
func (p Parts) each(f func(string) string) Parts {
	out := p.literal()
	for i, q := range out {
		if !q.open {
			out[i].text = f(q.text)
		}
	}
	return out
}

// cut cuts the word before and behind the first of some characters.
func (p Parts) cut(chars string) (before, after Parts, found bool) {
	for i, q := range p {
		if j := strings.IndexAny(q.text, chars); j >= 0 {
			left, right := q, q
			left.text, right.text = q.text[:j], q.text[j+1:]
			return append(p[:i:i], left), append(Parts{right}, p[i+1:]...), true
		}
	}
	return p, nil, false
}

// split cuts the word at every one of some characters that is not quoted. Empty words
// are left out, as the shell does at blanks.
func (p Parts) split(chars string) []Parts {
	var out []Parts
	var now Parts
	there := false
	end := func() {
		if there {
			out = append(out, now)
		}
		now, there = nil, false
	}
	for _, q := range p {
		if !q.unquoted {
			now, there = append(now, q), true
			continue
		}
		for rest := q.text; rest != ""; {
			i := strings.IndexAny(rest, chars)
			if i == 0 {
				end()
				rest = rest[1:]
				continue
			}
			if i < 0 {
				i = len(rest)
			}
			now, there = append(now, part{text: rest[:i], unquoted: true}), true
			rest = rest[i:]
		}
	}
	end()
	return out
}

// blanks are what the shell splits at.
const blanks = " \t\n"

// words are the words of a text that is no longer part of the script.
func (p Parts) words() []Parts {
	out := p.as(true).split(blanks)
	for i := range out {
		out[i] = out[i].literal()
	}
	return out
}

// joined are words in a row.
func joined(list []Parts, between string) Parts {
	if len(list) == 1 {
		return list[0]
	}
	var out Parts
	for i, p := range list {
		if i > 0 {
			out = append(out, part{text: between})
		}
		out = append(out, p...)
	}
	return out
}

// guesses are words with nothing in the place of what is not known, for tables of what
// makes a command worse.
func guesses(list []Parts) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.filled("")
	}
	return out
}

// trimLeft is the word without some characters at its beginning.
func (p Parts) trimLeft(chars string) Parts {
	out := p.literal()
	if len(out) > 0 {
		out[0].text = strings.TrimLeft(out[0].text, chars)
	}
	return out
}

// trimRight is the word without some characters at its end.
func (p Parts) trimRight(chars string) Parts {
	out := p.literal()
	if last := len(out) - 1; last >= 0 {
		out[last].text = strings.TrimRight(out[last].text, chars)
	}
	return out
}

// lines are the lines of the word, without their breaks.
func (p Parts) lines() []Parts {
	var out []Parts
	var now Parts
	for _, q := range p {
		for {
			before, after, found := strings.Cut(q.text, "\n")
			if !found {
				break
			}
			out = append(out, append(now, part{text: before}))
			now, q.text = nil, after
		}
		if q.open || q.text != "" {
			now = append(now, q)
		}
	}
	if len(now) > 0 {
		out = append(out, now)
	}
	return out
}

// replaced is the word with another in the place of every text like old. there says
// that it has one.
func (p Parts) replaced(old string, with Parts) (out Parts, there bool) {
	for _, q := range p.literal() {
		for {
			i := strings.Index(q.text, old)
			if i < 0 {
				break
			}
			out, there = append(append(out, part{text: q.text[:i]}), with...), true
			q.text = q.text[i+len(old):]
		}
		out = append(out, q)
	}
	return out, there
}

// pathParts are the directory and the base name of a path.
func (p Parts) pathParts() (dir, base Parts) {
	if text, ok := p.Text(); ok {
		return known(paths.Dirname(text)), known(path.Base(text))
	}
	for i, q := range slices.Backward(p) {
		if j := strings.LastIndexByte(q.text, '/'); j >= 0 {
			return append(slices.Clip(p[:i]), part{text: q.text[:max(j, 1)]}), append(known(q.text[j+1:]), p[i+1:]...)
		}
	}
	return known("."), p
}
