package workspace

import (
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// A part of a file does not say what is a secret: the middle of a private key is
// letters like any others. So secrets are looked for in the whole file, and in a large
// one around what is shown and at its beginning.
const (
	wholeSecrets  = 8 << 20   // bytes of a file that is looked through as a whole
	aroundSecrets = 256 << 10 // bytes on each side of what is shown, beyond that
	headSecrets   = 64 << 10  // and of its beginning
	keptLooks     = 64        // files
	keptFound     = 1000      // secrets of one
	mostElsewhere = 128       // secrets told of that are not shown themselves
	leastAlone    = 8         // bytes of one
)

// secretReader finds the secrets of files. It remembers where they stand, and nothing
// of what they say.
type secretReader struct {
	find func(text string) []tool.Secret // nil: nothing is looked for

	mu    sync.Mutex // guards everything below
	seed  maphash.Seed
	known map[fileText][]tool.Secret
	order []fileText // the latest last
}

// fileText names a content: one that was looked through is known again whatever its
// file is called, and no change is missed within the same tick of a clock.
type fileText struct {
	hash uint64
	size int
}

// span is a range of the bytes of a text.
type span struct{ from, to int64 }

// fullText is a file that a part is shown of. text is nil where only a stream is there.
type fullText struct {
	text io.ReaderAt
	size int64
}

// near finds the secrets of a text which has something to say about the spans shown of
// it, and bytes of those that are elsewhere alone.
func (r *secretReader) near(text io.ReaderAt, size int64, shown []span) []tool.Secret {
	if r.find == nil || text == nil || len(shown) == 0 {
		return nil
	}
	var out []tool.Secret
	for _, s := range lookedAt(size, shown) {
		data := pieceOfText(text, s)
		for _, found := range r.of(data, size <= wholeSecrets) {
			at := found
			at.Start, at.End = found.Start+int(s.from), found.End+int(s.from)
			if !touches(shown, int64(at.Start), int64(at.End)) {
				if !at.Bare || at.Part || at.End-at.Start < leastAlone {
					continue
				}
				at.Text = string(data[found.Start:found.End])
			}
			out = append(out, at)
		}
	}
	return out
}

// inMemory is a text that nobody changes.
type inMemory []byte

// ReadAt implements io.ReaderAt.
func (t inMemory) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(t).ReadAt(b, at) }

// pieceOfText is a part of a text, its lines ending as usual: what is left of it, where the
// text has become shorter.
func pieceOfText(text io.ReaderAt, s span) []byte {
	if held, is := text.(inMemory); is {
		data := held[min(s.from, int64(len(held))):min(s.to, int64(len(held)))]
		if lineEndByte(data) != '\r' {
			return data
		}
	}
	data := make([]byte, s.to-s.from)
	n, _ := text.ReadAt(data, s.from)
	return plainEnds(data[:n])
}

