package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"

	"github.com/pkoukk/tiktoken-go"
)

// The vocabulary is that of the MIT-licensed module named here (see
// o200k_base.LICENSE), compressed. It is embedded because tiktoken-go would
// otherwise fetch it from the network.
//
//go:generate sh -c "gzip -9nc $(go mod download -json github.com/pkoukk/tiktoken-go-loader@v0.0.2 | sed -n 's/.*\"Dir\": \"\\(.*\\)\".*/\\1/p')/assets/o200k_base.tiktoken > o200k_base.tiktoken.gz"
//go:embed o200k_base.tiktoken.gz
var vocabulary []byte

// o200kPattern splits text into the pieces that the vocabulary merges; it is
// part of the definition of the encoding.
const o200kPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// Vocabulary is a tokenizer with all that it knows. It never changes, so that any
// number of Counters may use one at the same time.
type Vocabulary struct {
	encoder *tiktoken.Tiktoken
}

// LoadVocabulary builds the vocabulary o200k: about 120 ms and 40 MB. It goes past
// tiktoken-go's loader and cache, which are global and never let go. An error is a
// program that was built wrongly.
func LoadVocabulary() (*Vocabulary, error) {
	zip, err := gzip.NewReader(bytes.NewReader(vocabulary))
	if err != nil {
		return nil, fmt.Errorf("opening the token vocabulary: %w", err)
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		return nil, fmt.Errorf("reading the token vocabulary: %w", err)
	}
	ranks := make(map[string]int, 200_000)
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		token, rank, ok := bytes.Cut(lines.Bytes(), []byte{' '})
		if !ok {
			continue
		}
		text, err := base64.StdEncoding.AppendDecode(nil, token)
		if err != nil {
			return nil, fmt.Errorf("reading the token vocabulary: %w", err)
		}
		n, err := strconv.Atoi(string(rank))
		if err != nil {
			return nil, fmt.Errorf("reading the token vocabulary: %w", err)
		}
		ranks[string(text)] = n
	}
	// No special tokens: text is data, whatever it spells.
	core, err := tiktoken.NewCoreBPE(ranks, nil, o200kPattern)
	if err != nil {
		return nil, fmt.Errorf("building the tokenizer: %w", err)
	}
	encoding := tiktoken.Encoding{Name: tiktoken.MODEL_O200K_BASE, PatStr: o200kPattern, MergeableRanks: ranks}
	return &Vocabulary{tiktoken.NewTiktoken(core, &encoding, nil)}, nil
}
