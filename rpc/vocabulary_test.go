package rpc

import (
	"os"
	"strings"
	"testing"
)

// What the types of the editors say a text may be is what the document says.
func TestVocabularyIsInTheDocument(t *testing.T) {
	doc, err := os.ReadFile("../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range vocabulary {
		for _, word := range w.Values {
			if !strings.Contains(string(doc), "`"+word+"`") {
				t.Errorf("%s: PROTOCOL.md has no `%s`", w.Name, word)
			}
		}
	}
}
