package model

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
)

func usd(n float64) *float64 { return &n }

func TestCost(t *testing.T) {
	claude := &Price{Input: 3, Output: 15, CacheRead: usd(0.3), CacheWrite: usd(3.75), Long: &Price{Input: 6, Output: 22.5}, Above: 200_000}
	for name, row := range map[string]struct {
		price *Price
		usage Usage
		want  float64
	}{
		"nothing":                     {claude, Usage{}, 0},
		"fresh":                       {claude, Usage{Input: 1000, Output: 100}, 0.0045},
		"cached":                      {claude, Usage{Input: 1000, Output: 100, Cached: 800}, 0.00234},
		"cached and written":          {claude, Usage{Input: 1000, Output: 0, Cached: 500, CacheWrite: 400}, 0.00195},
		"all of it cached":            {claude, Usage{Input: 1000, Cached: 1000}, 0.0003},
		"at the edge":                 {claude, Usage{Input: 200_000}, 0.6},
		"long":                        {claude, Usage{Input: 200_001, Cached: 200_000}, 1.200006},
		"more cached than there is":   {claude, Usage{Input: 10, Cached: 1000, CacheWrite: 1000}, 0.000003},
		"below nothing":               {claude, Usage{Input: -5, Output: -5, Cached: -5, CacheWrite: -5}, 0},
		"no price for the cache":      {&Price{Input: 2, Output: 8}, Usage{Input: 1000, Cached: 900, CacheWrite: 50}, 0.002},
		"a cache that costs nothing":  {&Price{Input: 2, Output: 8, CacheRead: usd(0)}, Usage{Input: 1000, Cached: 900}, 0.0002},
		"a thousandth of a millionth": {&Price{Input: 0.02, Output: 0}, Usage{Input: 1}, 0.00000002},
	} {
		if got := row.price.cost(&row.usage); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// The configuration's word on a price wins, and what is none counts as none.
func TestPriceOfTheConfiguration(t *testing.T) {
	table := priceRow{Price: &Price{Input: 1, Output: 2}}
	for text, want := range map[string]string{
		``:                          `{"input":1,"output":2}`,
		`null`:                      `{"input":1,"output":2}`,
		`{"input": 3, "output": 4}`: `{"input":3,"output":4}`,
		`{"input": 0, "output": 0}`: `{"input":0,"output":0}`,
		`{"input": 3, "output": 4, "cacheRead": 0.3, "cacheWrite": 5}`: `{"input":3,"output":4,"cacheRead":0.3,"cacheWrite":5}`,
		`{"input": 3}`:                               `null`,
		`{"input": -3, "output": 4}`:                 `null`,
		`{"input": "3", "output": 4}`:                `null`,
		`{"input": 1e308, "output": 4}`:              `null`,
		`{"input": 1e999, "output": 4}`:              `null`,
		`{"input": 1, "output": 4, "cacheRead": -1}`: `null`,
		`5`:  `null`,
		`[]`: `null`,
	} {
		if got, _ := json.Marshal(priceOf(json.RawMessage(text), table)); string(got) != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An answer whose provider reports no cost gets one, and says that it is computed; what
// is reported stays as it is.
func TestAnswersAreCosted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for usage, want := range map[string]string{
			`{"prompt_tokens":1000,"completion_tokens":100}`:            `0.0014 true`,
			`{"prompt_tokens":1000,"completion_tokens":100,"cost":0.7}`: `0.7 false`,
			`{"prompt_tokens":1000,"completion_tokens":100,"cost":0}`:   `0 false`,
		} {
			body := `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}],"usage":` + usage + "}\n\ndata: [DONE]\n\n"
			c, _ := script(t, step{status: 200, body: body})
			c.Providers[0].Models = map[string]ModelConfig{"priced": {Price: json.RawMessage(`{"input": 1, "output": 4}`)}}
			u := hear(t.Context(), open(t, c, "test/priced"), ask("hi")).done.Usage
			if got := fmt.Sprint(*u.Cost, u.Estimated); got != want {
				t.Errorf("%s: %s, want %s", usage, got, want)
			}
		}
	})
}
