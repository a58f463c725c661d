package model

import (
	_ "embed"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// The table of windows and prices. `make prices` writes it anew from a public list; what
// is known of families is kept.
//
//go:embed prices.jsonc
var pricesText []byte

// priceTable is prices.jsonc.
type priceTable struct {
	Source string `json:"source"` // of Models
	Date   string `json:"date"`   // of Models
	// Families are by the beginning of a model's own name: what a whole family has in
	// common, wherever it runs. No prices: these differ inside a family.
	Families map[string]priceRow `json:"families"`
	// Models are by provider and the name that it has there.
	Models map[string]map[string]priceRow `json:"models"`
}

// priceRow is what is known of a model. Zero is unknown.
type priceRow struct {
	Window    int64 `json:"window,omitempty"`    // tokens
	MaxOutput int64 `json:"maxOutput,omitempty"` // tokens
	Vision    bool  `json:"vision,omitempty"`
	Reasoning bool  `json:"reasoning,omitempty"`
	*Price
}

// Price is in USD for a million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	// CacheRead and CacheWrite are for what of the prompt was read from the provider's cache,
	// and written to it; nil: as Input.
	CacheRead  *float64 `json:"cacheRead,omitempty"`
	CacheWrite *float64 `json:"cacheWrite,omitempty"`
	// Long is for requests with a prompt of more than Above tokens; nil: one price for all.
	Long  *Price `json:"long,omitempty"`
	Above int64  `json:"above,omitempty"`
}

// maxPrice is a dollar for one token: what is above it is a slip.
const maxPrice = 1e6

// prices is the table. It is parsed when a model is first opened, not at the start.
var prices = sync.OnceValue(func() priceTable {
	t, err := parsePrices(pricesText)
	if err != nil {
		return priceTable{} // a test reads it: nothing is known then, and nothing is wrong
	}
	return t
})

// parsePrices leaves out the comment in front, which is all that has comments.
func parsePrices(text []byte) (t priceTable, err error) {
	begin := max(0, strings.Index(string(text), "\n{"))
	return t, json.Unmarshal(text[begin:], &t)
}

// builtIn is what is known of a model's family, by the longest beginning of its own name;
// what the user, a model list or an error says wins. The zero row is unknown.
func builtIn(model string) priceRow {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	families := prices().Families
	for n := len(name); n > 0; n-- {
		if row, ok := families[name[:n]]; ok && (n == len(name) || strings.ContainsRune("-.:@", rune(name[n]))) {
			return row
		}
	}
	return priceRow{}
}

// rowAt is what the table has of a model at an address; only a service's own address
// counts, whatever the configuration calls it. The name must be that of a row, but for a
// path before it and a date behind it: a price of another model of the family would be
// worse than none.
func rowAt(base *url.URL, model string) priceRow {
	for _, p := range Presets() {
		u, err := url.Parse(p.BaseURL)
		if err != nil || isLocalPreset(p) || u.Host != base.Host {
			continue
		}
		rows := prices().Models[p.Name]
		own := model[strings.LastIndexByte(model, '/')+1:]
		for _, name := range []string{model, own, dated().ReplaceAllString(model, ""), dated().ReplaceAllString(own, "")} {
			if row, ok := rows[name]; ok {
				return row
			}
		}
	}
	return priceRow{}
}

// minWindow: a smaller number in a list or in a text of an error is no
// context window.
const minWindow = 256

// dated is the date behind the name of a model.
var dated = lazy.Regexp(`[-@](20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})$`)

// priceOf is the price of a model: as the configuration says, else as the table does for
// its own service; nil: none is known. One in the configuration that cannot be used is none.
func priceOf(configured json.RawMessage, row priceRow) *Price {
	if len(configured) == 0 || string(configured) == "null" {
		return row.Price
	}
	var said struct {
		Input, Output, CacheRead, CacheWrite *float64
	}
	if json.Unmarshal(configured, &said) != nil || said.Input == nil || said.Output == nil {
		return nil
	}
	p := &Price{Input: *said.Input, Output: *said.Output, CacheRead: said.CacheRead, CacheWrite: said.CacheWrite}
	if !p.usable() {
		return nil
	}
	return p
}

// usable says that every number can be a price.
func (p *Price) usable() bool {
	for _, n := range []*float64{&p.Input, &p.Output, p.CacheRead, p.CacheWrite} {
		if n != nil && !(*n >= 0 && *n <= maxPrice) {
			return false
		}
	}
	return p.Long == nil || p.Above > 0 && p.Long.Long == nil && p.Long.usable()
}

// cost is that of one answer in USD.
func (p *Price) cost(u *Usage) float64 {
	if p.Long != nil && u.Input > p.Above {
		return p.Long.cost(u)
	}
	read := min(max(u.Cached, 0), max(u.Input, 0))
	written := min(max(u.CacheWrite, 0), max(u.Input, 0)-read)
	fresh := max(u.Input, 0) - read - written
	sum := float64(fresh)*p.Input + float64(max(u.Output, 0))*p.Output + float64(read)*priceOr(p.CacheRead, p.Input) + float64(written)*priceOr(p.CacheWrite, p.Input)
	const steps = 1e10 // of a dollar: what is below is noise of the sum
	return math.Round(sum/1e6*steps) / steps
}

func priceOr(n *float64, other float64) float64 {
	if n != nil {
		return *n
	}
	return other
}

// priced gives usage the cost that its provider did not report, where there is a price.
func (e *endpoint) priced(u *Usage) {
	if u == nil || u.Cost != nil || e.price == nil {
		return
	}
	cost := e.price.cost(u)
	u.Cost, u.Estimated = &cost, true
}
