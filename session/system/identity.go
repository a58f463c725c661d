package system

import (
	"embed"
	"slices"
	"strings"
)

// Default is who the agent is where nobody has said otherwise: what
// agent/describe gives a settings view to start a custom one from.
func Default() string { return prompts("identity.md") }

// identityFor is that with what helps a family of models, and the family's
// name, "" for a model of none.
func identityFor(model string) (text, family string) {
	family = familyOf(model)
	if family == "" {
		return Default(), ""
	}
	return Default() + "\n\n" + prompts("identity_"+family+".md"), family
}

// The agents whose prompts are kept here.
const (
	buildAgent = "build"
	planAgent  = "plan"
)

// AgentPrompt is the prompt of a built-in agent that is kept here;
// "" for the others.
func AgentPrompt(name string) string {
	if name == buildAgent || name == planAgent {
		return prompts(name + ".md")
	}
	return ""
}

//go:embed identity.md identity_*.md build.md plan.md
var promptFiles embed.FS

// prompts is one of the texts beside this file. They are part of the program, so
// one that is missing fails every test.
func prompts(file string) string {
	text, err := promptFiles.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// families are kinds of models with habits in common. The first that has the
// beginning of one of a name's words counts: an open model that was made from
// another family's has both names.
var families = []struct {
	name  string
	words []string
}{
	{"open", []string{"gpt-oss", "llama", "qwen", "qwq", "mistral", "mixtral", "ministral", "codestral", "devstral", "magistral", "deepseek", "gemma", "phi", "granite", "glm", "kimi", "minimax", "yi", "starcoder", "command", "nemotron"}},
	{"claude", []string{"claude"}},
	{"gemini", []string{"gemini"}},
	{"gpt", []string{"gpt", "chatgpt", "codex", "o1", "o3", "o4"}},
}

// familyOf names the family of a model by the name that its provider gives it:
// "vendor/qwen3-coder:30b" is an open one. "" where nothing is known.
func familyOf(model string) string {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	// A word begins at the start, or behind what parts words in such names.
	begins := func(word string) bool {
		for at := name; ; {
			if strings.HasPrefix(at, word) {
				return true
			}
			cut := strings.IndexAny(at, "-_.: ")
			if cut < 0 {
				return false
			}
			at = at[cut+1:]
		}
	}
	for _, f := range families {
		if slices.ContainsFunc(f.words, begins) {
			return f.name
		}
	}
	return ""
}
