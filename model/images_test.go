package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// pngOf is the header of a PNG of a size; its pixels are never read.
func pngOf(width, height uint32) []byte {
	head := []byte("IHDR")
	head = binary.BigEndian.AppendUint32(head, width)
	head = binary.BigEndian.AppendUint32(head, height)
	head = append(head, 8, 2, 0, 0, 0)
	out := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(out, head...), crc32.ChecksumIEEE(head))
}

var onePixel = base64.StdEncoding.EncodeToString(pngOf(1, 1))

func webPOf(form string, body ...byte) []byte {
	return append([]byte("RIFF\x20\x00\x00\x00WEBP"+form+"\x0a\x00\x00\x00"), append(body, make([]byte, 10)...)...)
}

// TestCheckImage: what bytes are, whatever they are called, and what is too
// much of them.
func TestCheckImage(t *testing.T) {
	large := func(n int) []byte { return append(pngOf(1, 1), make([]byte, n-len(pngOf(1, 1)))...) }
	gif := []byte("GIF89a\x02\x00\x03\x00\x00\x00\x00")
	for _, row := range []struct {
		name  string
		data  []byte
		mime  string
		says  string
		large bool
	}{
		{"png", pngOf(1, 1), "image/png", "", false},
		{"gif", gif, "image/gif", "", false},
		{"jpeg", []byte("\xff\xd8\xff\xc0\x00\x0b\x08\x00\x02\x00\x03\x01\x01\x11\x00\xff\xda\x00\x08"), "image/jpeg", "", false},
		{"webp, lossy", webPOf("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 5, 0, 6, 0), "image/webp", "", false},
		{"webp, lossless", webPOf("VP8L", 0x2f, 0x1f, 0xc0, 7, 0), "image/webp", "", false},
		{"webp, extended", webPOf("VP8X", 0, 0, 0, 0, 0x3f, 0x1f, 0, 0x3f, 0x1f, 0), "image/webp", "", false},
		{"webp, too wide", webPOf("VP8X", 0, 0, 0, 0, 0x40, 0x1f, 0, 0, 0, 0), "", "8001 × 1 pixels", true},
		{"webp, broken", webPOf("VP8 ", 0, 0, 0, 1, 2, 3), "", "its header is broken", false},
		{"webp, cut", []byte("RIFF\x20\x00\x00\x00WEBPVP8 "), "", "its header is broken", false},
		{"pdf", []byte("%PDF-1.7\n"), "application/pdf", "", false},
		{"text", []byte("hello"), "", "not a PNG", false},
		{"nothing", nil, "", "not a PNG", false},
		{"svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "", "not a PNG", false},
		{"bmp", []byte("BM\x00\x00\x00\x00"), "", "not a PNG", false},
		{"a header and nothing more", []byte("\x89PNG\r\n\x1a\n"), "", "its header is broken", false},
		{"no pixels", pngOf(0, 7), "", "its header is broken", false},
		{"5 MiB less one byte", large(MaxImageBytes - 1), "image/png", "", false},
		{"5 MiB", large(MaxImageBytes), "image/png", "", false},
		{"5 MiB and one byte", large(MaxImageBytes + 1), "", "larger than 5 MiB", true},
		{"7999 pixels", pngOf(7999, 1), "image/png", "", false},
		{"8000 pixels", pngOf(8000, 8000), "image/png", "", false},
		{"8001 pixels", pngOf(1, 8001), "", "1 × 8001 pixels", true},
		{"a bomb", pngOf(0x7fffffff, 0x7fffffff), "", "", false},
		{"a smaller bomb", pngOf(60000, 60000), "", "60000 × 60000 pixels, more than 8000 on a side", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			mime, err := CheckImage(row.data)
			var e *ImageError
			if row.mime != "" {
				if mime != row.mime || err != nil {
					t.Errorf("%q, %v; want %q", mime, err, row.mime)
				}
			} else if !errors.As(err, &e) || !strings.Contains(e.Reason, row.says) || row.says != "" && e.TooLarge != row.large {
				t.Errorf("%q, %v; want %q", mime, err, row.says)
			}
		})
	}
}

// TestImagesOfARequest: which images are shown, what stands for the others, and
// how many that are.
func TestImagesOfARequest(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: large images")
	}
	png := func(n int) Image {
		return Image{MIME: "image/png", Data: append(pngOf(1, 1), bytes.Repeat([]byte{'x'}, n-len(pngOf(1, 1)))...)}
	}
	small, pdf := png(100), Image{MIME: PDF, Data: []byte("%PDF-1.7\n")}
	sees := Info{Provider: "p", Name: "m", Vision: true}
	times := func(n int, img Image) []Image {
		var all []Image
		for range n {
			all = append(all, img)
		}
		return all
	}
	for _, row := range []struct {
		name   string
		info   Info
		quirk  string
		images []Image // half of them in the first message
		shown  int
		left   ImagesLeft
		says   string
	}{
		{"one", sees, "", times(1, small), 1, ImagesLeft{}, ""},
		{"a model that sees nothing", Info{Name: "m"}, "", times(2, small), 0, ImagesLeft{NoVision: 2}, "[image left out: image/png, 100 bytes: this model takes no images]"},
		{"one that was found to see nothing", sees, quirkImages, times(1, small), 0, ImagesLeft{NoVision: 1}, "this model takes no images]"},
		{"sent anyway", Info{Name: "m"}, "", []Image{{Data: small.Data, Anyway: true}, small}, 1, ImagesLeft{NoVision: 1}, "data:image/png;base64,"},
		{"sent anyway to one that has refused it", Info{Name: "m"}, quirkImages, []Image{{Data: small.Data, Anyway: true}}, 0, ImagesLeft{NoVision: 1}, "this model takes no images]"},
		{"a file is no image, whatever is said of it", Info{Name: "m"}, "", []Image{{Data: pdf.Data, Anyway: true}}, 0, ImagesLeft{NoFiles: 1}, "this model takes no files]"},
		{"19", sees, "", times(19, small), 19, ImagesLeft{}, ""},
		{"20", sees, "", times(20, small), 20, ImagesLeft{}, ""},
		{"21", sees, "", times(21, small), 20, ImagesLeft{TooMany: 1}, "[image left out: image/png, 100 bytes: of a conversation the newest 20 images are shown]"},
		{"20 MiB", sees, "", times(4, png(MaxImageBytes)), 4, ImagesLeft{}, ""},
		{"and one byte", sees, "", append(times(4, png(MaxImageBytes)), small), 4, ImagesLeft{TooMany: 1}, "newest"},
		{"another type than it says", sees, "", []Image{{MIME: "image/jpeg", Data: small.Data}}, 1, ImagesLeft{}, "data:image/png;base64,"},
		{"not an image", sees, "", []Image{{MIME: "image/png", Data: []byte("hello")}}, 0, ImagesLeft{}, "[image left out: image/png, 5 bytes: it is not a PNG, JPEG, GIF or WebP image]"},
		{"of no type at all", sees, "", []Image{{Data: []byte("hello")}}, 0, ImagesLeft{}, "[image left out: unknown type, 5 bytes:"},
		{"a bomb from an old log", sees, "", []Image{{MIME: "image/png", Data: pngOf(60000, 60000)}}, 0, ImagesLeft{}, "60000 × 60000 pixels"},
		{"a file where files are read", Info{Name: "m", Vision: true, Files: true}, "", times(1, pdf), 1, ImagesLeft{}, "document.pdf"},
		{"and where they are not", sees, "", times(1, pdf), 0, ImagesLeft{NoFiles: 1}, "[file left out: application/pdf, 9 bytes: this model takes no files]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			half := len(row.images) / 2
			req := Request{Messages: []Message{
				{Role: "user", Text: "see", Images: row.images[:half]},
				{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}}, {Role: "tool", CallID: "a", Images: row.images[half:]},
			}}
			quirks := map[string]bool{row.quirk: row.quirk != ""}
			for _, q := range []wireRequest{encodeRequest(req, row.info, quirks), encodeResponses(req, row.info, quirks)} {
				body := string(q.body.whole())
				if got := strings.Count(body, ";base64,"); got != row.shown || q.left != row.left {
					t.Errorf("%d shown, left %+v; want %d, %+v", got, q.left, row.shown, row.left)
				}
				if !strings.Contains(body, row.says) {
					t.Errorf("%q is not in %.3000s", row.says, body)
				}
				if strings.Contains(fmt.Sprint(q.sent), quirkImages) != (row.shown > 0) {
					t.Errorf("%d images are sent, refusable are %v", row.shown, q.sent)
				}
			}
		})
	}
	// The oldest are left out, not the newest.
	q := encodeRequest(Request{Messages: []Message{{Role: "user", Text: "old", Images: []Image{small}}, {Role: "user", Text: "new", Images: times(20, small)}}}, sees, nil)
	if !strings.Contains(string(q.body.whole()), `"old\n[image left out`) {
		t.Errorf("%.400s", q.body.whole())
	}
}

