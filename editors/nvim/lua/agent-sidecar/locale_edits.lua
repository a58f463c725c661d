-- What the texts about going back and about single changes are in Simplified Chinese: a part of the table of locale.lua.
return {
  ['  +%d −%d since before the agent'] = '  +%d −%d（自代理更改之前）',
  ['%s is none of keep, undo, next, prev'] = '%s 不是 keep、undo、next、prev 之一',
  ['Go back to before the prompt under the cursor, or the last one, with the files'] = '回到光标所在（或最后一个）提示词之前，文件也一并恢复',
  ['go back to before the prompt, with the files'] = '回到提示词之前，文件也一并恢复',
  ['Keep or undo the change of the agent at the cursor, or go to the next or previous one'] = '保留或撤销光标处的代理更改，或转到下一处/上一处',
  ['No file would change. Go on from before this prompt?'] = '不会更改任何文件。要从此提示词之前继续吗？',
  ['nothing was restored: the files have changed meanwhile'] = '未恢复任何内容：文件在此期间已更改',
  ['Restore what was before this prompt: %s'] = '恢复到此提示词之前：%s',
  ['Restore without the files that stay'] = '不含保持不变的文件进行恢复',
  ['Restore'] = '恢复',
  ['restored: %s; the conversation goes on in session %s'] = '已恢复：%s；对话在会话 %s 中继续',
  ['Show what would change'] = '显示将要更改的内容',
  ['the agent is at work in this session: stop it first, or wait until it is done'] = '代理正在此会话中工作：请先停止它，或等它完成',
  ['the buffer cannot be changed'] = '该缓冲区无法更改',
  ['there are no more changes of the agent in this file'] = '此文件中没有更多代理更改',
  ['there is no change of the agent at the cursor'] = '光标处没有代理的更改',
}
