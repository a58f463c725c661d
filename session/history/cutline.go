package history

import "bytes"

// head is a line taken apart, as pieces of it.
type head struct {
	seq, after            int64
	time, run, kind, data []byte
}

// cutLine takes a line apart where it is as Encode writes it, without reading
// its data, which is most of it: a log of 100 MB is opened in the time that the
// data alone takes. ok is false for a line in any other form, and nothing is said
// about whether data is JSON: who decodes it finds out.
func cutLine(raw []byte) (l line, ok bool) {
	h, ok := cutHead(raw)
	if !ok {
		return l, false
	}
	return line{Seq: h.seq, After: h.after, Time: string(h.time), Run: string(h.run), Type: string(h.kind), Data: h.data}, true
}

// cutHead is cutLine for anyone who asks little of many lines: nothing is copied.
func cutHead(raw []byte) (h head, ok bool) {
	rest, found := bytes.CutPrefix(raw, []byte(`{"seq":`))
	if !found {
		return h, false
	}
	if h.seq, rest, ok = cutNumber(rest); !ok {
		return h, false
	}
	if after, found := bytes.CutPrefix(rest, []byte(`"afterSeq":`)); found {
		if h.after, rest, ok = cutNumber(after); !ok {
			return h, false
		}
	}
	if h.time, rest, ok = cutWord(rest, `"time":"`); !ok {
		return h, false
	}
	if bytes.HasPrefix(rest, []byte(`"runId":"`)) {
		if h.run, rest, ok = cutWord(rest, `"runId":"`); !ok {
			return h, false
		}
	}
	if h.kind, rest, ok = cutWord(rest, `"type":"`); !ok {
		return h, false
	}
	data, found := bytes.CutPrefix(rest, []byte(`"data":`))
	if !found || !bytes.HasSuffix(data, []byte("}}")) { // data is an object, and nothing follows it
		return h, false
	}
	h.data = data[:len(data)-1]
	return h, true
}

// cutNumber takes a number and the comma behind it.
func cutNumber(b []byte) (n int64, rest []byte, ok bool) {
	for i, c := range b[:min(len(b), 19)] {
		if c < '0' || c > '9' || c == '0' && i == 0 {
			return n, b[i+1:], c == ',' && i > 0
		}
		n = n*10 + int64(c-'0')
	}
	return 0, nil, false
}

// cutWord takes a member whose text has nothing that JSON would escape, and the
// comma behind it.
func cutWord(b []byte, name string) (word, rest []byte, ok bool) {
	b, found := bytes.CutPrefix(b, []byte(name))
	if !found {
		return nil, nil, false
	}
	for i, c := range b {
		if c == '"' {
			return b[:i], b[min(i+2, len(b)):], i+1 < len(b) && b[i+1] == ','
		}
		if c < ' ' || c == '\\' || c >= 0x7f {
			break
		}
	}
	return nil, nil, false
}
