package history

import (
	"encoding/json"
	"testing"
)

func usd(n float64) *float64 { return &n }

// Sums are exact, estimated where any part of them is, and leave what was shown before as it was.
func TestUsageAdds(t *testing.T) {
	var u Usage
	var shown []string
	var before []Usage
	for _, c := range []*TokenCount{
		{InputTokens: 100, OutputTokens: 5}, // no cost
		{InputTokens: 100, CachedTokens: 80, CacheWriteTokens: 10, Cost: usd(0.1)},
		nil,
		{InputTokens: 1, Cost: usd(0.2), Estimated: true},
		{InputTokens: 1, Cost: usd(0.00000001)},
	} {
		u.Add(c)
		text, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		shown, before = append(shown, string(text)), append(before, u)
	}
	if got := *u.Cost; got != (Cost{0.30000001, "USD", true}) || u.InputTokens != 202 || u.CachedTokens != 80 {
		t.Errorf("%+v %+v", u, got)
	}
	if before[0].Cost != nil || before[1].Cost.Estimated {
		t.Errorf("%+v", before)
	}
	for i := range before {
		if text, _ := json.Marshal(before[i]); string(text) != shown[i] {
			t.Errorf("what was shown as %s has become %s", shown[i], text)
		}
	}
	u.Plus(Usage{InputTokens: 8, Cost: &Cost{1, "USD", false}})
	if u.Cost.Amount != 1.30000001 || !u.Cost.Estimated || u.InputTokens != 210 {
		t.Errorf("%+v", u.Cost)
	}
	u.Plus(Usage{Cost: &Cost{1e308, "USD", false}})
	u.Plus(Usage{Cost: &Cost{1e308, "USD", false}})
	if _, err := json.Marshal(u); err != nil { // what no number has is in no log
		t.Error(err)
	}
}
