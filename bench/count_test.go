package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// BenchmarkCount counts 1 MB of what tokenizers are slow at, and the 64 KiB that
// are still counted whole. The yardstick is 64 KiB of ordinary code.
func BenchmarkCount(b *testing.B) {
	var c model.Counter
	defer c.Drop()
	c.Exact("", "warm") // loading is its own row
	best := func(text string) time.Duration {
		d := time.Hour
		for range 3 {
			begun := time.Now()
			c.Exact("", text)
			d = min(d, time.Since(begun))
		}
		return d
	}
	code := strings.Repeat("func (s *Session) used(r *run) int64 {\n\tif x != nil {\n\t\treturn err\n\t}\n}\n", 1000)
	yard := best(code[:64<<10])
	var worst, whole time.Duration
	var said []string
	for _, row := range []struct{ name, unit string }{
		{"one letter", "a"}, {"spaces", " "}, {"newlines", "\n"}, {"punctuation", "-"}, {"Chinese", "会话摘要"}, {"emoji", "🙂"}, {"not UTF-8", "\xff\x80"}, {"code", code},
	} {
		text := strings.Repeat(row.unit, 1<<20/len(row.unit))
		took := best(text)
		worst, whole = max(worst, took), max(whole, best(text[:64<<10]))
		said = append(said, fmt.Sprintf("%s %.0f", row.name, ms(took)))
	}
	gated(b, "tokens of 1 MB of one kind, the slowest", ms(worst), 100, "ms", strings.Join(said, ", ")+" ms")
	noted("tokens of 64 KiB counted whole, the slowest", "%.0f ms, %.1f × as much code", ms(whole), float64(whole)/float64(yard))
	c.Drop()
	begun := time.Now()
	c.Exact("", "load")
	noted("loading the vocabulary", "%.0f ms", ms(time.Since(begun)))
}
