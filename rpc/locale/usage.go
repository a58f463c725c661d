package locale

// UsageHead are the titles of the columns of a table by day, model or session.
func UsageHead(locale, by string) []string {
	first := usageDay.In(locale)
	switch by {
	case "model":
		first = usageModel.In(locale)
	case "session":
		first = usageSession.In(locale)
	}
	return []string{first, usageInput.In(locale), usageCached.In(locale), usageWritten.In(locale), usageOutput.In(locale), usageCost.In(locale)}
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
