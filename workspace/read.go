package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

//go:embed read.md
var readDoc string

type readArgs struct {
	Path   string `json:"path" jsonschema:"the file or directory"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines, 2000 if not given and at most"`
}

// newRead is the tool that shows one file.
func newRead(d *toolset) tool.Tool {
	return tool.Define(tool.Spec{Name: "read", Description: readDoc, Effect: tool.Read, Tolerant: true}, func(in readArgs) (*tool.Plan, error) {
		if in.Offset < 0 {
			return nil, errors.New(`argument "offset": lines are counted from 1`)
		}
		if in.Limit < 0 {
			return nil, errors.New(`argument "limit" must be positive`)
		}
		p, err := d.path(in.Path)
		if err != nil {
			return nil, err
		}
		offset, limit := max(in.Offset, 1), min(in.Limit, readLines)
		if limit == 0 {
			limit = readLines
		}
		return &tool.Plan{
			Title:   "read " + p.title(),
			Targets: targets(tool.DomainRead, p),
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				if err := d.v.again(p); err != nil {
					return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
				}
				return d.read(ctx, p, offset, limit)
			},
		}, nil
	})
}

func (d *toolset) read(ctx context.Context, p Path, offset, limit int) (tool.Result, error) {
	if text, dirty := d.v.buffers.dirty(p); dirty {
		pg, err := readPage(ctx, strings.NewReader(text), offset, limit)
		if err != nil {
			return tool.Result{}, err
		}
		if now, err := d.v.snapshot(p); err == nil && now.open != nil && now.open.Text == text {
			d.remember(p, now.hash) // what an edit in the editor finds
		}
		return pg.text(p, "; unsaved in the editor", false, d.v.secrets.near(inMemory(text), int64(len(text)), pg.spans())), nil
	}
	f, fi, err := p.open()
	var not openat.NotFile
	switch {
	case errors.As(err, &not) && not.Kind == "a directory":
		return d.list(ctx, p, 1, false)
	case errors.Is(err, fs.ErrNotExist):
		return tool.Failed(d.missing(p)), nil
	case err != nil:
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	defer f.Close()
	return d.readFile(ctx, p, f, fi.Size(), offset, limit)
}

// readFile shows an open file and remembers what it held. It reads to the end,
// in bounded memory, to know the number of lines and the hash; of a file that
// does not end within readScan bytes it knows neither.
func (d *toolset) readFile(ctx context.Context, p Path, f io.Reader, size int64, offset, limit int) (tool.Result, error) {
	hash := sha256.New()
	f, text, size, err := held(ctx, f, size)
	if err != nil {
		return d.notRead(ctx, p, err)
	}
	all := &scan{r: f, left: readScan}
	src := io.TeeReader(watched{ctx, all}, hash)
	out, err := d.show(ctx, p, src, all, fullText{text, size}, offset, limit)
	if err == nil {
		_, err = io.Copy(io.Discard, src)
	}
	if err != nil || ctx.Err() != nil {
		return d.notRead(ctx, p, err)
	}
	if !all.cut {
		d.remember(p, hex.EncodeToString(hash.Sum(nil)))
	}
	return out, nil
}

// notRead is what is said about a file that could not be read to its end.
func (d *toolset) notRead(ctx context.Context, p Path, err error) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	return tool.Failed(fmt.Errorf("%s: read: %w", p, openat.Plain(err))), nil
}

// show is what a model gets to see of a file. src is all of it from its beginning on.
func (d *toolset) show(ctx context.Context, p Path, src io.Reader, all *scan, of fullText, offset, limit int) (tool.Result, error) {
	size := of.size
	head, err := io.ReadAll(io.LimitReader(src, sniffBytes))
	if err != nil {
		return tool.Result{}, err
	}
	src = io.MultiReader(bytes.NewReader(head), src)
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	looks := isImage(kind) && (isBinary(head) || !utf8.Valid(head)) || kind == "application/pdf"
	order, bom := utf16Order(head)
	switch {
	case looks && size <= maxImageBytes:
		data, err := io.ReadAll(io.LimitReader(src, maxImageBytes))
		return tool.Result{Text: fmt.Sprintf("%s: %s, %d bytes", p, kind, size), Parts: []tool.Part{{MIME: kind, Data: data}}}, err
	case looks:
		kind += ", over the 5 MB that can be shown"
	case order != nil && size > maxUTF16Bytes:
		kind = "UTF-16 text, over the 32 MB that are decoded here; use bash with iconv"
	case order != nil:
		data, err := io.ReadAll(src)
		if err != nil {
			return tool.Result{}, err
		}
		if bom {
			data = data[2:]
		}
		text := decodeUTF16(data, order)
		pg, err := readPage(ctx, strings.NewReader(text), offset, limit)
		if err != nil {
			return tool.Result{}, err
		}
		return pg.text(p, "", false, d.v.secrets.near(inMemory(text), int64(len(text)), pg.spans())), nil
	case !isBinary(head):
		pg, err := readPage(ctx, src, offset, limit)
		if err != nil {
			return tool.Result{}, err
		}
		if all.cut {
			pg.dropTorn()
		}
		return pg.text(p, "", all.cut, d.v.secrets.near(of.text, size, pg.spans())), nil
	}
	return tool.Result{Text: fmt.Sprintf("%s: binary file, %d bytes, %s", p, size, kind)}, nil
}

func isImage(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
