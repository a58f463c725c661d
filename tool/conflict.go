package tool

import "errors"

// Conflict is a file that an undo leaves as it is, and why.
type Conflict struct {
	Path   string `json:"path"`
	Reason Reason `json:"reason"`
	// With are the other calls that have changed the file (Shared, SharedLater), as in a Change.
	With []string `json:"with,omitempty"`
}

// Reason is why an undo leaves a file as it is: one of those below, which people read
// in their language, or the text of an error. It is an error itself, so that whoever
// finds out can return it.
type Reason string

// Error is the reason's own name; its words are in package text.
func (r Reason) Error() string { return string(r) }

// ReasonOf is the reason that an error is, or its text.
func ReasonOf(err error) Reason {
	var r Reason
	if errors.As(err, &r) {
		return r
	}
	return Reason(err.Error())
}

// The reasons there are.
const (
	ChangedSince   Reason = "changed_since"
	DeletedSince   Reason = "deleted_since"
	AppearedSince  Reason = "appeared_since"
	ChangedBetween Reason = "changed_between"
	Overlaps       Reason = "overlaps"
	NotText        Reason = "not_text"
	TooMany        Reason = "too_many"
	NeverKept      Reason = "never_kept"
	NotKeptNow     Reason = "not_kept_now"
	LeftNotKept    Reason = "left_not_kept"
	Elsewhere      Reason = "elsewhere"
	OwnHome        Reason = "own_home"
	Changing       Reason = "changing"
	NotInEditor    Reason = "not_in_editor"
	MaybeInEditor  Reason = "maybe_in_editor"
	Unsaved        Reason = "unsaved"
	DirectoryInWay Reason = "directory_in_way"
	NotOurs        Reason = "not_ours"
	Repository     Reason = "repository"
	Lost           Reason = "lost"
	Shared         Reason = "shared"
	SharedLater    Reason = "shared_later"

	NotReached Reason = "not_reached"
	NoFile     Reason = "no_file"
	TooLarge   Reason = "too_large"
	Denied     Reason = "denied"
	Rejected   Reason = "rejected"
)
