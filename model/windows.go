package model

import "strings"

// windows are the context windows of well-known families, by the longest prefix
// of the model's own name; what the user, a model list or an error says wins.
// Tokens.
var windows = map[string]Info{
	"gpt-3.5-turbo":     {Window: 16_385, MaxOutput: 4_096},
	"gpt-4":             {Window: 8_192, MaxOutput: 8_192},
	"gpt-4-turbo":       {Window: 128_000, MaxOutput: 4_096, Vision: true},
	"gpt-4o":            {Window: 128_000, MaxOutput: 16_384, Vision: true},
	"gpt-4.1":           {Window: 1_047_576, MaxOutput: 32_768, Vision: true},
	"gpt-5":             {Window: 400_000, MaxOutput: 128_000, Vision: true, Reasoning: true},
	"gpt-5-chat":        {Window: 128_000, MaxOutput: 16_384, Vision: true},
	"gpt-6":             {Vision: true, Reasoning: true},
	"codex-mini":        {Window: 200_000, MaxOutput: 100_000, Vision: true, Reasoning: true},
	"gpt-oss":           {Window: 131_072, MaxOutput: 32_768, Reasoning: true},
	"o1":                {Window: 200_000, MaxOutput: 100_000, Vision: true, Reasoning: true},
	"o3":                {Window: 200_000, MaxOutput: 100_000, Vision: true, Reasoning: true},
	"o4-mini":           {Window: 200_000, MaxOutput: 100_000, Vision: true, Reasoning: true},
	"claude-3":          {Window: 200_000, MaxOutput: 8_192, Vision: true},
	"claude-sonnet-4":   {Window: 200_000, MaxOutput: 64_000, Vision: true},
	"claude-opus-4":     {Window: 200_000, MaxOutput: 32_000, Vision: true},
	"claude-haiku-4":    {Window: 200_000, MaxOutput: 64_000, Vision: true},
	"gemini-1.5":        {Window: 1_048_576, MaxOutput: 8_192, Vision: true},
	"gemini-2":          {Window: 1_048_576, MaxOutput: 8_192, Vision: true},
	"gemini-2.5":        {Window: 1_048_576, MaxOutput: 65_536, Vision: true, Reasoning: true},
	"gemini-3":          {Window: 1_048_576, MaxOutput: 65_536, Vision: true, Reasoning: true},
	"deepseek-chat":     {Window: 131_072, MaxOutput: 8_192},
	"deepseek-reasoner": {Window: 131_072, MaxOutput: 65_536, Reasoning: true},
	"deepseek-r1":       {Window: 131_072, MaxOutput: 32_768, Reasoning: true},
	"grok-3":            {Window: 131_072},
	"grok-4":            {Window: 256_000, Vision: true, Reasoning: true},
	"grok-code-fast":    {Window: 256_000, Reasoning: true},
	"mistral-large":     {Window: 131_072},
	"mistral-medium":    {Window: 131_072, Vision: true},
	"mistral-small":     {Window: 131_072, Vision: true},
	"devstral":          {Window: 131_072},
	"codestral":         {Window: 262_144},
	"kimi-k2":           {Window: 262_144},
	"glm-4.5":           {Window: 131_072, Reasoning: true},
	"glm-4.6":           {Window: 204_800, Reasoning: true},
	"qwen3-coder":       {Window: 262_144, MaxOutput: 65_536},
	"minimax-m2":        {Window: 204_800, Reasoning: true},
	"qwen2.5-vl":        {Vision: true},
	"qwen3-vl":          {Vision: true},
	"pixtral":           {Window: 131_072, Vision: true},
	"gemma-3":           {Window: 131_072, Vision: true},
	"gemma3":            {Vision: true}, // as local servers call it
	"llava":             {Vision: true},
	"llama-4":           {Vision: true},
	"llama3.2-vision":   {Vision: true},
	"llama-3.1":         {Window: 131_072},
	"llama-3.3":         {Window: 131_072},
}

// builtIn is the entry of the longest prefix; the zero Info is unknown.
func builtIn(model string) Info {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for n := len(name); n > 0; n-- {
		if info, ok := windows[name[:n]]; ok && (n == len(name) || strings.ContainsRune("-.:@", rune(name[n]))) {
			return info
		}
	}
	return Info{}
}

// minWindow: a smaller number in a list or in a text of an error is no
// context window.
const minWindow = 256
