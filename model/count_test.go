package model

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCounterEstimatesAndLearns(t *testing.T) {
	var c Counter
	for _, row := range []struct {
		name, text string
		want       int64
	}{
		{"nothing", "", 0},
		{"prose", strings.Repeat("word ", 60), 100},
		{"base64", strings.Repeat("QUJD", 75), 200},
		{"Chinese writes no spaces", strings.Repeat("会话", 50), 100},
		{"63 letters are a word", strings.Repeat("a", 63), 21},
		{"64 letters are a run", strings.Repeat("a", 64), 43},
		{"65 letters", strings.Repeat("a", 65), 44},
		{"compact JSON is no run", strings.Repeat(`{"type":"string"},`, 10), 60},
	} {
		if got := RawTokens(row.text); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
	c.Learn("m", 200, 99)
	if c.Ratio("m") != 1 {
		t.Error("learned from a sample of 99 tokens")
	}
	c.Learn("m", 200, 100)
	if r := c.Ratio("m"); r != 2 {
		t.Errorf("first ratio %v, want 2", r)
	}
	c.Learn("m", 1000, 1000)
	if r := c.Ratio("m"); r < 1.69 || r > 1.71 {
		t.Errorf("second ratio %v, want 1.7", r)
	}
	c.Learn("mad", 1_000_000, 1000)
	c.Learn("low", 1, 1000)
	if c.Ratio("mad") != 4 || c.Ratio("low") != 0.5 || c.Ratio("other") != 1 {
		t.Errorf("ratios %v %v %v, want 4, 0.5 and 1", c.Ratio("mad"), c.Ratio("low"), c.Ratio("other"))
	}
}

// Every long run counts, wherever it begins and ends.
func TestRawTokensFindsEveryRun(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var b strings.Builder
		dense := 0
		for range random.IntN(8) {
			run := random.IntN(3 * longRun)
			if run >= longRun {
				dense += run
			}
			b.WriteString(strings.Repeat("a", run) + strings.Repeat(" ", 1+random.IntN(longRun)))
		}
		want := int64(b.Len() + dense)
		if got := RawBytes(b.String()); got != want {
			t.Fatalf("%d bytes, want %d: %q", got, want, b.String())
		}
	}
}

// The numbers are those of OpenAI's own tokenizer.
func TestExactCounts(t *testing.T) {
	var c Counter
	defer c.Drop()
	for text, want := range map[string]int64{
		"":                   0,
		"hello world":        2,
		"<|endoftext|>":      7, // data, not a special token
		"tiktoken is great!": 6,
	} {
		if got := c.Exact("gpt-5", text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

// The numbers of the older vocabulary are its own; what is not ASCII is where
// the two differ.
func TestCL100KIsEstimatedFromO200K(t *testing.T) {
	var c Counter
	defer c.Drop()
	for _, row := range []struct {
		name, text string
		want       int64
	}{
		{"English", "The session is compacted when its window fills up. ", 11},
		{"Chinese", "在编辑器中运行的编码代理需要在上下文窗口快满时压缩对话,并把必须保留的内容写入记忆文件。", 63},
		{"Korean", "에이전트는 편집기에서 작동하며 위험한 작업 전에 허가를 요청합니다.", 29},
	} {
		newer := c.Exact("gpt-4o", row.text)
		for _, model := range []string{"gpt-4", "openai/gpt-4-turbo", "gpt-3.5-turbo-0125", "gpt-35-turbo"} {
			if got := c.Exact(model, row.text); float64(got) < 0.8*float64(row.want) || float64(got) > 1.2*float64(row.want) {
				t.Errorf("%s, %s: %d tokens (o200k %d), cl100k has %d", row.name, model, got, newer, row.want)
			}
		}
		for _, model := range []string{"gpt-4o", "openai/gpt-4.1-mini", "gpt-5", "qwen3"} {
			if got := c.Exact(model, row.text); got != newer {
				t.Errorf("%s, %s: %d tokens, o200k has %d", row.name, model, got, newer)
			}
		}
	}
}

// A message over 64 KiB is sampled: what is in no sample does not count.
func TestExactSamplesAbove64KiB(t *testing.T) {
	var c Counter
	defer c.Drop()
	line := "The session is compacted when it fills up.\n"
	text := strings.Repeat(line, exactBytes/len(line)+2)
	one := c.Exact("gpt-5", line)
	for _, row := range []struct {
		bytes int
		exact bool
	}{{exactBytes - 1, true}, {exactBytes, true}, {exactBytes + 1, false}} {
		// Digits are three to a token: a needle that samples do not meet.
		head := text[:row.bytes-1-12] + "\n" + strings.Repeat("\x00", 12)
		got := c.Exact("gpt-5", head)
		want := int64(0)
		for rest := head; rest != ""; rest = rest[len(cutAt(rest, pieceBytes)):] {
			want += c.Exact("gpt-5", cutAt(rest, pieceBytes))
		}
		if (got == want) != row.exact {
			t.Errorf("%d bytes: %d tokens, all of it has %d; exactly: %v", row.bytes, got, want, row.exact)
		}
		if got < want*97/100 || got > want*103/100 {
			t.Errorf("%d bytes: %d tokens, all of it has %d (a line %d)", row.bytes, got, want, one)
		}
	}
}

// The vocabulary is 40 MB: a minute after the last count it is gone.
func TestVocabularyIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		loaded := func() bool {
			c.exact.Lock()
			defer c.exact.Unlock()
			return c.enc != nil
		}
		c.Exact("m", "one")
		<-time.After(40 * time.Second)
		c.Exact("m", "two")
		<-time.After(keepEncoder - time.Second)
		synctest.Wait()
		if !loaded() {
			t.Error("let go before a minute was over since the last count")
		}
		<-time.After(time.Second)
		synctest.Wait()
		if loaded() {
			t.Error("kept over a minute after the last count")
		}
		if got := c.Exact("m", "hello world"); got != 2 {
			t.Errorf("counted %d after it was let go, want 2", got)
		}
		c.Drop()
	})
}

