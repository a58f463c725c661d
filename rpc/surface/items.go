package surface

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// items are the choices with their answers; nil is the review.
func (b *Board) items(q *Question) (titles []Shown, answers []*session.Answer) {
	locale := b.Locale
	add := func(title string, a *session.Answer) {
		titles, answers = append(titles, Message(title)), append(answers, a)
	}
	add(text.Review.In(locale), nil)
	add(q.label("reject", text.Reject.In(locale)), &session.Answer{Decision: "reject", Digest: q.Digest})
	if !b.reviewedHere(q) && !q.whole(shortTitle) {
		return titles, answers
	}
	for _, y := range b.yeses(q, shortTitle) {
		title, a := text.AllowOnce.In(locale), &session.Answer{Decision: y.decision, Digest: q.Digest}
		switch {
		case y.offer != nil:
			title, a.OfferID = alwaysTitle(locale, *y.offer), y.offer.ID
		case y.decision == "always":
			title = q.label("always", text.AlwaysAllowOf.In(locale, q.what(shortTitle)))
		}
		if !slices.Contains(titles, Message(title)) { // the client answers with a title, so two may not be the same
			add(title, a)
		}
	}
	return titles, answers
}

// alwaysTitle says what always would allow from now on, and where.
func alwaysTitle(locale string, o control.Offer) string {
	if o.Workspace != "" {
		return text.AlwaysWorkspace.In(locale, control.Title(o.PlainNames(), shortTitle))
	}
	return text.AlwaysEverywhere.In(locale, control.Title(o.PlainNames(), shortTitle))
}
