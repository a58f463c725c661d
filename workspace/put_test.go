package workspace

import (
	"errors"
	"testing"
)

// Who holds a file takes the last look himself: between what was checked and what is
// written the person may type, and what was planned for the disk is not written below
// unsaved text, nor an edit of one text into another.
func TestPutTakesTheLastLook(t *testing.T) {
	for _, row := range []struct {
		name          string
		opened, typed string // in the editor when the call is planned, and when it is done
		canEdit       bool
		want          error // nil: any
	}{
		{"into a clean document", "disk\n", "typed\n", true, errTyped},
		{"where we cannot edit", "disk\n", "typed\n", false, nil},
		{"on", "typed\n", "typed on\n", true, errChanged},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"f": "disk\n"})
			if row.canEdit {
				r.v.editor = &atEditor{v: r.v}
			}
			p, err := r.v.Path("f")
			if err != nil {
				t.Fatal(err)
			}
			r.v.DidOpen(p.URI(), 1, "disk\n")
			r.v.DidChange(p.URI(), 2, row.opened)
			was, err := r.v.snapshot(p)
			if err != nil {
				t.Fatal(err)
			}
			r.v.DidChange(p.URI(), 3, row.typed)
			r.v.changing.Lock()
			err = r.v.put(t.Context(), change{path: p, was: was, data: []byte("ours\n"), from: row.opened, to: "ours\n"})
			r.v.changing.Unlock()
			if err == nil || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("put: %v, want %v", err, row.want)
			}
			if text, _, _ := r.v.Buffer(p.URI()); text != row.typed || r.file("f") != "disk\n" {
				t.Errorf("in the editor %q, on the disk %q", text, r.file("f"))
			}
		})
	}
}

// What a patch that fails half way puts back is only what still is as it left it:
// somebody may have changed it or typed into it meanwhile.
func TestTakeBackLeavesWhatOthersDid(t *testing.T) {
	for name, since := range map[string]func(r *room, uri string){
		"changed":    func(r *room, _ string) { r.put(map[string]string{"f": "theirs\n", "n": "theirs\n"}) },
		"typed into": func(r *room, uri string) { r.v.DidOpen(uri, 1, "ours\n"); r.v.DidChange(uri, 2, "typed\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"f": "was\n"})
			r.v.changing.Lock()
			defer r.v.changing.Unlock()
			for _, file := range []string{"f", "n"} {
				p, err := r.v.Path(file)
				if err != nil {
					t.Fatal(err)
				}
				was, err := r.v.snapshot(p)
				if err != nil {
					t.Fatal(err)
				}
				c := change{path: p, was: was, data: []byte("ours\n"), to: "ours\n"}
				if err := r.v.put(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				since(r, p.URI())
				now := r.file(file)
				if err := r.v.takeBack(t.Context(), c); err == nil || r.file(file) != now {
					t.Errorf("%s: %v, holds %q, want %q", file, err, r.file(file), now)
				}
			}
		})
	}
}
