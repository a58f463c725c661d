package rpc

import "encoding/json"

// clearable is a member that null clears, which is not the same as its absence
// (protocol §1). The zero clearable is an absent one.
type clearable[T any] struct {
	given *T // nil: absent. For null it is the zero T, or what T makes of null
}

// UnmarshalJSON is called for null too.
func (c *clearable[T]) UnmarshalJSON(raw []byte) error {
	c.given = new(T)
	return json.Unmarshal(raw, c.given)
}
