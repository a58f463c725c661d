package model

import (
	"slices"
	"strings"
)

// llama.cpp takes a grammar for what a model writes: a block of a call cannot be broken then.

const (
	fence = "```"
	// textCall is the word behind the fence of a call.
	textCall = "tool_call"
)

// grammars are the servers that take a grammar in their own notation, by their presets.
var grammars = []string{"llamacpp"}

// callGrammar is a grammar for an answer: lines of which none opens a block, then blocks of which
// each calls one of tools, by that name.
func callGrammar(tools []Tool) string {
	names := []string{}
	for _, t := range tools {
		names = append(names, quotedInGrammar(`"`+t.Name+`"`))
	}
	return `root ::= line ("\n" line)* ("\n" call)* | call ("\n" call)*
call ::= "` + fence + textCall + `\n" "{" ws "\"name\"" ws ":" ws (` + strings.Join(names, " | ") + `) ws "," ws "\"arguments\"" ws ":" ws object ws "}" "\n` + fence + `"
line ::= ` + notOpening() + `
object ::= "{" ws (pair (ws "," ws pair)*)? ws "}"
pair ::= string ws ":" ws value
array ::= "[" ws (value (ws "," ws value)*)? ws "]"
value ::= object | array | string | number | "true" | "false" | "null"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= (" " | "\n" [ \t]{0,20})?
`
}

// notOpening is a line that does not begin as a block does: it leaves those words at one of their
// letters, or ends before their last.
func notOpening() string {
	opens := fence + textCall
	var ways []string
	for i := range opens {
		way := `[^` + opens[i:i+1] + `\n] [^\n]*`
		if i > 0 {
			way = `"` + opens[:i] + `" (` + way + `)?`
		}
		ways = append(ways, way)
	}
	return "(" + strings.Join(ways, " | ") + ")?"
}

func quotedInGrammar(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// takesGrammar says that a server takes one.
func takesGrammar(server string) bool { return slices.Contains(grammars, server) }
