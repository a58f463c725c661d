package history

import (
	"encoding/binary"
	"maps"
	"slices"
)

// CallIDs are the ids of calls, kept as hashes of 8 bytes: every call of a session is among
// them for as long as it lasts. Two ids with the same hash count as one. That costs an id
// that could have been given, and no call is taken for another by it.
type CallIDs map[uint64]struct{}

// Has says whether an id is among them.
func (c CallIDs) Has(id string) bool {
	_, has := c[hashOf(id)]
	return has
}

func (c CallIDs) add(id string) { c[hashOf(id)] = struct{}{} }

// hashOf is FNV-1a, which is the same in every process.
func hashOf(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h
}

// packed are the hashes as bytes, in order.
func (c CallIDs) packed() []byte {
	raw := make([]byte, 0, 8*len(c))
	for _, h := range slices.Sorted(maps.Keys(c)) {
		raw = binary.BigEndian.AppendUint64(raw, h)
	}
	return raw
}

// unpacked are the ids that packed gave; what is behind the last whole hash is left out.
func unpacked(raw []byte) CallIDs {
	c := make(CallIDs, len(raw)/8)
	for ; len(raw) >= 8; raw = raw[8:] {
		c[binary.BigEndian.Uint64(raw)] = struct{}{}
	}
	return c
}
