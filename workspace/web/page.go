package web

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// maxPage is how large a page may be after decompression, in bytes.
const maxPage = 5 << 20

// page is what a server sent: decompressed, decoded to UTF-8, and known to be text.
type page struct {
	at     Address
	status int
	mime   string // as declared, or as it looks
	html   bool
	text   string
	bytes  int // before decoding
}

// readPage takes the answer of a server, or says why not. The type is looked at
// before the body is read.
func readPage(at Address, resp *http.Response) (*page, error) {
	declared, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && declared == "" {
		declared = strings.ToLower(strings.TrimSpace(strings.SplitN(resp.Header.Get("Content-Type"), ";", 2)[0]))
	}
	if declared != "" && !isText(declared) && !saysNothing(declared) {
		size := ""
		if resp.ContentLength >= 0 {
			size = fmt.Sprintf(", %d bytes", resp.ContentLength)
		}
		if resp.StatusCode >= 400 {
			size += fmt.Sprintf(", with HTTP %d", resp.StatusCode)
		}
		return nil, fmt.Errorf("the answer is %s%s: only text is fetched", shortType(declared), size)
	}
	if resp.ContentLength > maxPage {
		return nil, errTooLarge
	}
	raw, err := readBody(resp)
	if err != nil {
		return nil, err
	}
	p := &page{at: at, status: resp.StatusCode, mime: declared, bytes: len(raw)}
	if looks := sniffed(raw); declared == "" || saysNothing(declared) {
		p.mime = looks
	}
	p.html = p.mime == "text/html" || p.mime == "application/xhtml+xml"
	p.text, err = decode(raw, p.mime, params["charset"], p.html)
	return p, err
}

var errTooLarge = fmt.Errorf("the page is larger than %d MB", maxPage>>20)

// readBody reads and decompresses. What the server calls the length does not
// count, what comes does.
func readBody(resp *http.Response) ([]byte, error) {
	var body io.Reader = resp.Body
	var err error
	switch coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		body, err = gzip.NewReader(body)
	case "deflate":
		body, err = zlib.NewReader(body)
	default:
		return nil, fmt.Errorf("the answer is compressed as %s, which was not asked for", shortType(coding))
	}
	if errors.Is(err, io.EOF) {
		return nil, nil // compressed nothing
	}
	if err != nil {
		return nil, errDamaged
	}
	var raw bytes.Buffer
	_, err = raw.ReadFrom(io.LimitReader(body, maxPage+1))
	switch {
	case raw.Len() > maxPage:
		return nil, errTooLarge
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum):
		return nil, errDamaged
	case err != nil:
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", raw.Len(), err)
	}
	return raw.Bytes(), nil
}

var errDamaged = errors.New("the answer cannot be decompressed")

// isText says that a media type is something to read.
func isText(t string) bool {
	top, sub, _ := strings.Cut(t, "/")
	switch {
	case top == "text", strings.HasSuffix(sub, "+json"), strings.HasSuffix(sub, "+xml"), strings.HasSuffix(sub, "+yaml"):
		return true
	case top == "message":
		return true
	case top != "application":
		return false
	}
	switch strings.TrimPrefix(sub, "x-") {
	case "json", "ndjson", "jsonl", "jsonlines", "json5", "xml", "xml-dtd", "javascript", "ecmascript", "typescript", "yaml", "toml", "sh", "csh", "shellscript", "perl", "python",
		"ruby", "php", "httpd-php", "sql", "graphql", "tex", "latex", "markdown", "diff", "patch", "subrip", "rtf", "www-form-urlencoded", "csv":
		return true
	}
	return false
}

// saysNothing says that a media type is what servers give when they do not know.
func saysNothing(t string) bool {
	return t == "application/octet-stream" || t == "binary/octet-stream" || t == "application/unknown" || t == "unknown/unknown" || !strings.Contains(t, "/")
}

// shortType is a server's word in a message: what is in media types and nothing
// else.
func shortType(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("/+-.", r) {
			return r
		}
		return -1
	}, s)
	return clean[:min(len(clean), 60)]
}

// sniffed is the media type that the beginning of a body looks like.
func sniffed(raw []byte) string {
	t, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	return t
}

// decode makes UTF-8 of a body. What is no text in the end is refused whatever
// its type says.
func decode(raw []byte, mediaType, declared string, isHTML bool) (string, error) {
	enc := encodingOf(raw, mediaType, declared, isHTML)
	if enc == nil {
		enc = unicode.UTF8
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(enc.NewDecoder()), raw)
	if err != nil {
		return "", errors.New("the characters of the answer cannot be decoded")
	}
	if bytes.IndexByte(text, 0) >= 0 || !isText(mediaType) {
		return "", fmt.Errorf("the answer is binary (it looks like %s): only text is fetched", sniffed(raw))
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// encodingOf is how a body is encoded: a mark at its beginning, what the server
// says, what a page says of itself, then what it looks like. JSON is UTF-8.
func encodingOf(raw []byte, mediaType, declared string, isHTML bool) encoding.Encoding {
	if declared != "" {
		if enc, name := charset.Lookup(declared); enc != nil && name != "replacement" {
			return enc
		}
	}
	head := raw[:min(len(raw), 1024)]
	if isHTML {
		// What it says when it does not know is one of these.
		if enc, name, _ := charset.DetermineEncoding(head, ""); name != "windows-1252" && name != "utf-8" && name != "replacement" {
			return enc
		}
	}
	if strings.HasSuffix(mediaType, "json") || utf8.Valid(raw) {
		return unicode.UTF8
	}
	enc, _ := charset.Lookup("windows-1252")
	return enc
}

// plainError is a network error as a person would say it. What a server wrote is
// not in it.
func plainError(err error) error {
	var (
		op   *net.OpError
		wrap *url.Error
	)
	if f := outbound.Explain(err); f != nil {
		return f
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the connection was refused: nothing listens there")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return errors.New("the server closed the connection without an answer")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return errors.New("the host cannot be reached from here")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		return errors.New("the server did not answer in time")
	case errors.As(err, &wrap):
		return wrap.Err
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "malformed MIME"):
		return errors.New("what answers there speaks no HTTP")
	case strings.Contains(err.Error(), "response headers exceeded"):
		return fmt.Errorf("the head of the answer is larger than %d KB", maxHeader>>10)
	}
	return err
}
