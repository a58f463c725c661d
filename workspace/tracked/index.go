package tracked

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// index is what the index of git says about names. Its form is described in git's
// gitformat-index.
type index struct {
	names []string
	trees map[string]string // directories ("" is the top) whose tree the index knows to be the same
}

const (
	fixedEntry   = 62 // times, sizes, owners, the hash and the flags
	flagExtended = 0x4000
	hashBytes    = 20
)

// readIndex reads versions 2 to 4 with SHA-1. It fails at what it does not know: an index
// in two parts, one with whole directories as entries, an extension that readers must
// understand.
func readIndex(data []byte) (index, error) {
	idx := index{trees: map[string]string{}}
	if len(data) < 12+hashBytes || !bytes.HasPrefix(data, []byte("DIRC")) {
		return idx, errForm
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return idx, errForm
	}
	body, at, last := data[:len(data)-hashBytes], 12, ""
	for range count {
		name, next, ok := readEntry(body, at, version, last)
		if !ok || name == "" || strings.HasSuffix(name, "/") {
			return idx, errForm
		}
		idx.names = append(idx.names, name)
		at, last = next, name
	}
	for at < len(body) {
		if len(body) < at+8 {
			return idx, errForm
		}
		kind, size := string(body[at:at+4]), int(binary.BigEndian.Uint32(body[at+4:]))
		at += 8
		if size > len(body)-at {
			return idx, errForm
		}
		switch {
		case kind == "TREE":
			if rest, ok := idx.readTrees(body[at:at+size], ""); !ok || len(rest) > 0 {
				return idx, errForm
			}
		case kind[0] < 'A' || kind[0] > 'Z':
			return idx, errForm
		}
		at += size
	}
	return idx, nil
}

// readEntry reads the name of the entry at a place and says where the next one begins.
func readEntry(body []byte, at int, version uint32, last string) (name string, next int, ok bool) {
	if len(body) < at+fixedEntry {
		return "", 0, false
	}
	start := at
	flags := binary.BigEndian.Uint16(body[at+fixedEntry-2:])
	at += fixedEntry
	if flags&flagExtended != 0 {
		if at += 2; version < 3 {
			return "", 0, false
		}
	}
	if version == 4 { // a name says how much of the end of the last one goes
		cut, n := offset(body[min(at, len(body)):])
		if n == 0 || cut > len(last) {
			return "", 0, false
		}
		at += n
		last = last[:len(last)-cut]
	} else {
		last = ""
	}
	end := bytes.IndexByte(body[min(at, len(body)):], 0)
	if end < 0 {
		return "", 0, false
	}
	name, at = last+string(body[at:at+end]), at+end
	if version == 4 {
		return name, at + 1, true
	}
	return name, start + (at-start+8)/8*8, true
}

// offset is a number as git writes those of packs and of the index; n is 0 where it does
// not end.
func offset(data []byte) (value, n int) {
	for n < len(data) && n < 8 {
		b := data[n]
		if n++; n > 1 {
			value++
		}
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, n
		}
	}
	return 0, 0
}

// readTrees reads what the index remembers of trees: a name, how many entries it has
// (below 0: it changed), how many trees are in it, its hash.
func (idx index) readTrees(data []byte, at string) (rest []byte, ok bool) {
	name, after, ok := bytes.Cut(data, []byte{0})
	line, after, ended := bytes.Cut(after, []byte("\n"))
	entries, subtrees, two := strings.Cut(string(line), " ")
	count, err := strconv.Atoi(entries)
	inside, err2 := strconv.Atoi(subtrees)
	if !ok || !ended || !two || err != nil || err2 != nil || inside < 0 || strings.Count(at, "/") > 1000 {
		return nil, false
	}
	path := strings.TrimPrefix(at+"/"+string(name), "/")
	if count >= 0 {
		if len(after) < hashBytes {
			return nil, false
		}
		idx.trees[path] = hex.EncodeToString(after[:hashBytes])
		after = after[hashBytes:]
	}
	for range inside {
		if after, ok = idx.readTrees(after, path); !ok {
			return nil, false
		}
	}
	return after, true
}
