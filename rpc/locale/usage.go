package locale

// UsageHead are the titles of the columns of a table; first is what its rows are.
func UsageHead(locale string, first Message) []string {
	return []string{first.In(locale), usageInput.In(locale), usageCached.In(locale), usageWritten.In(locale), usageOutput.In(locale), usageCost.In(locale)}
}

// UsageNotes are the sentences below such a table.
func UsageNotes(locale string, estimated bool, unpriced int64, broken int) (notes []string) {
	if estimated {
		notes = append(notes, usageEstimated.In(locale))
	}
	if unpriced > 0 {
		notes = append(notes, usageUnpriced.In(locale, unpriced))
	}
	if broken > 0 {
		notes = append(notes, usageBroken.In(locale, broken))
	}
	return notes
}
