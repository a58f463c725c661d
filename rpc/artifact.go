package rpc

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxArtifactRead is how much one answer carries, in bytes.
const maxArtifactRead = 256 << 10

type artifactParams struct {
	SessionID  string           `json:"sessionId"`
	ArtifactID string           `json:"artifactId"`
	Path       string           `json:"path"`
	URI        string           `json:"uri"`
	View       artifactView     `json:"view"`
	Offset     int64            `json:"offset"`
	Length     int64            `json:"length"`
	StartLine  int64            `json:"startLine"`
	EndLine    int64            `json:"endLine"`
	Pattern    string           `json:"pattern"`
	Encoding   artifactEncoding `json:"encoding"`
}

func (p *artifactParams) Check() error {
	switch given := len(p.ArtifactID) + len(p.Path) + len(p.URI); {
	case given == 0:
		return wire.InvalidParams("artifactId", "one of artifactId, path and uri is needed")
	case given != max(len(p.ArtifactID), len(p.Path), len(p.URI)):
		return wire.InvalidParams("artifactId", "only one of artifactId, path and uri can be given")
	case p.SessionID != "" && p.Path != "":
		return wire.InvalidParams("sessionId", "goes with the uri of an image, or the artifactId of a text, in the log of that session")
	case p.Offset < 0 || p.Length < 0:
		return wire.InvalidParams("offset", "offset and length are not negative")
	case p.StartLine < 0 || p.EndLine < 0 || p.EndLine > 0 && p.EndLine < p.StartLine:
		return wire.InvalidParams("endLine", "lines count from 1, and endLine is not before startLine")
	}
	if err := oneOf("encoding", p.Encoding, artifactEncodings); err != nil {
		return err
	}
	if p.View == viewGrep {
		return needs("pattern", p.Pattern)
	}
	return oneOf("view", p.View, artifactViews)
}

func (p *artifactParams) ref() string { return p.ArtifactID + p.Path + p.URI }

// length is how much one answer carries of what was asked for, in bytes.
func (p *artifactParams) length() int64 {
	if p.Length == 0 {
		return maxArtifactRead
	}
	return min(p.Length, maxArtifactRead)
}

type artifactResult struct {
	ArtifactID string           `json:"artifactId"`
	URI        string           `json:"uri"`
	FileURI    string           `json:"fileUri"`
	MIMEType   string           `json:"mimeType"`
	Bytes      int64            `json:"bytes"`
	Lines      int64            `json:"lines"`
	SHA256     string           `json:"sha256"`
	Encoding   artifactEncoding `json:"encoding"`
	Data       string           `json:"data"`
	Offset     int64            `json:"offset"`
	NextOffset *int64           `json:"nextOffset"`
	EOF        bool             `json:"eof"`
}

// artifacts answers what is asked about full texts of large outputs, and about what is
// beside a log.
type artifacts struct {
	sessions *store.Store
	kept     Artifacts
}

// artifact reads a piece of an artifact.
func (s *artifacts) artifact(ctx context.Context, _ *wire.Call, p artifactParams) (artifactResult, error) {
	if p.SessionID != "" {
		return s.beside(ctx, p)
	}
	found, path, err := s.findArtifact(p.ref())
	if err != nil {
		return artifactResult{}, err
	}
	out := artifactResult{found.ArtifactID, found.URI, found.FileURI, found.MIMEType, found.Bytes, found.Lines, found.SHA256, encodingUTF8, "", 0, nil, false}
	if p.View == viewMeta { // the file is not opened for it
		err := out.view(nil, p)
		return out, err
	}
	file, err := s.kept.Open(path)
	if err != nil {
		return artifactResult{}, artifactExpired(p.ref())
	}
	defer file.Close()
	err = out.view(io.NewSectionReader(file, 0, found.Bytes), p)
	return out, err
}

// view puts in the piece of whole that is asked for. utf8 never splits a character.
func (a *artifactResult) view(whole *io.SectionReader, p artifactParams) error {
	length := p.length()
	switch p.View {
	case viewMeta:
		a.EOF = true // there is nothing to read on
		return nil
	case viewHead:
		return a.read(whole, 0, length, p.Encoding)
	case viewTail:
		return a.read(whole, max(a.Bytes-length, 0), length, p.Encoding)
	case viewLines:
		return a.lines(whole, p.StartLine, p.EndLine, p.Encoding)
	case viewGrep:
		return a.grep(whole, p.Pattern, p.Offset, p.Encoding)
	}
	return a.read(whole, p.Offset, length, p.Encoding)
}

// findArtifact finds an artifact. One that a log of an open session names and
// that is no more has expired.
func (s *artifacts) findArtifact(ref string) (tool.ArtifactRef, string, error) {
	found, path, _, err := s.kept.Find(ref)
	if err == nil {
		return found, path, nil
	}
	for _, of := range s.sessions.Live() {
		named := false
		err := of.Each(func(e history.Event) {
			if r, ok := e.Body.(history.ToolReturned); ok && r.Artifact != nil {
				named = named || slices.Contains([]string{r.Artifact.ArtifactID, r.Artifact.URI, r.Artifact.Path}, ref)
			}
		})
		if err == nil && named {
			return found, "", artifactExpired(ref)
		}
	}
	return found, "", artifactNotFound(ref)
}

