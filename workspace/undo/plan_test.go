package undo

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// forest is a Tree in memory: path → content; "/" stands for a directory and
// "→x" for a link.
type forest struct {
	files map[string]string
	modes map[string]string // octal, of those that are not usual
	kept  []string
	no    map[string]string // paths where nothing may be done
}

func (f forest) Look(path string) (Image, error) {
	if why := f.no[path]; why != "" {
		return Image{}, errors.New(why)
	}
	text, ok := f.files[path]
	switch {
	case !ok:
		return Image{}, nil
	case text == "/":
		return Image{Kind: Dir, Mode: 0o755}, nil
	case strings.HasPrefix(text, "→"):
		return Image{Kind: Link, Hash: HashOf([]byte(text))}, nil
	}
	i := Image{Kind: File, Hash: HashOf([]byte(text)), Mode: 0o644}
	if m := f.modes[path]; m != "" {
		named, _ := Parse(i.Hash + ".100" + m)
		i.Mode = named.Mode
	}
	return i, nil
}

func (f forest) Inside(dir string) (dirs, others []string, ok bool) {
	for path, text := range f.files {
		switch {
		case !strings.HasPrefix(path, dir+"/"):
		case text == "/":
			dirs = append(dirs, path)
		default:
			others = append(others, path)
		}
	}
	return dirs, others, true
}

func (f forest) Read(path string) ([]byte, error) { return []byte(f.files[path]), nil }

func (f forest) Load(hash string) ([]byte, error) {
	for _, k := range f.kept {
		if HashOf([]byte(k)) == hash {
			return []byte(k), nil
		}
	}
	return nil, errors.New("not there")
}

// story reads changes: "a: x → y" modified, "a: → y" created, "a: x →" deleted,
// "a ⇒ b: x" moved, "a/ →" and "→ a/" a directory that went or came.
func story(lines string) (changes []tool.Change, kept []string) {
	hash := func(s string) string {
		if s == "" {
			return ""
		}
		return HashOf([]byte(s))
	}
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		dir := Image{Kind: Dir, Mode: 0o750}.Name()
		if at, ok := strings.CutSuffix(line, "/ →"); ok {
			changes = append(changes, tool.Change{Path: at, Kind: "deleted", Checkpoint: dir})
			continue
		}
		if at, ok := strings.CutPrefix(line, "→ "); ok {
			changes = append(changes, tool.Change{Path: strings.TrimSuffix(at, "/"), Kind: "created", Checkpoint: dir})
			continue
		}
		path, what, _ := strings.Cut(line, ": ")
		if from, to, moved := strings.Cut(path, " ⇒ "); moved {
			changes = append(changes, tool.Change{Path: to, From: from, Kind: "moved", Before: hash(what), After: hash(what), Checkpoint: hash(what)})
			continue
		}
		before, after, _ := strings.Cut(what, "→")
		before, after = strings.TrimSpace(before), strings.TrimSpace(after)
		c := tool.Change{Path: path, Kind: "modified", Before: hash(before), After: hash(after), Checkpoint: hash(before)}
		switch {
		case before == "":
			c.Kind = "created"
		case after == "":
			c.Kind = "deleted"
		}
		changes = append(changes, c)
		kept = append(kept, before, after)
	}
	return changes, kept
}

func (s Step) String() string {
	want := map[Kind]string{Nothing: "nothing", File: "file", Link: "link", Dir: "dir"}[s.Want.Kind]
	switch {
	case s.From != "":
		return s.From + " ⇒ " + s.Path
	case s.Data != nil:
		want = fmt.Sprintf("%q", s.Data)
	case s.Want.Kind == File:
		want = s.Want.Hash[:4]
	}
	if s.Mode {
		want += fmt.Sprintf(" %o", s.Want.Mode)
	}
	return s.Path + " = " + want
}

