package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Kind is what can be at a path.
type Kind int

// The kinds; the zero Kind is nothing at all.
const (
	Nothing Kind = iota
	File
	Link
	Dir
	// Special is a pipe, a socket or a device: it contains nothing, and its Hash is what it is
	// known by.
	Special
)

// Image is what was, is or shall be at a path. The zero Image is nothing.
type Image struct {
	Kind Kind
	Hash string      // hex sha256 of a file's content, of where a link leads, or of an identity; "" unknown
	Mode fs.FileMode // permission bits of a file or directory as Rights has them; 0 unknown
	Kept bool        // Hash is the name of a kept content
	// Unsaved says that this is what an editor shows and has not saved: it can be
	// changed there, as a text, and neither moved nor taken away.
	Unsaved bool
}

// noRights is the Mode of a file or directory that has no permission bit, which is known.
const noRights = fs.ModePerm + 1

// Rights are the permission bits of a mode as an Image has them.
func Rights(mode fs.FileMode) fs.FileMode {
	if mode.Perm() == 0 {
		return noRights
	}
	return mode.Perm()
}

// Name is the name of a kept image, the `checkpoint` of a change: the hash of its
// content, and where its mode is known or it is no file a dot and its kind and mode
// as git writes them: 100755, 120000 for a link, 040755 for a directory.
func (i Image) Name() string {
	switch {
	case i.Kind == Link:
		return i.Hash + ".120000"
	case i.Kind == Dir:
		return fmt.Sprintf("%s.040%03o", HashOf(nil), i.Mode.Perm())
	case i.Kind == File && i.Mode != 0:
		return fmt.Sprintf("%s.100%03o", i.Hash, i.Mode.Perm())
	}
	return i.Hash
}

// Parse reads what Name wrote; false for anything else.
func Parse(name string) (Image, bool) {
	hash, mark, marked := strings.Cut(name, ".")
	if raw, err := hex.DecodeString(hash); err != nil || len(raw) != sha256.Size || strings.ToLower(hash) != hash {
		return Image{}, false
	}
	i := Image{Kind: File, Hash: hash, Kept: true}
	if !marked {
		return i, true
	}
	if len(mark) != 6 {
		return Image{}, false
	}
	perm, err := strconv.ParseUint(mark[3:], 8, 9)
	i.Mode = Rights(fs.FileMode(perm))
	switch mark[:3] {
	case "100":
	case "120":
		i.Kind, i.Mode = Link, 0
	case "040":
		i.Kind, i.Hash, i.Kept = Dir, "", false
	default:
		return Image{}, false
	}
	return i, err == nil
}

// HashOf is the hex sha256 of a content.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Same tells whether two images are one and the same content. A change says of a
// file or link only its hash.
func (i Image) Same(j Image) bool {
	switch {
	case i.Kind == Nothing || j.Kind == Nothing, i.Kind == Dir || j.Kind == Dir:
		return i.Kind == j.Kind
	}
	return i.Hash != "" && i.Hash == j.Hash
}