func (a *artifactResult) read(file *io.SectionReader, offset, length int64, encoding artifactEncoding) error {
	offset = min(offset, a.Bytes)
	if encoding != encodingBase64 {
		length = max(length, utf8.UTFMax) // the longest character fits, so that reading goes on
	}
	data := make([]byte, min(length, a.Bytes-offset))
	if _, err := file.ReadAt(data, offset); err != nil && err != io.EOF {
		return fmt.Errorf("read the artifact: %w", err)
	}
	if encoding != encodingBase64 {
		for skip := 1; skip < utf8.UTFMax && len(data) > 0 && offset > 0 && !utf8.RuneStart(data[0]); skip++ { // began inside a character
			data, offset = data[1:], offset+1
		}
		if offset+int64(len(data)) < a.Bytes {
			data = wholeRunes(data)
		}
	}
	a.put(data, encoding)
	a.Offset = offset
	a.ends(offset + int64(len(data)))
	return nil
}

// put encodes what was read.
func (a *artifactResult) put(data []byte, encoding artifactEncoding) {
	if encoding == encodingBase64 {
		a.Encoding, a.Data = encoding, base64.StdEncoding.EncodeToString(data)
		return
	}
	a.Data = strings.ToValidUTF8(string(data), "\uFFFD")
}

func (a *artifactResult) ends(next int64) {
	if a.EOF = next >= a.Bytes; !a.EOF {
		a.NextOffset = &next
	}
}

// wholeRunes drops a character that is cut at the end.
func wholeRunes(data []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(data); i++ {
		if b := data[len(data)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-i:]) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

// lines reads from startLine to endLine, counted from 1, both included; a line
// that is too long for one answer is cut, and nextOffset goes on inside of it.
func (a *artifactResult) lines(file io.Reader, from, to int64, encoding artifactEncoding) error {
	if to == 0 {
		to = a.Lines + 1
	}
	var out bytes.Buffer
	at := int64(0)
	err := eachLine(file, func(n int64, line []byte) bool {
		switch {
		case n < from:
			at += int64(len(line))
			return true
		case n > to:
			return false
		}
		if room := maxArtifactRead - out.Len(); len(line) > room {
			if out.Len() == 0 {
				out.Write(wholeRunes(line[:room]))
			}
			return false
		}
		out.Write(line)
		return true
	})
	a.put(out.Bytes(), encoding)
	a.Offset = at
	a.ends(at + int64(out.Len()))
	return err
}

// maxGrepLine is how much of one line grep shows, in bytes.
const maxGrepLine = 2000

// grep gives the lines from offset on that match an RE2 pattern as `N: text`;
// nextOffset is where to search on.
func (a *artifactResult) grep(file io.Reader, pattern string, offset int64, encoding artifactEncoding) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return wire.InvalidParams("pattern", err.Error())
	}
	var out bytes.Buffer
	at, next := int64(0), a.Bytes
	err = eachLine(file, func(n int64, line []byte) bool {
		begin := at
		at += int64(len(line))
		if text := bytes.TrimRight(line, "\r\n"); begin >= offset && re.Match(text) {
			if out.Len()+maxGrepLine+24 > maxArtifactRead {
				next = begin
				return false
			}
			fmt.Fprintf(&out, "%d: %s\n", n, wire.CutText(string(text), maxGrepLine))
		}
		return true
	})
	a.put(out.Bytes(), encoding)
	a.Offset = min(offset, a.Bytes)
	a.ends(next)
	return err
}

// eachLine yields lines with their ends; one longer than a megabyte comes in
// pieces.
func eachLine(file io.Reader, yield func(n int64, line []byte) bool) error {
	r := bufio.NewReaderSize(file, 1<<20)
	for n := int64(1); ; {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 && !yield(n, line) {
			return nil
		}
		switch err {
		case nil:
			n++
		case bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("read the artifact: %w", err)
		}
	}
}

type artifactListParams struct {
	SessionID string `json:"sessionId"`
	RunID     string `json:"runId"`
	Cursor    string `json:"cursor"`
	Limit     int    `json:"limit"`
}

func (p *artifactListParams) Check() error {
	return cmp.Or(counts("limit", p.Limit), needs("sessionId", p.SessionID))
}

type artifactListResult struct {
	Items      []tool.ArtifactRef `json:"items"`
	NextCursor *string            `json:"nextCursor"`
}

// artifactList lists what a session, or one run of it, has kept.
func (s *artifacts) artifactList(ctx context.Context, _ *wire.Call, p artifactListParams) (artifactListResult, error) {
	from, _, err := decodeCursor[uint](p.Cursor)
	if err != nil {
		return artifactListResult{}, err
	}
	items, err := s.artifactsOf(ctx, p.SessionID, p.RunID)
	if err != nil {
		return artifactListResult{}, err
	}
	page, next := pageOf(nonNil(items), from, p.Limit, listPage)
	return artifactListResult{page, next}, nil
}

// artifactsOf are the artifacts of a session, or those that a run's results
// name.
func (s *artifacts) artifactsOf(ctx context.Context, id, run string) ([]tool.ArtifactRef, error) {
	named, err := s.sessions.ArtifactsOf(ctx, id, run)
	if err != nil {
		return nil, err
	}
	if run == "" {
		return s.kept.List(id)
	}
	return s.kept.Named(id, slices.Sorted(maps.Keys(named))), nil
}
