package session

import (
	"strings"
	"testing"
)

func TestFitted(t *testing.T) {
	line, tree := "0123456789abcde\n", "ask   [by default] x\n"
	for _, row := range []struct {
		body, tree int // bytes
		cut        bool
	}{
		{0, len(tree), false},
		{maxPreview - len(tree) - 1, len(tree), false},
		{maxPreview - len(tree), len(tree), false},
		{maxPreview - len(tree) + 1, len(tree), true},
		{10 * maxPreview, len(tree), true},
		{10 * maxPreview, 0, true},
		{100, 10 * maxPreview, true},
		{10 * maxPreview, 10 * maxPreview, true},
	} {
		body := strings.Repeat(line, row.body/len(line)+1)[:row.body]
		verdicts := strings.Repeat(tree, row.tree/len(tree)+1)[:row.tree]
		text, cut := fitted(body, verdicts)
		if cut != row.cut || len(text) > maxPreview || !cut && text != body+verdicts {
			t.Errorf("%d + %d bytes: %d bytes, cut %v", row.body, row.tree, len(text), cut)
		}
		if row.tree == len(tree) && !strings.HasSuffix(text, tree) {
			t.Errorf("%d + %d bytes: the verdict is lost", row.body, row.tree)
		}
		if !strings.HasPrefix(text, body[:min(len(body), maxPreview/3)]) {
			t.Errorf("%d + %d bytes: the beginning of the text is lost", row.body, row.tree)
		}
	}
}
