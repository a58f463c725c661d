package proc

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// An order is JSON, which has only text, and a path is bytes: put in as it is, one that is
// no text would come out as another path, and nothing would be done to the one that was
// meant. A NUL, which no path has, begins what stands for such a path.

func textOf(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return "\x00" + base64.StdEncoding.EncodeToString([]byte(path))
}

func pathOf(text string) (string, error) {
	encoded, is := strings.CutPrefix(text, "\x00")
	if !is {
		return text, nil
	}
	path, err := base64.StdEncoding.DecodeString(encoded)
	return string(path), err
}

// plainConfinement is a Confinement whose paths are text.
type plainConfinement Confinement

// MarshalJSON writes every path so that UnmarshalJSON gives the same bytes.
func (c Confinement) MarshalJSON() ([]byte, error) {
	p := plainConfinement(c)
	for _, list := range []*[]string{&p.Read, &p.Write, &p.ReadOnly, &p.Hidden, &p.Shown} {
		var texts []string
		for _, path := range *list {
			texts = append(texts, textOf(path))
		}
		*list = texts
	}
	p.Own = nil
	for _, own := range c.Own {
		own.From, own.At = textOf(own.From), textOf(own.At)
		p.Own = append(p.Own, own)
	}
	p.Bubblewrap, p.Closed, p.Temp = textOf(c.Bubblewrap), textOf(c.Closed), textOf(c.Temp)
	return json.Marshal(p)
}

// UnmarshalJSON is the other end of MarshalJSON.
func (c *Confinement) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainConfinement)(c)); err != nil {
		return err
	}
	paths := []*string{&c.Bubblewrap, &c.Closed, &c.Temp}
	for _, list := range [][]string{c.Read, c.Write, c.ReadOnly, c.Hidden, c.Shown} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for i := range c.Own {
		paths = append(paths, &c.Own[i].From, &c.Own[i].At)
	}
	for _, path := range paths {
		var err error
		if *path, err = pathOf(*path); err != nil {
			return err
		}
	}
	return nil
}
