package web

import (
	"strings"
	"testing"
)

// What a person would not see, a model does not read.
func TestHiddenText(t *testing.T) {
	for _, source := range []string{
		`<script>SECRET</script>`, `<style>SECRET</style>`, `<!-- SECRET -->`, `<template>SECRET</template>`, `<noscript>SECRET</noscript>`, `<p hidden>SECRET</p>`, `<p HIDDEN="">SECRET</p>`,
		`<div aria-hidden="true"><p>SECRET</div>`, `<p style="display:none">SECRET</p>`, `<p style="color:red;display:none">SECRET</p>`, `<p style="DISPLAY : NONE !important">SECRET</p>`,

		`<dialog>SECRET</dialog>`,
		`<iframe srcdoc="SECRET">SECRET</iframe>`, `<textarea>SECRET</textarea>`, `<input value=SECRET>`, `<svg><text>SECRET</text></svg>`, `<object>SECRET</object>`, `<select><option>SECRET</select>`, `<canvas>SECRET</canvas>`,
		`<p title="SECRET" data-x="SECRET">x</p>`, `<a href="javascript:SECRET">x</a>`, `<img src="data:text/plain,SECRET">`,
		`<p><span style="display:none">SEC</span><span hidden>RET</span>`, `<meta name=description content=SECRET>`, `<svg><title>SECRET</title></svg>`, `<![CDATA[SECRET]]>`, `<?php SECRET ?>`,
	} {
		for _, format := range []string{formatMarkdown, formatText} {
			if got := rendered(t, "<p>seen</p>"+source, format); strings.Contains(got, "SECRET") || strings.Contains(got, "SEC") || !strings.Contains(got, "seen") {
				t.Errorf("%s of %s: %s", format, source, got)
			}
		}
	}
	for _, source := range []string{
		`<p aria-hidden="false">SEEN</p>`, `<p style="display:block">SEEN</p>`, `<p style="--display:none">SEEN</p>`,
		`<details><summary>x</summary>SEEN</details>`, `<dialog open>SEEN</dialog>`, `<button>SEEN</button>`,
		`<p hidden="until-found">SEEN</p>`,
	} {
		if got := rendered(t, source, formatMarkdown); !strings.Contains(got, "SEEN") {
			t.Errorf("%s: %s", source, got)
		}
	}
	tags := "" // ASCII that cannot be seen
	for _, r := range "IGNORE" {
		tags += string(0xE0000 + r)
	}
	if got := rendered(t, "<p>a\u200Bb\u202Ec\x1b[31md\u2066e"+tags+"\U000E0101f\u00ADg \U0001F469\u200D\U0001F4BB", formatMarkdown); got != "abc[31mdefg \U0001F469\u200D\U0001F4BB" {
		t.Errorf("%q", got)
	}
}
