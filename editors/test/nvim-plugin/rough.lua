-- A person who does what nobody has thought of: commands before there is anything, words that nothing has, lists and chats in the only
-- window, a chat that is unloaded, a prompt of 100 KB.
local function told(e, text)
  e.wait('it is told: ' .. text, function() return vim.iter(e.told):any(function(m) return m:find(text, 1, true) end) end, function() return e.told end)
  e.told = {}
end

return function(e)
  vim.o.autochdir, vim.o.splitright, vim.o.splitbelow, vim.o.equalalways = true, true, true, false
  -- As plugin managers load a plugin with its command: the file is there before.
  e.watch()
  vim.cmd.edit(e.note())
  vim.api.nvim_create_user_command('Agent', function(command)
    vim.api.nvim_del_user_command('Agent')
    require('agent-sidecar').setup({ approvals = { popup = false } })
    vim.cmd({ cmd = 'Agent', args = { command.args } })
  end, { nargs = '*' })
  vim.cmd([[Agent say "hi" 'x' | echo y " z %:p # <cword> $HOME `ls` 日本語]])
  e.attached()
  e.finished(1)
  e.check('the prompt is what was typed', e.shows([[▌ say "hi" 'x' | echo y " z %:p # <cword> $HOME `ls` 日本語]]), e.chat())

  e.told = {}
  vim.cmd('AgentUndo nosuch')
  told(e, 'nosuch')
  vim.cmd('AgentArtifact nosuch')
  told(e, 'nosuch')
  vim.cmd('AgentMode nosuch')
  told(e, 'nosuch')
  vim.cmd('AgentAgent nosuch')
  told(e, 'nosuch')
  vim.cmd('AgentApprove nosuch')
  told(e, 'no such pending approval')
  vim.cmd('AgentStop')
  told(e, 'nothing runs')
  vim.cmd('AgentArtifact')
  told(e, 'no outputs')
  vim.cmd('AgentUndo')
  told(e, 'nothing to undo')

  -- The list of sessions in the only window, in the last tab, and where another tab shows it.
  local function list()
    vim.cmd('AgentSessions')
    e.wait('the list is in this tab', function() return vim.api.nvim_buf_get_name(0):find('agent-sessions:', 1, true) end, function() return vim.api.nvim_buf_get_name(0) end)
  end
  list()
  vim.cmd.only()
  vim.cmd.tabedit(e.note())
  list()
  vim.cmd('silent tabonly | silent only')
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  e.keys('<CR>')
  e.check('the list goes, and the chat is shown', #vim.fn.win_findbuf(e.conversation().view.buf) == 1 and not vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(w)):find('agent-sessions:', 1, true) end))

  -- A chat that is unloaded is made anew, not drawn into.
  local old = e.conversation().view.buf
  vim.cmd.edit(e.note())
  vim.cmd.bdelete({ old, bang = true })
  e.wait('an unloaded chat is gone', function() return not vim.api.nvim_buf_is_valid(old) end)
  local long = ('word '):rep(20000) .. 'the end'
  require('agent-sidecar').prompt(long)
  e.finished(1)
  e.check('a long prompt is told by its size', e.shows('▌ [a text of 98 KiB]'), e.chat())

  e.go('— done')
  vim.cmd.only()
  vim.cmd('Agent In the only window.')
  e.finished(2)
  e.go('— done')
  e.keys('q')
  e.check('q leaves the chat, also in the only window', vim.api.nvim_get_current_buf() ~= e.conversation().view.buf)
end