// Servers in one process may share a vocabulary: none of them loads it, or lets it go.
func TestCountersShareAVocabulary(t *testing.T) {
	shared, err := LoadVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			c := Counter{Vocabulary: shared}
			for range 2 {
				if got := c.Exact("m", "hello world"); got != 2 || c.enc != shared {
					t.Errorf("counted %d, want 2; with the shared vocabulary: %v", got, c.enc == shared)
				}
				<-time.After(2 * keepEncoder)
			}
			if c.drop != nil {
				t.Error("a clock runs until the shared vocabulary is let go")
			}
		})
	}
}

func TestExactIsBoundedAndClose(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: large texts")
	}
	var c Counter
	defer c.Drop()
	c.Exact("gpt-5", "warm") // loading is not what is measured
	random := rand.New(rand.NewPCG(1, 2))
	var code strings.Builder
	for code.Len() < 1<<20 {
		code.WriteString([]string{"func (c *Counter) ", "return err\n", "if x != nil {\n\t", "// a comment, longer\n", "}\n\n"}[random.IntN(5)])
	}
	for name, text := range map[string]string{
		"one letter":  strings.Repeat("a", 1<<20),
		"spaces":      strings.Repeat(" ", 1<<20),
		"newlines":    strings.Repeat("\n", 1<<20),
		"Chinese":     strings.Repeat("会话摘要", 1<<18/3),
		"emoji":       strings.Repeat("🙂", 1<<18),
		"code":        code.String(),
		"not UTF-8":   strings.Repeat("\xff\x80", 1<<19),
		"still whole": strings.Repeat("a", exactBytes), // the most that is not sampled
	} {
		t.Logf("%s: %d tokens in %d bytes", name, c.Exact("gpt-5", text), len(text)) // 100 ms; quadratic it would be minutes, and the test would not end in time
	}
	whole := int64(0)
	for text := code.String(); text != ""; {
		piece := cutAt(text, 32<<10)
		whole += c.Exact("gpt-5", piece)
		text = text[len(piece):]
	}
	if got := c.Exact("gpt-5", code.String()); got < whole*9/10 || got > whole*11/10 {
		t.Errorf("sampled %d tokens, counted %d", got, whole)
	}
}

func TestCutAtKeepsEverything(t *testing.T) {
	for _, text := range []string{strings.Repeat("会", 2000), strings.Repeat("ab ", 1000), strings.Repeat("line\n", 500), strings.Repeat("\x80", 3000)} {
		var b strings.Builder
		for rest := text; rest != ""; {
			piece := cutAt(rest, pieceBytes)
			if piece == "" || len(piece) > pieceBytes {
				t.Fatalf("a piece of %d bytes", len(piece))
			}
			b.WriteString(piece)
			rest = rest[len(piece):]
		}
		if b.String() != text {
			t.Error("pieces do not give the text again")
		}
	}
}
