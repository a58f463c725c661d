package model

// Cheapest is the name of the cheapest model that is configured for the provider of a model,
// by the prices that are known: the model itself where none is cheaper or its own price is
// not known. It is "" where the provider is a server of this machine or a private network:
// such a server keeps one conversation in its memory, and another request would push that out.
func (c *Catalog) Cheapest(name string) string {
	p, own, err := c.resolve(name)
	if err != nil {
		return ""
	}
	base, err := parseBase(p.BaseURL)
	if err != nil || isLocal(base) {
		return ""
	}
	cost := func(model string) (sum float64, known bool) {
		if price := priceOf(p.Models[model].Price, rowAt(base, model)); price != nil {
			return price.Input + price.Output, true
		}
		return 0, false
	}
	best := own
	least, known := cost(own)
	for model := range p.Models {
		if sum, is := cost(model); known && is && (sum < least || sum == least && model < best) {
			best, least = model, sum
		}
	}
	return p.Name + "/" + best
}
