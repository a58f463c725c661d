package locale

import "strings"

// conflicts are why an undo leaves a file as it is, by the names of package tool.
var conflicts = map[string]Message{
	"changed_since":    "was changed since",
	"deleted_since":    "was deleted since",
	"appeared_since":   "something else is there now",
	"changed_between":  "was changed by somebody else between the agent's changes",
	"overlaps":         "was changed since, in the same lines",
	"not_text":         "was changed since, and is not text that can be merged",
	"too_many":         "cannot undo: the command changed more here than can be kept",
	"never_kept":       "cannot undo: its previous contents were not kept",
	"not_kept_now":     "cannot undo: its previous contents are no longer kept",
	"left_not_kept":    "was changed since, and what the agent had left was not kept, so it cannot be merged",
	"elsewhere":        "a link leads elsewhere now",
	"own_home":         "is the sidecar's own",
	"changing":         "is being changed by somebody else",
	"unsaved":          "has unsaved changes in the editor",
	"not_in_editor":    "the editor did not make the change",
	"maybe_in_editor":  "the editor did not answer, and may still make the change",
	"directory_in_way": "was a directory, or is one now",
	"repository":       "git would treat its folder as a repository again, and obey what is in it now",
	"lost":             "cannot undo: the program was killed during a call, and it is not known what that call changed",
	"shared":           "another command that ran at the same time had changed it too; undo from the earlier of the two calls, or this file alone",
	"shared_later":     "another command that ran at the same time has changed it too; undo from the earlier of the two calls",
	"not_reached":      "cannot undo: it was changed on a runner that cannot be reached",
	"no_file":          "is a link or a repository, which is not brought from one machine to another",
	"too_large":        "is too large to be brought from one machine to another",
	"denied":           "your rules do not allow the change on this machine",
	"rejected":         "you rejected the change on this machine",
	"not_ours":         "cannot undo: this session did not change it; the session that it was copied from did",
}

// Conflict is the reason of a conflict in words, and behind them the other calls that
// it is about. What has no name there is the text of an error, and stays as it is.
func Conflict(locale, reason string, with ...string) string {
	if m, known := conflicts[reason]; known {
		reason = m.In(locale)
	}
	if len(with) == 0 {
		return reason
	}
	return reason + " (" + strings.Join(with, ", ") + ")"
}
