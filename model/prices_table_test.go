package model

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The public list that `make prices` has downloaded, and what is said of it in the table.
var (
	pricesFrom = flag.String("prices.from", "", "rewrite prices.jsonc from this file")
	pricesSay  = flag.String("prices.source", "LiteLLM, model_prices_and_context_window.json (MIT)", "where that file is from")
	pricesDate = flag.String("prices.date", "", "of that file")
)

// services are the providers of the list whose prices count for presets. OpenRouter and
// Hugging Face are missing on purpose: the first reports each cost itself, and what the
// second costs depends on who serves the model. So does Azure's, where names are those of
// deployments.
var services = map[string]string{
	"openai": "openai", "anthropic": "anthropic", "gemini": "gemini", "deepseek": "deepseek", "mistral": "mistral", "xai": "xai", "groq": "groq",
	"cerebras": "cerebras", "together_ai": "together", "fireworks_ai": "fireworks", "moonshot": "moonshot", "zai": "zai", "dashscope": "dashscope", "minimax": "minimax",
}

// listed are the members of the list that count: prices for one token, and others that end
// in _above_<n>k_tokens for long prompts.
type listedRow struct {
	Provider  string `json:"litellm_provider"`
	Mode      string `json:"mode"`
	MaxInput  any    `json:"max_input_tokens"` // some are texts
	MaxOutput any    `json:"max_output_tokens"`
	Vision    bool   `json:"supports_vision"`
	Reasoning bool   `json:"supports_reasoning"`
}

// tableOf makes the table of a public list. What is left out: other services, what is no
// chat model, and what has no price that can be right.
func tableOf(list []byte) (map[string]map[string]priceRow, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, err
	}
	out := map[string]map[string]priceRow{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var row listedRow
		var members map[string]any
		if json.Unmarshal(all[name], &row) != nil || json.Unmarshal(all[name], &members) != nil {
			continue
		}
		service := services[row.Provider]
		p := listedPrice(members, "")
		if service == "" || row.Mode != "chat" && row.Mode != "responses" || p == nil {
			continue
		}
		for member := range members {
			rest, is := strings.CutPrefix(member, "input_cost_per_token_above_")
			thousands, err := strconv.Atoi(strings.TrimSuffix(rest, "k_tokens"))
			if !is || err != nil {
				continue
			}
			p.Long, p.Above = listedPrice(members, fmt.Sprintf("_above_%dk_tokens", thousands)), int64(thousands)*1000
			if p.Long == nil {
				p = nil // it costs more than is known
				break
			}
		}
		if p == nil || !p.usable() {
			continue
		}
		if out[service] == nil {
			out[service] = map[string]priceRow{}
		}
		own := strings.TrimPrefix(name, row.Provider+"/")
		out[service][own] = priceRow{Window: whole(row.MaxInput), MaxOutput: whole(row.MaxOutput), Vision: row.Vision, Reasoning: row.Reasoning, Price: p}
	}
	return out, nil
}

// listedPrice is nil where input and output do not both cost something: what is free today
// is not tomorrow.
func listedPrice(members map[string]any, suffix string) *Price {
	perMillion := func(name string) *float64 {
		n, is := members[name+suffix].(float64)
		if !is || n <= 0 {
			return nil
		}
		n = math.Round(n*1e6*1e6) / 1e6
		return &n
	}
	in, out := perMillion("input_cost_per_token"), perMillion("output_cost_per_token")
	if in == nil || out == nil {
		return nil
	}
	return &Price{Input: *in, Output: *out, CacheRead: perMillion("cache_read_input_token_cost"), CacheWrite: perMillion("cache_creation_input_token_cost")}
}

func whole(n any) int64 {
	f, _ := n.(float64)
	return max(0, int64(min(f, 1<<40)))
}

const pricesHead = `// Windows, and prices in USD for a million tokens. ` + "`make prices`" + ` writes "models" anew and keeps "families":
// what a family has in common by the beginning of its models' names, which people write.
`

// tableText is the table as it is stored, a line a model.
func tableText(t priceTable) []byte {
	var b bytes.Buffer
	b.WriteString(pricesHead)
	fmt.Fprintf(&b, "{\n\"source\": %q,\n\"date\": %q,\n\"families\": {\n", t.Source, t.Date)
	lines(&b, t.Families)
	b.WriteString("},\n\"models\": {\n")
	for i, service := range slices.Sorted(maps.Keys(t.Models)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "%q: {\n", service)
		lines(&b, t.Models[service])
		b.WriteString("}")
	}
	b.WriteString("\n}\n}\n")
	return b.Bytes()
}

