package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // its header
	_ "image/jpeg" // its header
	_ "image/png"  // its header
	"net/http"
	"slices"
	"strings"
)

// Limits of what a request shows beside text: what the strictest of the usual
// providers takes. A longer conversation shows its newest images.
const (
	MaxImageBytes  = 5 << 20  // one image or file, before it is encoded
	MaxImageSide   = 8000     // width and height of an image, in pixels
	MaxImages      = 20       // of one request
	maxImagesBytes = 20 << 20 // all of one request, before they are encoded
)

// PDF is the one kind of file besides images that some models read.
const PDF = "application/pdf"

// ImageError says why bytes cannot be shown to a model, in words for people.
type ImageError struct {
	Reason   string
	TooLarge bool // it is an image, and over a limit
}

func (e *ImageError) Error() string { return e.Reason }

// CheckImage says what data really is: image/png, image/jpeg, image/gif,
// image/webp or PDF, whatever it is called. Only its header is read: nothing is
// unpacked, so that no small file can cost much. The error is an *ImageError.
func CheckImage(data []byte) (mime string, err error) {
	if len(data) > MaxImageBytes {
		return "", &ImageError{fmt.Sprintf("it is larger than %d MiB", MaxImageBytes>>20), true}
	}
	var width, height int
	switch mime = http.DetectContentType(data); mime {
	case PDF:
		return mime, nil
	case "image/webp":
		width, height = sizeOfWebP(data)
	case "image/png", "image/jpeg", "image/gif":
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
			width, height = c.Width, c.Height
		}
	default:
		return "", &ImageError{Reason: "it is not a PNG, JPEG, GIF or WebP image"}
	}
	switch {
	case width <= 0 || height <= 0:
		return "", &ImageError{Reason: "its header is broken"}
	case width > MaxImageSide || height > MaxImageSide:
		return "", &ImageError{fmt.Sprintf("it has %d × %d pixels, more than %d on a side", width, height, MaxImageSide), true}
	}
	return mime, nil
}

// sizeOfWebP reads the three forms of the format's first chunk; 0, 0 where it is
// none of them.
func sizeOfWebP(data []byte) (width, height int) {
	if len(data) < 30 {
		return 0, 0
	}
	body := data[20:]
	switch string(data[12:16]) {
	case "VP8 ":
		if !bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}) {
			return 0, 0
		}
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case "VP8L":
		if body[0] != 0x2f {
			return 0, 0
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return three(body[4:]) + 1, three(body[7:]) + 1
	}
	return 0, 0
}

// tooMany is how many of the oldest images of a request are not shown; sizes are
// those of all, in bytes.
func tooMany(sizes []int) (older int) {
	count, bytes := 0, 0
	for _, size := range slices.Backward(sizes) {
		bytes += size
		if count++; count > MaxImages || bytes > maxImagesBytes {
			older++
			bytes = maxImagesBytes // and none that is older
		}
	}
	return older
}

// image decides about the next image of the request. Where it is not shown, instead is
// the line that stands for it.
func (w *writer) image(img Image) (mime, instead string) {
	w.images++
	refused := w.quirks[quirkImages]
	mime, err := CheckImage(img.Data)
	switch {
	case err != nil:
		instead = err.Error()
	case w.images <= w.older:
		w.left.TooMany++
		instead = fmt.Sprintf("of a conversation the newest %d images are shown", MaxImages)
	case mime == PDF && (refused || !w.files):
		w.left.NoFiles++
		instead = "this model takes no files"
	case mime != PDF && (refused || !w.vision && !img.Anyway):
		w.left.NoVision++
		instead = "this model takes no images"
	default:
		return mime, ""
	}
	what := "image"
	if mime == PDF {
		what = "file"
	}
	if mime == "" {
		mime = img.MIME
	}
	return "", fmt.Sprintf("[%s left out: %s, %s: %s]", what, orElse(mime, "unknown type"), SizeText(len(img.Data)), instead)
}

// SizeText is a size for people and models.
func SizeText(bytes int) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1000_000:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1000_000)
}

// content is a message's text with what is shown beside it: parts made by one,
// or a text alone where nothing is shown.
func (w *writer) content(text string, images []Image, words func(string) any, one func(mime, dataURL string) any) any {
	var shown []any
	lines := []string{text}
	for _, img := range images {
		mime, instead := w.image(img)
		if instead != "" {
			lines = append(lines, instead)
			continue
		}
		w.note(quirkImages)
		shown = append(shown, one(mime, "data:"+mime+";base64,"+base64.StdEncoding.EncodeToString(img.Data)))
	}
	text = strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
	switch {
	case len(shown) == 0:
		return orElse(text, noText)
	case IsBlank(text):
		return shown
	}
	return append([]any{words(text)}, shown...)
}
