package locale

// chineseConflicts is why an undo leaves a file as it is.
var chineseConflicts = []row{
	{"was changed since", "此后已被更改"},
	{"was deleted since", "此后已被删除"},
	{"something else is there now", "该位置现在有其他内容"},
	{"was changed by somebody else between the agent's changes", "在代理的多次更改之间被他人更改"},
	{"was changed since, in the same lines", "此后在相同的行上有更改"},
	{"was changed since, and is not text that can be merged", "此后已被更改，且不是可以合并的文本"},
	{"cannot undo: the command changed more here than can be kept", "无法撤销：该命令在此处的更改超出了保留的数量"},
	{"cannot undo: its previous contents were not kept", "无法撤销：未保留其先前的内容"},
	{"cannot undo: its previous contents are no longer kept", "无法撤销：其先前的内容已不再保留"},
	{"was changed since, and what the agent had left was not kept, so it cannot be merged", "此后已被更改，且未保留代理写下的内容，因此无法合并"},
	{"a link leads elsewhere now", "链接现在指向别处"},
	{"is the sidecar's own", "属于 agent-sidecar 自己"},
	{"is being changed by somebody else", "正在被他人更改"},
	{"has unsaved changes in the editor", "在编辑器中有未保存的更改"},
	{"the editor did not make the change", "编辑器未进行此更改"},
	{"the editor did not answer, and may still make the change", "编辑器没有应答，仍可能进行此更改"},
	{"was a directory, or is one now", "曾是目录，或现在是目录"},
	{"git would treat its folder as a repository again, and obey what is in it now", "git 会再次把其所在文件夹当作仓库，并执行其中现有的配置"},
	{"cannot undo: the program was killed during a call, and it is not known what that call changed", "无法撤销：程序在一次调用期间被终止，该调用的更改未知"},
	{"another command that ran at the same time had changed it too; undo from the earlier of the two calls, or this file alone", "另一个同时运行的命令此前也更改了它；请从两次调用中较早的一次开始撤销，或指定撤销此文件"},
	{"another command that ran at the same time has changed it too; undo from the earlier of the two calls", "另一个同时运行的命令也更改了它；请从两次调用中较早的一次开始撤销"},
	{"cannot undo: this session did not change it; the session that it was copied from did", "无法撤销：更改它的不是此会话，而是此会话的来源会话"},
}
