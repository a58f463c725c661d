package web

import (
	"strings"
	"testing"
)

// What a person would not see, a model does not read.
func TestHiddenText(t *testing.T) {
	for _, source := range []string{
		`<script>SECRET</script>`, `<style>SECRET</style>`, `<!-- SECRET -->`, `<template>SECRET</template>`, `<noscript>SECRET</noscript>`, `<p hidden>SECRET</p>`, `<p HIDDEN="">SECRET</p>`,
		`<div aria-hidden="true"><p>SECRET</div>`, `<p style="display:none">SECRET</p>`, `<p style="DISPLAY : NONE !important">SECRET</p>`, `<p style="color:red;display:/*x*/none">SECRET</p>`,
		`<p style="visibility:hidden">SECRET</p>`, `<p style="opacity:0">SECRET</p>`, `<p style="opacity:0.0">SECRET</p>`, `<p style="font-size:0px">SECRET</p>`, `<p style="font-size:1px">SECRET</p>`,
		`<p style="width:0;height:0;overflow:hidden">SECRET</p>`, `<p style="position:absolute;left:-9999px">SECRET</p>`, `<p style="text-indent:-99999px">SECRET</p>`, `<p style="color:transparent">SECRET</p>`,
		`<p style="clip:rect(0,0,0,0);height:1px">SECRET</p>`, `<p class="x sr-only">SECRET</p>`, `<p class="visually-hidden">SECRET</p>`, `<p class="d-none">SECRET</p>`, `<dialog>SECRET</dialog>`,
		`<iframe srcdoc="SECRET">SECRET</iframe>`, `<textarea>SECRET</textarea>`, `<input value=SECRET>`, `<svg><text>SECRET</text></svg>`, `<object>SECRET</object>`, `<select><option>SECRET</select>`, `<canvas>SECRET</canvas>`,
		`<p title="SECRET" data-x="SECRET">x</p>`, `<a href="javascript:SECRET">x</a>`, `<img src="data:text/plain,SECRET">`, `<img src="https://a/x" width=0 alt="SECRET">`, `<p style="transform:scale(0)">SECRET</p>`,
		`<p><span style="display:none">SEC</span><span style="font-size:0">RET</span>`, `<meta name=description content=SECRET>`, `<svg><title>SECRET</title></svg>`, `<![CDATA[SECRET]]>`, `<?php SECRET ?>`,
	} {
		for _, format := range []string{formatMarkdown, formatText} {
			if got := rendered(t, "<p>seen</p>"+source, format); strings.Contains(got, "SECRET") || strings.Contains(got, "SEC") || !strings.Contains(got, "seen") {
				t.Errorf("%s of %s: %s", format, source, got)
			}
		}
	}
	for _, source := range []string{
		`<p style="opacity:0.5">SEEN</p>`, `<p style="width:0.5em">SEEN</p>`, `<p aria-hidden="false">SEEN</p>`, `<p class="hidden md:block">SEEN</p>`, `<p class="d-none d-md-block">SEEN</p>`, `<p style="left:-10px">SEEN</p>`,
		`<p style="height:0">SEEN</p>`, `<details><summary>x</summary>SEEN</details>`, `<dialog open>SEEN</dialog>`, `<p style="font-size:10px">SEEN</p>`, `<p style="transform:scale(0.9)">SEEN</p>`, `<button>SEEN</button>`,
		`<p hidden="until-found">SEEN</p>`, `<p style="clip-path:none;width:1px">SEEN</p>`,
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
