package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// maxInstructions bounds what all AGENTS.md files may say together, in bytes.
const maxInstructions = 32 << 10

// instructions are the person's own, which lie in the sidecar's home, and those of
// the folders, which are read only where the person trusts them.
func (w *wiring) instructions(ofFolders func(room int64) []workspace.Instruction, trusted bool) []system.Layer {
	var found []workspace.Instruction
	room := int64(maxInstructions)
	if own, there := workspace.InstructionAt(filepath.Join(w.home, "AGENTS.md"), room); there {
		found, room = append(found, own), room-int64(len(own.Text))
	}
	if trusted {
		found = append(found, ofFolders(room)...)
	}
	return instructionLayers(found, w.home)
}

// instructionLayers are AGENTS.md files as the model reads them. What is missing of
// one is said, so that it can be read when it matters.
func instructionLayers(found []workspace.Instruction, home string) (layers []system.Layer) {
	for _, one := range found {
		l := system.Layer{Name: "instructions", Source: one.Path}
		head, rest := "# Instructions of the project, from "+one.Path, "; read the file for the rest"
		switch {
		case one.Below != "":
			head = fmt.Sprintf("# Instructions for files below %s, from %s", one.Below, one.Path)
		case filepath.Dir(one.Path) == home:
			head, rest = "# Instructions of the user", "" // no tool reads there
		}
		switch {
		case one.Problem != "":
			l.Note = "not read: it " + one.Problem
		case one.Cut:
			l.Note = fmt.Sprintf("cut: %d of %d bytes; all instructions together may have %d", len(one.Text), one.Bytes, maxInstructions)
			l.Text = strings.TrimSpace(fmt.Sprintf("%s\n\n%s", head, one.Text)) + fmt.Sprintf("\n\n[cut: these are the first %d of %d bytes%s]", len(one.Text), one.Bytes, rest)
		case one.Text == "":
			continue
		default:
			l.Text = head + "\n\n" + one.Text
		}
		layers = append(layers, l)
	}
	return layers
}
