package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// instructionsName is what projects call their words to agents.
const instructionsName = "AGENTS.md"

// So many of these files are read, and so many directories looked into, whatever
// documents a client names.
const (
	mostInstructions = 32
	mostInstructed   = 512
)

// Instruction is one AGENTS.md of the folders.
type Instruction struct {
	Path    string // as tools name the file
	Below   string // the directory that it is about, as tools name it; "" for all of a folder
	Text    string // valid UTF-8; "" where nothing of it was read
	Bytes   int64  // of the whole file
	Cut     bool   // Text is not all of it, for want of room
	Problem string // why the file was not read at all, "" otherwise
}

// guides are the words of the folders to agents.
type guides struct{ *places }

// Instructions are the AGENTS.md of every folder, and those of the directories
// from there down to each of the documents (URIs; what is elsewhere is passed
// over). Together their texts are at most room bytes, given to them in this
// order: a file that joins later takes nothing from one that was before it,
// and the prefix of the prompt stays.
//
// A repository brings these files, so only a regular file that is where its
// name says is read: a link may lead to anything, a named pipe waits for ever.
// Directories that git ignores are passed over: what is there was installed,
// and nobody has read it.
func (g *guides) Instructions(documents []string, room int64) []Instruction {
	var out []Instruction
	for _, dir := range g.instructed(documents) {
		one, there := g.instruction(dir, room)
		if !there {
			continue
		}
		if len(out) == mostInstructions {
			break
		}
		room -= int64(len(one.Text))
		out = append(out, one)
	}
	return out
}

// instructed are the directories to look into, absolute: the folders, then those
// above each document.
func (g *guides) instructed(documents []string) []string {
	dirs := g.Roots()
	known := map[string]bool{}
	for _, d := range dirs {
		known[pathname.Fold(d)] = true
	}
	for _, uri := range documents {
		for _, d := range g.above(uri) {
			if !known[pathname.Fold(d)] && len(dirs) < mostInstructed {
				known[pathname.Fold(d)] = true
				dirs = append(dirs, d)
			}
		}
	}
	return dirs
}

// above are the directories from a folder down to the one that a document lies
// in, as far as git does not ignore them.
func (g *guides) above(uri string) []string {
	abs, ok := pathOfURI(uri)
	if !ok {
		return nil
	}
	p, err := g.locate(abs, true)
	if err != nil || p.root == nil {
		return nil
	}
	deepest := p.abs
	if info, err := os.Lstat(deepest); err != nil || !info.IsDir() {
		deepest = filepath.Dir(deepest)
	}
	if _, in := pathname.Below(p.root.Real, deepest); !in {
		return nil
	}
	var out []string
	for _, dir := range downTo(p.root.Real, deepest) {
		at, err := g.locate(dir, true)
		if err != nil || at.abs != dir {
			break
		}
		if _, ignored := g.rulesFor(at); ignored {
			break
		}
		out = append(out, dir)
	}
	return out
}

// instruction reads the file of one directory; there is false where it has none.
func (g *guides) instruction(dir string, room int64) (one Instruction, there bool) {
	abs := filepath.Join(dir, instructionsName)
	if _, err := os.Lstat(abs); err != nil {
		return one, false
	}
	p, err := g.entry(abs)
	if err != nil || p.abs != abs {
		return one, false // it has moved since
	}
	one.Path = pathname.Printable(p.Display()) // a directory of a repository may be called anything
	if below := path.Dir(p.rel); below != "." {
		one.Below = strings.TrimSuffix(one.Path, instructionsName)
	}
	if p.visible() != nil {
		one.Problem = "is hidden from tools by .agentignore"
		return one, true
	}
	if to, err := g.Path(abs); err != nil || to.abs != abs {
		one.Problem = "is a link, not a file"
		return one, true
	}
	f, info, err := p.open()
	if errors.Is(err, fs.ErrNotExist) {
		return one, false
	}
	if err != nil {
		one.Problem = openat.Plain(err).Error()
		return one, true
	}
	defer f.Close()
	one.read(f, info.Size(), room)
	return one, true
}

// InstructionAt reads a file of the person's own, outside every folder; there is
// false where no regular file lies. A link is followed: the person made it.
func InstructionAt(abs string, room int64) (one Instruction, there bool) {
	info, err := os.Stat(abs)
	if err != nil || !info.Mode().IsRegular() {
		return one, false
	}
	one.Path = abs
	f, err := durable.Open(abs)
	if err != nil {
		one.Problem = fmt.Sprintf("cannot be read: %v", openat.Plain(err))
		return one, true
	}
	defer f.Close()
	one.read(f, info.Size(), room)
	return one, true
}

// read takes in what there is room for, of a file of so many bytes.
func (one *Instruction) read(f io.Reader, bytesOfAll, room int64) {
	one.Bytes = bytesOfAll
	head, err := io.ReadAll(io.LimitReader(f, max(room, 0)+utf8.UTFMax))
	switch {
	case err != nil:
		one.Problem = fmt.Sprintf("cannot be read: %v", openat.Plain(err))
	case bytes.IndexByte(head, 0) >= 0:
		one.Problem = "is not text"
	default:
		one.Text, one.Cut = fitted(head, room, bytesOfAll > int64(len(head)))
	}
}

// fitted is the beginning of a text that has room, whole lines where it can be.
// more says that raw is not all there is.
func fitted(raw []byte, room int64, more bool) (text string, cut bool) {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.TrimPrefix(string(raw), "\uFEFF"), "\uFFFD"))
	if int64(len(text)) <= room && !more {
		return text, false
	}
	n := int(min(max(room, 0), int64(len(text))))
	if line := strings.LastIndexByte(text[:n], '\n'); line > n/2 {
		return text[:line], true
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], true
}
