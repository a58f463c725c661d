package text

// conflicts are why an undo leaves a file as it is, by the names of package tool.
var conflicts = map[string]Message{
	"changed_since":    {"was changed since", "此后已被更改"},
	"deleted_since":    {"was deleted since", "此后已被删除"},
	"appeared_since":   {"something else lies there now", "该位置现在有其他内容"},
	"changed_between":  {"was changed by somebody else between the agent's changes", "在代理的多次更改之间被他人更改"},
	"overlaps":         {"was changed since, in the same lines", "此后在相同的行上有更改"},
	"not_text":         {"was changed since, and is not a text that can be merged", "此后已被更改，且不是可以合并的文本"},
	"too_many":         {"cannot undo: more was changed here than is kept of one command", "无法撤销：该命令在此处的更改超出了保留的数量"},
	"never_kept":       {"cannot undo: its previous content was not kept", "无法撤销：未保留其先前的内容"},
	"not_kept_now":     {"cannot undo: its previous content is not kept any more", "无法撤销：其先前的内容已不再保留"},
	"left_not_kept":    {"was changed since, and what the agent had left is not kept, so that nothing can be merged", "此后已被更改，且未保留代理写下的内容，因此无法合并"},
	"elsewhere":        {"a link leads elsewhere now", "链接现在指向别处"},
	"own_home":         {"is the sidecar's own", "属于 agent-sidecar 自己"},
	"changing":         {"is being changed by somebody else", "正在被他人更改"},
	"unsaved":          {"has unsaved changes in the editor", "在编辑器中有未保存的更改"},
	"not_in_editor":    {"the editor did not make the change", "编辑器未进行此更改"},
	"maybe_in_editor":  {"the editor did not answer, and may still make the change", "编辑器没有应答，仍可能进行此更改"},
	"directory_in_way": {"was a directory, or is one now", "曾是目录，或现在是目录"},
	"not_ours":         {"cannot undo: this session did not change it, but the one that it was copied from", "无法撤销：更改它的不是此会话，而是此会话的来源会话"},
}

// Conflict is the reason of a conflict in words. What has no name there is the text of
// an error, and stays as it is.
func Conflict(locale, reason string) string {
	if m, known := conflicts[reason]; known {
		return m.In(locale)
	}
	return reason
}