// TestImagesRefused: what a provider says of an image never ends a session: the
// next request has a line of text in its place.
func TestImagesRefused(t *testing.T) {
	see := Request{Messages: []Message{{Role: "user", Text: "see", Images: []Image{{MIME: "image/png", Data: pngOf(1, 1)}}}}}
	for _, row := range []struct {
		status int
		says   string
	}{
		{404, "No endpoints found that support image input"},
		{500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"},
		{400, "You uploaded an unsupported image. Please make sure your image is valid."},
		{400, "Could not process image"},
		{400, "Unable to process input image. Please retry."},
		{400, "The image data you provided does not represent a valid image."},
		{400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"},
		{400, "At least one of the image dimensions exceed max allowed size: 8000 pixels"},
		{400, "Invalid image data"},
	} {
		for _, api := range []string{"chat", "responses"} {
			answer := ok()
			if api == "responses" {
				answer = step{status: 200, body: responsesOK}
			}
			c, seen := script(t, refuse(row.status, `{"error":{"message":"`+row.says+`"}}`), answer)
			c.Providers[0].Models = map[string]ModelConfig{"m": {Vision: true, API: api}}
			h := hear(t.Context(), open(t, c, "test/m"), see)
			if h.done == nil || h.done.Quirk != quirkImages || h.done.Left.NoVision != 1 || len(*seen) != 2 {
				t.Errorf("%q, %s: %+v, %v", row.says, api, h.done, h.err)
			}
		}
	}
	// A request without images is not about them.
	c, seen := script(t, refuse(400, `{"error":{"message":"Invalid image data"}}`))
	if h := hear(t.Context(), open(t, c, "test/m"), ask("hi")); h.modelError().Kind != KindRejected || len(*seen) != 1 {
		t.Errorf("%v after %d requests", h.err, len(*seen))
	}
}
