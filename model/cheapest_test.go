package model

import (
	"encoding/json"
	"testing"
)

func TestCheapest(t *testing.T) {
	priced := func(in string) ModelConfig {
		return ModelConfig{Price: json.RawMessage(`{"input": ` + in + `, "output": 1}`)}
	}
	far := Provider{Name: "far", BaseURL: "https://models.example/v1", APIKeys: []string{"k"}, Models: map[string]ModelConfig{"large": priced("5"), "small": priced("1"), "tiny": priced("1"), "odd": {}}}
	near := Provider{Name: "near", BaseURL: "http://127.0.0.1:9/v1", Models: map[string]ModelConfig{"large": priced("5"), "small": priced("1")}}
	c := &Catalog{Providers: []Provider{far, near}}
	for name, want := range map[string]string{
		"far/large":     "far/small",
		"far/small":     "far/small",
		"far/tiny":      "far/small",
		"far/odd":       "far/odd", // its price is not known, so nothing is known to be cheaper
		"far/elsewhere": "far/elsewhere",
		"near/large":    "", // a server of this machine
		"nowhere/x":     "",
		"":              "",
	} {
		if got := c.Cheapest(name); got != want {
			t.Errorf("beside %q: %q, want %q", name, got, want)
		}
	}
}
