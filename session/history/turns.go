package history

import "slices"

// LastTurn is the index of the prompt that began the last turn, 0 where that was
// cut away.
func (t *Transcript) LastTurn() int {
	for k := len(t.Items) - 1; k > 0; k-- {
		if t.Items[k].Prompt {
			return k
		}
	}
	return 0
}

// Divides says that everything before item k is older than everything from it
// on, so that a summary can replace it, and that no call is separated from its
// result. What a person said during a batch is behind it, although it is
// older: there is no boundary.
func (t *Transcript) Divides(k int) bool {
	if k <= 0 || k >= len(t.Items) || t.Items[k].Result != nil {
		return false
	}
	at := t.Items[k].Seq
	return !slices.ContainsFunc(t.Items[:k], func(i Item) bool { return i.Seq >= at })
}

// CarriedBy is the prompt of the turn that a cut before item k goes through, nil
// where it goes between two turns.
func (t *Transcript) CarriedBy(k int) []Block {
	if k >= len(t.Items) || t.Items[k].Prompt {
		return nil
	}
	carried := t.Carried
	for _, i := range t.Items[:k] {
		if i.Prompt {
			carried = i.Blocks
		}
	}
	return carried
}

// TurnStarts are the indexes at which turns begin; 0 where the prompt of the
// first is in the summary.
func (t *Transcript) TurnStarts() []int {
	var starts []int
	for k, i := range t.Items {
		if k == 0 || i.Prompt {
			starts = append(starts, k)
		}
	}
	return starts
}

// AnsweredLast is the model that gave the last answer that is not in the summary, "" if there
// is none.
func (t *Transcript) AnsweredLast() string {
	for _, i := range slices.Backward(t.Items) {
		if i.Answer != nil {
			return i.Answer.Model
		}
	}
	return ""
}
