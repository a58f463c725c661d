package config

// Budgets bound more than one run: a session, and a day of everything in a home.
type Budgets struct{ Session, Day Spend }

// Spend is how much may be spent before somebody is asked; 0 is no limit.
type Spend struct {
	Tokens int64
	Cost   float64 // USD
}

// Within is the stricter of both.
func (b Budgets) Within(o Budgets) Budgets {
	return Budgets{b.Session.within(o.Session), b.Day.within(o.Day)}
}

func (s Spend) within(o Spend) Spend {
	if s.Tokens <= 0 || o.Tokens > 0 && o.Tokens < s.Tokens {
		s.Tokens = o.Tokens
	}
	if s.Cost <= 0 || o.Cost > 0 && o.Cost < s.Cost {
		s.Cost = o.Cost
	}
	return s
}
