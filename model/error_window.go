package model

import (
	"strconv"
	"strings"
)

// windowSaid finds the real limit in an overflow text; configured windows are
// often wrong. A number may be grouped by commas. The limit of tokens a minute is
// one, too, where a single request is above it: no larger one is ever accepted.
var windowSaid = anyOf(
	`maximum context length(?: is| of|:)? \(?(\d[\d,]*)`,
	`context (?:length|window|size)(?: is| of)?(?: only)? \(?(\d[\d,]*)`,
	`context length only supports (\d[\d,]*)`,
	`> (\d[\d,]*) maximum`,
	`exceed context limit: \d+ \+ \d+ > (\d[\d,]*)`,
	`maximum number of tokens allowed \((\d[\d,]*)\)`,
	`maximum prompt length is (\d[\d,]*)`,
	`maximum allowed input length of (\d[\d,]*)`,
	`n_ctx"?: ?(\d[\d,]*)`,
	`limit is (\d[\d,]*)`,
	`limit for this model is (\d[\d,]*)`,
	`model token limit: (\d[\d,]*)`,
	`input length should be \[\d+, (\d[\d,]*)\]`,
	`exceeds the limit of (\d[\d,]*)`,
	`too large for model with (\d[\d,]*) maximum`,
	`prompt tokens limit exceeded: \d+ > (\d[\d,]*)`,
	`\(TPM\): Limit (\d[\d,]*)`,
)

// windowIn is the context window that an overflow text names, 0 if none.
func windowIn(body string) int64 {
	for _, m := range windowSaid().FindAllStringSubmatch(body, 8) {
		for _, digits := range m[1:] {
			n, err := strconv.ParseInt(strings.ReplaceAll(digits, ",", ""), 10, 64)
			if err == nil && n >= minWindow {
				return n
			}
		}
	}
	return 0
}
