// Package skills finds and reads skills: folders with a SKILL.md that say how one kind of
// work is done. It reads the file systems that it is handed and knows no session, no
// workspace and no rule; what a skill says is only text here.
package skills

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/frontmatter"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Source is whose a skill is.
type Source string

// The sources.
const (
	Home      Source = "home"      // the person's
	Workspace Source = "workspace" // of a folder that the person trusts
)

// State is what becomes of a skill.
type State string

// The states.
const (
	Ready    State = "ready"
	Shadowed State = "shadowed" // another one with its name comes first
	Unusable State = "unusable" // its SKILL.md is no skill
)

// Bounds of what is read.
const (
	mostSkills     = 200
	mostNames      = 2000 // of a folder of skills that are looked at
	maxFileBytes   = 256 << 10
	maxDescription = 1024 // characters
	maxName        = 64   // bytes
	fileName       = "SKILL.md"
)

// Folder is a folder of skills.
type Folder struct {
	Source Source
	Path   string // as `read` and people name it
	Files  fs.FS  // what is in it; who hands it in decides where links may lead
}

// Skill is one skill, as far as it could be read.
type Skill struct {
	Name, Description string
	Source            Source
	Path              string // of its SKILL.md
	State             State
	Allowed           *Allowed // what may run once it is loaded; nil: it does not say
	Problems          []Problem

	body   string
	folder Folder
}

// Problem is what is wrong with a skill, at a line of its SKILL.md.
type Problem struct {
	File string
	Line int
	Text said.Text
}

// Found is what the folders have.
type Found struct {
	Skills   []Skill   // by folder, then by name
	Problems []Problem // of the folders themselves
}

// Look reads all skills of the folders. Of two with one name the first one counts, so the
// person's own folders come first.
func Look(folders []Folder) (found Found) {
	first := map[string]string{}
	for _, folder := range folders {
		names, problem := folder.Names(func(e fs.DirEntry) bool {
			return !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type()&fs.ModeSymlink != 0)
		})
		if !problem.IsZero() {
			found.Problems = append(found.Problems, Problem{folder.Path, 1, problem})
		}
		for _, name := range names {
			if len(found.Skills) == mostSkills {
				found.Problems = append(found.Problems, Problem{folder.Path, 1, said.That("there are more than %d skills; those from %s on are not read", mostSkills, control.Title(name, maxName))})
				return found
			}
			s, is := folder.skill(name)
			if !is {
				continue
			}
			if before, taken := first[name]; s.State == Ready && taken {
				s.State = Shadowed
				s.fail(1, said.That("the skill %s is already in %s; this one is not used", name, before))
			} else if s.State == Ready {
				first[name] = s.Path
			}
			found.Skills = append(found.Skills, s)
		}
	}
	return found
}

// Ready are the skills that can be loaded.
func (f Found) Ready() []Skill {
	return slices.DeleteFunc(slices.Clone(f.Skills), func(s Skill) bool { return s.State != Ready })
}

// Every is all that is wrong.
func (f Found) Every() []Problem {
	all := slices.Clone(f.Problems)
	for _, s := range f.Skills {
		all = append(all, s.Problems...)
	}
	return all
}

// Names are those in it that are wanted, in order.
func (d Folder) Names(wanted func(fs.DirEntry) bool) (names []string, problem said.Text) {
	f, err := d.Files.Open(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem
	}
	if err == nil {
		defer f.Close()
	}
	dir, is := f.(fs.ReadDirFile)
	if err == nil && !is {
		err = errors.New("not a folder")
	}
	if err != nil {
		return nil, said.That("the folder cannot be read: %s", Plain(err))
	}
	entries, err := dir.ReadDir(mostNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, said.That("the folder cannot be read: %s", Plain(err))
	}
	for _, e := range entries {
		if wanted(e) {
			names = append(names, e.Name())
		}
	}
	if len(entries) == mostNames {
		problem = said.That("there are more than %d names; the others are not looked at", mostNames)
	}
	slices.Sort(names)
	return names, problem
}

// skill reads one; is is false where the folder has no SKILL.md.
func (d Folder) skill(name string) (s Skill, is bool) {
	s = Skill{Name: name, Source: d.Source, Path: control.Title(d.Path+"/"+name+"/"+fileName, 0), State: Ready, folder: d}
	text, err := d.Text(path.Join(name, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false
	}
	if err != nil {
		s.Name = control.Title(name, maxName)
		s.unusable(1, said.That("the skill cannot be read: %s", Plain(err)))
		return s, true
	}
	if !form().MatchString(name) || len(name) > maxName {
		s.Name = control.Title(name, maxName)
		s.unusable(1, said.That("a skill's folder is named with at most %d small letters, digits and single hyphens", maxName))
		return s, true
	}
	s.read(text)
	return s, true
}

var errNotFile = errors.New("it is not a file")

type tooLarge struct{}

func (tooLarge) Error() string { return "it is larger than 256 KiB" }

// Text reads one file whole. Nothing but a regular file is opened: a pipe would wait.
func (d Folder) Text(name string) ([]byte, error) {
	info, err := fs.Stat(d.Files, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotFile
	}
	f, err := d.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if len(text) > maxFileBytes {
		return nil, tooLarge{}
	}
	return text, err
}

// form is that of names.
var form = lazy.Regexp(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// read takes in what a SKILL.md says.
func (s *Skill) read(text []byte) {
	members, body, err := frontmatter.Members(text)
	if wrong, is := errors.AsType[*frontmatter.Error](err); is {
		s.unusable(wrong.Line, said.Plain(wrong.Message))
		return
	}
	if !utf8.Valid(text) {
		s.fail(1, said.That("the file is not UTF-8 everywhere"))
	}
	s.body = strings.TrimSpace(strings.ToValidUTF8(body, "\uFFFD"))
	at := 1
	for _, m := range members {
		if take, known := takers[m.Key]; known {
			take(s, m)
		}
		if m.Key == "description" {
			at = m.Line
		}
	}
	if s.Description == "" {
		s.unusable(at, said.That("the skill has no description, which says when it is used"))
	}
}

// takers take the members that mean something here. Others are for other programs.
var takers = map[string]func(*Skill, frontmatter.Member){
	"name": func(s *Skill, m frontmatter.Member) {
		if m.Text != s.Name {
			s.fail(m.Line, said.That("the name %s is not that of its folder, which is used: %s", control.Title(m.Text, maxName), s.Name))
		}
	},
	"description": func(s *Skill, m frontmatter.Member) {
		if m.List != nil || m.Other {
			s.fail(m.Line, said.That("the description must be a text"))
			return
		}
		line := strings.Join(strings.Fields(m.Text), " ")
		if s.Description = control.Title(line, maxDescription); s.Description != line {
			s.fail(m.Line, said.That("the description is shown as at most %d characters, each of which can be seen", maxDescription))
		}
	},
	"allowed-tools": (*Skill).allow,
}

func (s *Skill) fail(line int, text said.Text) {
	s.Problems = append(s.Problems, Problem{s.Path, line, text})
}

func (s *Skill) unusable(line int, text said.Text) {
	s.State = Unusable
	s.fail(line, text)
}

// Plain is an error without the path, which stands before it.
func Plain(err error) string {
	if at, is := errors.AsType[*fs.PathError](err); is {
		err = at.Err
	}
	return control.Title(err.Error(), 200)
}
