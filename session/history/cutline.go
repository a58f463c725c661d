package history

import (
	"bytes"
	"strconv"
)

// cutLine takes a line apart where it is as Encode writes it, without reading
// its data, which is most of it: a log of 100 MB is opened in the time that the
// data alone takes. ok is false for a line in any other form, and nothing is said
// about whether data is JSON: who decodes it finds out.
func cutLine(raw []byte) (l line, ok bool) {
	rest, found := bytes.CutPrefix(raw, []byte(`{"seq":`))
	if !found {
		return l, false
	}
	if l.Seq, rest, ok = cutNumber(rest); !ok {
		return l, false
	}
	if after, found := bytes.CutPrefix(rest, []byte(`"afterSeq":`)); found {
		if l.After, rest, ok = cutNumber(after); !ok {
			return l, false
		}
	}
	if l.Time, rest, ok = cutWord(rest, `"time":"`); !ok {
		return l, false
	}
	if bytes.HasPrefix(rest, []byte(`"runId":"`)) {
		if l.Run, rest, ok = cutWord(rest, `"runId":"`); !ok {
			return l, false
		}
	}
	if l.Type, rest, ok = cutWord(rest, `"type":"`); !ok {
		return l, false
	}
	data, found := bytes.CutPrefix(rest, []byte(`"data":`))
	if !found || !bytes.HasSuffix(data, []byte("}}")) { // data is an object, and nothing follows it
		return l, false
	}
	l.Data = data[:len(data)-1]
	return l, true
}

// cutNumber takes a number and the comma behind it.
func cutNumber(b []byte) (n int64, rest []byte, ok bool) {
	digits, rest, found := bytes.Cut(b, []byte(","))
	if !found || len(digits) > 18 {
		return 0, nil, false
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, rest, err == nil && digits[0] != '+' && digits[0] != '0'
}

// cutWord takes a member whose text has nothing that JSON would escape, and the
// comma behind it.
func cutWord(b []byte, name string) (word string, rest []byte, ok bool) {
	b, found := bytes.CutPrefix(b, []byte(name))
	end := bytes.IndexByte(b, '"')
	if !found || end < 0 || end+1 >= len(b) || b[end+1] != ',' {
		return "", nil, false
	}
	for _, c := range b[:end] {
		if c < ' ' || c == '\\' || c >= 0x7f {
			return "", nil, false
		}
	}
	return string(b[:end]), b[end+2:], true
}