func lines(b *bytes.Buffer, rows map[string]priceRow) {
	for i, name := range slices.Sorted(maps.Keys(rows)) {
		row, _ := json.Marshal(rows[name])
		fmt.Fprintf(b, "  %q: %s", name, row)
		if i < len(rows)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
}

// The table that is built in can be read, is small, and has only prices that can be right.
func TestPriceTable(t *testing.T) {
	if *pricesFrom != "" {
		list, err := os.ReadFile(*pricesFrom)
		if err != nil {
			t.Fatal(err)
		}
		models, err := tableOf(list)
		if err != nil {
			t.Fatal(err)
		}
		pricesText = tableText(priceTable{Source: *pricesSay, Date: *pricesDate, Families: prices().Families, Models: models})
		if err := os.WriteFile("prices.jsonc", pricesText, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	table, err := parsePrices(pricesText)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(tableText(table), pricesText) {
		t.Error("prices.jsonc is not as the generator writes it")
	}
	if len(pricesText) > 60<<10 || table.Source == "" || len(table.Date) != len("2026-01-02") || len(table.Families) < 40 {
		t.Errorf("%d bytes, source %q, date %q, %d families", len(pricesText), table.Source, table.Date, len(table.Families))
	}
	for service, rows := range table.Models {
		if p, known := preset(service); !known || isLocalPreset(p) || len(rows) == 0 {
			t.Errorf("%q is not the name of a service", service)
		}
		for name, row := range rows {
			if row.Price == nil || !row.Price.usable() || row.Input <= 0 || row.Output <= 0 || row.Input > 1000 || row.Output > 1000 {
				t.Errorf("%s/%s: %+v", service, name, row)
			}
		}
	}
	for name, row := range table.Families {
		if row.Price != nil || name != strings.ToLower(name) {
			t.Errorf("the family %q has a price or capitals", name)
		}
	}
}

// What is taken from a public list, and what is not.
func TestPriceTableIsMadeOfAList(t *testing.T) {
	got, err := tableOf([]byte(`{
		"sample_spec": {"litellm_provider": "one of …", "mode": "one of …", "max_input_tokens": "max input tokens"},
		"claude-x": {"litellm_provider": "anthropic", "mode": "chat", "max_input_tokens": 200000, "max_output_tokens": 64000, "supports_vision": true,
			"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07, "cache_creation_input_token_cost": 3.75e-06,
			"input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05},
		"gemini/half-known": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06, "input_cost_per_token_above_200k_tokens": 2e-06},
		"groq/free": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
		"groq/odd": {"litellm_provider": "groq", "mode": "chat", "max_input_tokens": "many", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
		"groq/wrong": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": 1e300, "output_cost_per_token": 2e-06},
		"groq/text": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": "1", "output_cost_per_token": 2e-06},
		"groq/below": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": -1e-06, "output_cost_per_token": 2e-06},
		"whisper": {"litellm_provider": "openai", "mode": "audio_transcription", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
		"openrouter/x": {"litellm_provider": "openrouter", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
		"list": []
	}`))
	if err != nil {
		t.Fatal(err)
	}
	text := tableText(priceTable{Source: "s", Date: "2026-01-02", Models: got})
	want := pricesHead + `{
"source": "s",
"date": "2026-01-02",
"families": {
},
"models": {
"anthropic": {
  "claude-x": {"window":200000,"maxOutput":64000,"vision":true,"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75,"long":{"input":6,"output":22.5},"above":200000}
},
"groq": {
  "odd": {"input":1,"output":2}
}
}
}
`
	if string(text) != want {
		t.Errorf("got %s", text)
	}
	if _, err := tableOf([]byte(`not a list`)); err == nil {
		t.Error("what is no list was taken for one")
	}
}

// Which row a name means, and that a wrong price is worse than none.
func TestPriceRows(t *testing.T) {
	for _, row := range []struct {
		base, model string
		want        string // the row that has the same price, "" for none
	}{
		{"https://api.anthropic.com/v1", "claude-opus-4-5", "claude-opus-4-5"},
		{"https://api.anthropic.com/v1", "claude-opus-4-8-20261231", "claude-opus-4-8"},
		{"https://api.anthropic.com/v1", "claude-opus-4-8@20261231", "claude-opus-4-8"},
		{"https://api.anthropic.com/v1", "claude-opus-4-8-2026-12-31", "claude-opus-4-8"},
		{"https://api.anthropic.com/v1", "models/claude-opus-4-8", "claude-opus-4-8"},
		{"https://api.anthropic.com/v1", "claude-opus-4-8-ultra", ""}, // another model of the family
		{"https://api.anthropic.com/v1", "claude-opus", ""},
		{"https://api.anthropic.com/v1", "gpt-4o", ""},
		{"https://api.anthropic.com/v1", "", ""},
		{"https://gateway.example.com/v1", "claude-opus-4-5", ""}, // its price is its own
		{"http://127.0.0.1:11434/v1", "claude-opus-4-5", ""},
		{"http://127.0.0.1:11434/v1", "gpt-oss", ""},
	} {
		base, _ := url.Parse(row.base)
		got := rowAt(base, row.model).Price
		if want := prices().Models["anthropic"][row.want].Price; got != want {
			t.Errorf("%s at %s: %+v, want that of %q", row.model, row.base, got, row.want)
		}
	}
}