// of finds the secrets of a text, once.
func (r *secretReader) of(data []byte, keep bool) []tool.Secret {
	if !keep {
		return r.find(string(data))
	}
	r.mu.Lock()
	if r.known == nil {
		r.seed, r.known = maphash.MakeSeed(), map[fileText][]tool.Secret{}
	}
	seed := r.seed
	r.mu.Unlock()
	name := fileText{maphash.Bytes(seed, data), len(data)}
	r.mu.Lock()
	found, is := r.known[name]
	r.mu.Unlock()
	if is {
		return found
	}
	found = r.find(string(data))
	if len(found) > keptFound {
		return found
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, is := r.known[name]; !is {
		if len(r.order) == keptLooks {
			delete(r.known, r.order[0])
			r.order = r.order[1:]
		}
		r.known[name], r.order = found, append(r.order, name)
	}
	return found
}

// lookedAt are the parts of a text of size bytes that are looked through, in order and
// apart: all of it, or what is around each span shown, and its beginning.
func lookedAt(size int64, shown []span) []span {
	if size <= wholeSecrets {
		return []span{{0, size}}
	}
	parts := []span{{0, headSecrets}}
	for _, s := range shown {
		parts = append(parts, span{max(0, s.from-aroundSecrets), min(size, s.to+aroundSecrets)})
	}
	slices.SortFunc(parts, func(a, b span) int { return int(a.from - b.from) })
	out := parts[:1]
	for _, p := range parts[1:] {
		if last := &out[len(out)-1]; p.from <= last.to {
			last.to = max(last.to, p.to)
		} else {
			out = append(out, p)
		}
	}
	return out
}

func touches(shown []span, from, to int64) bool {
	return slices.ContainsFunc(shown, func(s span) bool { return from < s.to && to > s.from })
}

// spans are the lines of a page, as far as they can be shown.
func (pg *page) spans() []span {
	var out []span
	for i, line := range pg.lines {
		out = append(out, span{pg.at[i], pg.at[i] + int64(len(line))})
	}
	return out
}

// notShown are the secrets outside of what is shown.
func notShown(found []tool.Secret, shown []span) []tool.Secret {
	var out []tool.Secret
	for _, s := range found {
		if s.Text != "" && len(out) < mostElsewhere && !touches(shown, int64(s.Start), int64(s.End)) {
			out = append(out, tool.Secret{Kind: s.Kind, Text: s.Text, Bare: s.Bare})
		}
	}
	return out
}

// secretsOfLine are the secrets of a line which begins at at in its text, as they stand
// in an answer that has it from place on: decoded, and only its first bytes.
func secretsOfLine(found []tool.Secret, line []byte, at int64, decode func([]byte) string, bytes, place int) []tool.Secret {
	var out []tool.Secret
	for _, s := range found {
		from, to := max(int64(s.Start)-at, 0), min(int64(s.End)-at, int64(len(line)))
		if s.Text != "" || from >= to {
			continue
		}
		start := len(decode(line[:from]))
		end := start + len(decode(line[from:to]))
		cut := int64(s.Start) < at || int64(s.End) > at+int64(len(line)) || end > bytes
		if start < bytes {
			out = append(out, tool.Secret{Kind: s.Kind, Start: place + start, End: place + min(end, bytes), Part: s.Part || cut})
		}
	}
	return out
}

// from says of which file secrets are.
func from(p Path, secrets []tool.Secret) []tool.Secret {
	for i := range secrets {
		secrets[i].File = p.Object()
	}
	return secrets
}

// held is a file from its beginning on. One that is looked through as a whole is kept
// in memory, so that what is shown and what is looked through are the same.
func held(ctx context.Context, f io.Reader, size int64) (src io.Reader, text io.ReaderAt, length int64, err error) {
	if size > wholeSecrets {
		text, _ = f.(io.ReaderAt)
		return f, text, size, nil
	}
	var buf bytes.Buffer
	buf.Grow(int(size) + bytes.MinRead)
	n, err := buf.ReadFrom(io.LimitReader(watched{ctx, f}, wholeSecrets+1))
	switch {
	case err != nil:
		return nil, nil, 0, err
	case n > wholeSecrets: // it has grown
		text, _ = f.(io.ReaderAt)
		return io.MultiReader(&buf, f), text, n, nil
	}
	return bytes.NewReader(buf.Bytes()), inMemory(buf.Bytes()), n, nil
}

// inHits finds the secrets in what a search shows of a file.
func (r *secretReader) inHits() search.Look {
	if r.find == nil {
		return nil
	}
	return func(_ string, data []byte, shown []search.Range) []search.Stretch {
		spans := make([]span, len(shown))
		for i, s := range shown {
			spans[i] = span{int64(s.From), int64(s.To)}
		}
		var out []search.Stretch
		for _, s := range r.near(inMemory(data), int64(len(data)), spans) {
			out = append(out, search.Stretch{From: s.Start, To: s.End, Kind: s.Kind, Part: s.Part, Text: s.Text})
		}
		return out
	}
}

// hitsResult is the answer of a search. object names a file in it.
func hitsResult(hits *search.Hits, object func(rel string) string, notes []string) tool.Result {
	text, marked := hits.Text(pathname.Printable, notes)
	out := tool.Result{Text: text}
	for _, s := range marked {
		out.Secrets = append(out.Secrets, tool.Secret{Kind: s.Kind, Start: s.From, End: s.To, Part: s.Part, Text: s.Text, File: object(s.Rel)})
	}
	return out
}