func TestMake(t *testing.T) {
	x := func(s string) string { return HashOf([]byte(s))[:4] }
	for _, row := range []struct {
		name, story string
		now         map[string]string
		merge       bool
		want        string // steps and conflicts, separated by "; "
		gone        []string
	}{
		{name: "modified", story: "a: x → y", now: map[string]string{"a": "y"}, want: "a = " + x("x")},
		{name: "created", story: "a: → y", now: map[string]string{"a": "y"}, want: "a = nothing"},
		{name: "deleted", story: "a: x →", want: "a = " + x("x")},
		{name: "several", story: "a: x → y\nb: → 1\na: y → z", now: map[string]string{"a": "z", "b": "1"}, want: "a = " + x("x") + "; b = nothing"},
		{name: "created and deleted", story: "a: → y\na: y →", want: ""},
		{name: "deleted and made anew", story: "a: x →\na: → y", now: map[string]string{"a": "y"}, want: "a = " + x("x")},
		{name: "moved", story: "a ⇒ b: x", now: map[string]string{"b": "x"}, want: "a ⇒ b"[:0] + "b ⇒ a"},
		{name: "moved and changed", story: "a ⇒ b: x\nb: x → y", now: map[string]string{"b": "y"}, want: "a = " + x("x") + "; b = nothing"},
		{name: "changed and moved", story: "a: x → y\na ⇒ b: y", now: map[string]string{"b": "y"}, want: "a = " + x("x") + "; b = nothing"},
		{name: "moved twice", story: "a ⇒ b: x\nb ⇒ c: x", now: map[string]string{"c": "x"}, want: "c ⇒ a"},
		{name: "moved there and back", story: "a ⇒ b: x\nb ⇒ a: x", now: map[string]string{"a": "x"}, want: ""},
		{name: "swapped", story: "a ⇒ t: x\nb ⇒ a: y\nt ⇒ b: x\na: y → 1\na: 1 → y\nb: x → 2\nb: 2 → x", now: map[string]string{"a": "y", "b": "x"}, want: "a = " + x("x") + "; b = " + x("y")},
		{name: "an undo in between", story: "a: x → y\na: y → z\na: z → y", now: map[string]string{"a": "y"}, want: "a = " + x("x")},
		{name: "an undo undone", story: "a: y → x", now: map[string]string{"a": "x"}, want: "a = " + x("y")},
		{name: "a directory", story: "d/f: x →\nd/e/ →\nd/ →", want: "d = dir; d/e = dir; d/f = " + x("x")},
		{name: "a directory made", story: "→ d/\n→ d/e/\nd/e/f: → x", now: map[string]string{"d": "/", "d/e": "/", "d/e/f": "x"}, want: "d/e/f = nothing; d/e = nothing; d = nothing"},

		{name: "a file in place of a directory", story: "d/ →\nd/e/f: x →\nd/e/ →\nd: → y", now: map[string]string{"d": "y"}, want: "d = nothing; d = dir; d/e = dir; d/e/f = " + x("x")},
		{name: "a directory in place of a file", story: "f: x →\n→ f/\nf/g: → y", now: map[string]string{"f": "/", "f/g": "y"}, want: "f/g = nothing; f = nothing; f = " + x("x")},
		{name: "an empty directory in place of a file", story: "f: x →", now: map[string]string{"f": "/"}, want: "f = nothing; f = " + x("x")},
		{name: "directories in place of a file", story: "f: x →\nf/d/g: → y", now: map[string]string{"f": "/", "f/d": "/", "f/d/g": "y"}, want: "f/d/g = nothing; f/d = nothing; f = nothing; f = " + x("x")},
		{name: "a directory in place of a file, somebody's in it", story: "f: x →\nf/g: → y", now: map[string]string{"f": "/", "f/g": "y", "f/h": "mine"}, want: "f/g = nothing; f! appeared_since"},
		{name: "a file in place of a directory, changed since", story: "d/ →\nd: → y", now: map[string]string{"d": "mine"}, want: "d! changed_since"},
		{name: "a file in place of a directory, back already", story: "d/ →\nd/f: x →\nd: → y", now: map[string]string{"d": "/"}, want: "d/f = " + x("x")},
		{name: "a file that went into a directory of its name", story: "f ⇒ f/g: q\n→ f/", now: map[string]string{"f": "/", "f/g": "q"}, want: `f/g = nothing; f = nothing; f = "q"`},
		{name: "a file that took the place of its directory", story: "d/ →\nd/f ⇒ d: q", now: map[string]string{"d": "q"}, want: `d = nothing; d = dir; d/f = "q"`},

		{name: "back already", story: "a: x → y", now: map[string]string{"a": "x"}, want: ""},
		{name: "half back", story: "a: x → y\na: y → z\nb: → 1\nb ⇒ c: 1", now: map[string]string{"a": "x", "c": "1"}, want: "c = nothing"},
		{name: "half back, moved", story: "a ⇒ b: x\nb: x → y", now: map[string]string{"a": "x", "b": "y"}, want: "b = nothing"},

		{name: "changed since", story: "a: x → y\nb: x → y", now: map[string]string{"a": "mine", "b": "y"}, want: "b = " + x("x") + "; a! changed_since"},
		{name: "a created file changed since", story: "a: → y", now: map[string]string{"a": "mine"}, want: "a! changed_since"},
		{name: "the same, merging", story: "a: → y", now: map[string]string{"a": "mine"}, merge: true, want: "a! changed_since"},
		{name: "deleted since", story: "a: x → y", want: "a! deleted_since"},
		{name: "a created file deleted since", story: "a: → y", want: ""},
		{name: "made anew since", story: "a: x →", now: map[string]string{"a": "mine"}, want: "a! appeared_since"},
		{name: "now a directory", story: "a: x → y", now: map[string]string{"a": "/"}, want: "a! changed_since"},
		{name: "now a link", story: "a: x → y", now: map[string]string{"a": "→y"}, want: "a! changed_since"},
		{name: "changed in between", story: "a: x → y\na: mine → z", now: map[string]string{"a": "z"}, want: "a! changed_between"},
		{name: "made in between", story: "a: x →\na: mine → y", now: map[string]string{"a": "y"}, want: "a! changed_between"},
		{name: "moved, changed since", story: "a ⇒ b: x", now: map[string]string{"b": "mine"}, want: "b! changed_since"},
		{name: "moved, another at its old place", story: "a ⇒ b: x", now: map[string]string{"a": "mine", "b": "x"}, want: "a! appeared_since"},
		{name: "not kept any more", story: "a: x → y", now: map[string]string{"a": "y"}, gone: []string{"x"}, want: "a! not_kept_now"},
		{name: "a link on the way", story: "a: x → y", now: map[string]string{"a": "y", "no:a": "leads elsewhere"}, want: "a! leads elsewhere"},
		{name: "more than is named", story: ".:  → y\nb: x → y", now: map[string]string{"b": "y"}, want: "b = " + x("x") + "; .! too_many"},
		{name: "a list that could not be read", story: ".: x → y\nb: x → y", now: map[string]string{"b": "y"}, want: "b = " + x("x") + "; .! not_kept_now"},

		{name: "merged", story: "a: 1\\2\\3 → one\\2\\3", now: map[string]string{"a": "one\\2\\three"}, merge: true, want: `a = "1\n2\nthree"`},
		{name: "merged over two changes", story: "a: 1\\2\\3\\4\\5 → 1\\2\\3\\4\\V\na: 1\\2\\3\\4\\V → I\\2\\3\\4\\V", now: map[string]string{"a": "I\\2\\mine\\4\\V"}, merge: true, want: `a = "1\n2\nmine\n4\n5"`},
		{name: "merged where somebody came in between", story: "a: 1\\2\\3 → I\\2\\3\na: I\\2\\mine → I\\2\\mine\\4", now: map[string]string{"a": "I\\2\\mine\\4"}, merge: true, want: `a = "1\n2\nmine"`},
		{name: "overlaps", story: "a: 1\\2 → I\\2", now: map[string]string{"a": "mine\\2"}, merge: true, want: "a! overlaps"},
		{name: "touches", story: "a: 1\\2 → I\\2", now: map[string]string{"a": "I\\mine"}, merge: true, want: "a! overlaps"},
		{name: "left not kept", story: "a: 1 → I", now: map[string]string{"a": "I\\mine"}, merge: true, gone: []string{"I"}, want: "a! left_not_kept"},
		{name: "not text", story: "a: 1 → I\x00", now: map[string]string{"a": "I\x00\\mine"}, merge: true, want: "a! not_text"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := func(s string) string { return strings.ReplaceAll(s, `\`, "\n") }
			f := forest{files: map[string]string{}, no: map[string]string{}}
			for path, content := range row.now {
				if at, no := strings.CutPrefix(path, "no:"); no {
					f.no[at] = content
				} else {
					f.files[path] = text(content)
				}
			}
			changes, kept := story(row.story)
			for i, c := range changes { // contents are written on one line
				for _, k := range kept {
					for _, h := range []*string{&c.Before, &c.After, &c.Checkpoint} {
						if *h == HashOf([]byte(k)) {
							*h = HashOf([]byte(text(k)))
						}
					}
				}
				changes[i] = c
			}
			for _, k := range kept {
				if !slices.Contains(row.gone, k) {
					f.kept = append(f.kept, text(k))
				}
			}
			p := Make(changes, f, row.merge)
			var got []string
			for _, s := range p.Steps {
				got = append(got, s.String())
			}
			for _, c := range p.Conflicts {
				got = append(got, c.Path+"! "+string(c.Reason))
			}
			if s := strings.Join(got, "; "); s != row.want {
				t.Errorf("got  %s\nwant %s", s, row.want)
			}
		})
	}
}

// A command that only changed a mode is undone by the mode.
func TestMakeMode(t *testing.T) {
	hash := HashOf([]byte("x"))
	changes := []tool.Change{{Path: "a", Kind: "modified", Before: hash, After: hash, Checkpoint: hash + ".100644"}}
	f := forest{files: map[string]string{"a": "x"}, modes: map[string]string{"a": "755"}}
	if p := Make(changes, f, false); len(p.Steps) != 1 || p.Steps[0].String() != "a = "+hash[:4]+" 644" {
		t.Error(p)
	}
	f.modes = nil
	if p := Make(changes, f, false); len(p.Steps)+len(p.Conflicts) != 0 {
		t.Error(p)
	}
	// A mode that the person gave a file is no business of a changed text.
	changes[0].After = HashOf([]byte("y"))
	f = forest{files: map[string]string{"a": "y"}, modes: map[string]string{"a": "755"}, kept: []string{"x"}}
	if p := Make(changes, f, false); len(p.Steps) != 1 || p.Steps[0].Mode {
		t.Error(p)
	}
}

// What was too large to be kept or looked at cannot be undone, and a file is never
// removed that nobody can say to be the agent's.
func TestMakeNeverKept(t *testing.T) {
	f := forest{files: map[string]string{"a": "x"}}
	for _, c := range []tool.Change{
		{Path: "a", Kind: "modified", Before: HashOf([]byte("1")), After: HashOf([]byte("x"))},
		{Path: "a", Kind: "modified"},
		{Path: "a", Kind: "created"},
		{Path: "b", Kind: "deleted", Before: HashOf([]byte("1"))},
		{Path: "b", Kind: "deleted"},
	} {
		p := Make([]tool.Change{c}, f, true)
		if len(p.Steps) != 0 || len(p.Conflicts) != 1 || p.Conflicts[0].Reason != tool.NeverKept {
			t.Errorf("%s: %+v", c.Kind, p)
		}
	}
}

func TestName(t *testing.T) {
	hash := HashOf([]byte("x"))
	for name, want := range map[string]Image{
		hash:                    {Kind: File, Hash: hash, Kept: true},
		hash + ".100755":        {Kind: File, Hash: hash, Mode: 0o755, Kept: true},
		hash + ".100600":        {Kind: File, Hash: hash, Mode: 0o600, Kept: true},
		hash + ".100000":        {Kind: File, Hash: hash, Mode: noRights, Kept: true},
		HashOf(nil) + ".040000": {Kind: Dir, Mode: noRights},
		hash + ".120000":        {Kind: Link, Hash: hash, Kept: true},
		HashOf(nil) + ".040750": {Kind: Dir, Mode: 0o750},
	} {
		got, ok := Parse(name)
		if !ok || got != want || got.Name() != name {
			t.Errorf("%s: %+v %v, named %s", name, got, ok, got.Name())
		}
	}
	for _, bad := range []string{"", "x", hash[:63], strings.ToUpper(hash), hash + ".", hash + ".755", hash + ".1007555", hash + ".160000", hash + ".100999", hash + "/../x"} {
		if got, ok := Parse(bad); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("1\n2\n3\n", "1\n2\nthree\n", "one\n2\n3\n")
	f.Add("", "a", "b\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if len(base)+len(ours)+len(theirs) > 2000 {
			return
		}
		merged, ok := Merge([]byte(base), []byte(ours), []byte(theirs))
		other, okOther := Merge([]byte(base), []byte(theirs), []byte(ours))
		if ok != okOther || ok && string(merged) != string(other) {
			t.Fatalf("sides matter: %q %q", merged, other)
		}
		if alone, ok := Merge([]byte(base), []byte(ours), []byte(base)); ok && string(alone) != ours {
			t.Fatalf("one side alone: %q", alone)
		}
	})
}

// What is held back stays, with all its names, unless it is what it was already.
func TestMakeHeld(t *testing.T) {
	f := forest{files: map[string]string{"b": "x", "back": "1"}}
	h := func(text string) string { return HashOf([]byte(text)) }
	p := Make([]tool.Change{
		{Path: "a", Kind: "modified", Before: h("1"), After: h("x"), Held: tool.Shared, With: []string{"s/1"}},
		{Path: "b", From: "a", Kind: "moved", Before: h("x"), After: h("x")},
		{Path: "back", Kind: "modified", Before: h("1"), After: h("x"), Held: tool.Shared},
	}, f, true)
	want := []tool.Conflict{{Path: "a", Reason: tool.Shared, With: []string{"s/1"}}, {Path: "b", Reason: tool.Shared, With: []string{"s/1"}}}
	if len(p.Steps) != 0 || !reflect.DeepEqual(p.Conflicts, want) {
		t.Errorf("%+v", p)
	}
}
