package shell

import (
	"path"
	"strings"
)

// make notes the makefile that make would read, those that it includes by a plain
// name, and what the recipes of all of them start.
func (w *walker) make(args []string, dir string) {
	for _, to := range valuesOf(args, "-C", "--directory") {
		dir = w.join(dir, to)
	}
	m := &makefile{w: w, dir: dir, vars: map[string]string{"MAKE": "make"}}
	for _, a := range args {
		if name, value, is := strings.Cut(a, "="); is && isName(name) {
			m.vars[name], m.fixed = value, append(m.fixed, name)
		}
	}
	files := valuesOf(args, "-f", "--file", "--makefile")
	if len(files) == 0 {
		for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
			if _, there, _ := w.files.Read(w.join(dir, name)); there {
				files = []string{name}
				break
			}
		}
	}
	for _, file := range files {
		m.read(w.join(dir, file))
	}
	for _, recipe := range m.recipes {
		if text := m.expand(recipe, 0); strings.TrimSpace(text) != "" {
			w.follow(text, dir)
		}
	}
	if shell := m.expand(m.vars["SHELL"], 0); strings.Contains(shell, "/") {
		w.whole(w.join(dir, shell), dir)
	}
}

// makefile is what a makefile and those that it includes hold.
type makefile struct {
	w       *walker
	dir     string
	vars    map[string]string
	fixed   []string // given on the command line
	recipes []string
}

func (m *makefile) read(file string) {
	text, ok := m.w.read(file, m.dir)
	if !ok {
		return
	}
	m.w.add(file, text)
	if len(text) > maxFollowed {
		return
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		m.line(line)
	}
}

func (m *makefile) line(line string) {
	if recipe, is := strings.CutPrefix(line, "\t"); is {
		m.recipe(recipe)
		return
	}
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "include", "-include", "sinclude":
		for _, name := range strings.Fields(m.expand(rest, 0)) {
			if !strings.ContainsAny(name, "*?[$") {
				m.read(m.w.join(m.dir, name))
			}
		}
		return
	case "export", "override":
		line = strings.TrimSpace(rest)
	}
	if name, value, is := strings.Cut(line, "="); is && m.assign(name, value) {
		return
	}
	if strings.Contains(line, "$(shell ") {
		m.expand(line, 0)
	}
	if _, behind, is := strings.Cut(line, ":"); is {
		if _, recipe, is := strings.Cut(behind, ";"); is {
			m.recipe(recipe)
		}
	}
}

// assign keeps a variable; false where the line sets none.
func (m *makefile) assign(name, value string) bool {
	bare := strings.TrimRight(strings.TrimSpace(name), ":?+!")
	op := strings.TrimSpace(name)[len(bare):]
	bare = strings.TrimSpace(bare)
	if bare == "" || strings.ContainsAny(bare, " \t:$") {
		return false
	}
	value = strings.TrimSpace(value)
	switch {
	case op == "!":
		m.recipes = append(m.recipes, value)
	case op == "+":
		m.vars[bare] = strings.TrimSpace(m.vars[bare] + " " + value)
	case op == "?" && m.vars[bare] != "":
	default:
		for _, name := range m.fixed {
			if name == bare {
				return true
			}
		}
		m.vars[bare] = value
	}
	m.expand(value, 0) // for what $(shell) in it starts
	return true
}

func (m *makefile) recipe(line string) {
	if len(m.recipes) < maxSearched {
		m.recipes = append(m.recipes, strings.TrimLeft(line, "@-+ \t"))
	}
}

// expand puts in the values of plain variables. What else is behind "$" is only
// known when it runs, and is a variable of the shell that nobody knows.
func (m *makefile) expand(text string, depth int) string {
	const unknown = "${MADE}"
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 >= len(text) || depth > 8 || b.Len() > maxFollowed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		name := text[:1]
		switch name {
		case "$":
			b.WriteByte('$')
			text = text[1:]
			continue
		case "(", "{":
			end := closing(text)
			if end < 0 {
				b.WriteString(unknown)
				continue
			}
			name, text = text[1:end], text[end+1:]
		default:
			text = text[1:]
		}
		value, known := m.vars[name]
		if command, is := strings.CutPrefix(name, "shell "); is && depth == 0 {
			m.recipe(command)
		}
		if !known {
			b.WriteString(unknown)
			continue
		}
		b.WriteString(m.expand(value, depth+1))
	}
}

// closing is where the bracket that text begins with ends, -1 where it does not.
func closing(text string) int {
	open, end := text[0], byte(')')
	if open == '{' {
		end = '}'
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// recipes notes the file of a runner that looks for it here and further up.
func (w *walker) recipes(name string, args []string, dir string) {
	files := map[string][]string{
		"just": {"justfile", "Justfile", "JUSTFILE", ".justfile"},
		"task": {"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"},
		"rake": {"rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"},
	}[strings.TrimPrefix(name, "go-")]
	named := false
	for _, file := range append(valuesOf(args, "-f", "--justfile", "--taskfile", "--rakefile"), valuesOf(args, "-t")...) {
		named = w.whole(w.join(dir, file), dir) || named
	}
	if named {
		return
	}
	for _, to := range valuesOf(args, "-d", "--working-directory", "--dir") {
		dir = w.join(dir, to)
	}
	for _, up := range w.upward(dir) {
		found := false
		for _, file := range files {
			found = w.whole(path.Join(up, file), dir) || found
		}
		if found {
			return
		}
	}
}
