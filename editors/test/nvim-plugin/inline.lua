-- An edit at the cursor: lines and words are a run of a session of its own, marked while it is at work, stopped by :AgentStop; what it
-- changed is taken back in place. A problem of the line is given to the agent the same way.
return function(e)
  vim.fn.writefile({ 'one', 'two', 'three' }, 'code.txt')
  e.begin({ approvals = { popup = true, idle_ms = 0 } }, 'code.txt')
  e.attached()
  local win, buf = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  vim.cmd('Agent Hello.')
  e.answer_review('config', 'Trust this folder')
  e.finished(1)
  local chat = e.conversation().id
  vim.api.nvim_set_current_win(win)
  local function marked() return #vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_get_namespaces()['agent-sidecar-inline'], 0, -1, {}) > 0 end
  vim.cmd('2AgentEdit Make it German.')
  e.wait('it is marked while it is at work', marked, function() return e.told end)
  e.wait('the line is edited', function() return e.read('code.txt') == 'one\nzwei\nthree\n' end, function() return { e.told, e.asked } end)
  e.wait('the mark goes', function() return not marked() end, function() return e.told end)
  e.check('the chat shows its own', e.conversation().id == chat and not e.shows('German'), e.chat())
  local function pieces() return #vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_get_namespaces()['agent-sidecar-hunks'], 0, -1, {}) end
  e.wait('what it changed is marked', function() return pieces() > 0 end, function() return { vim.api.nvim_buf_get_lines(buf, 0, -1, false), e.told } end)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd('AgentHunk undo')
  e.wait('and taken back', function() return vim.api.nvim_buf_get_lines(buf, 0, -1, false)[2] == 'two' and pieces() == 0 end, function() return e.told end)
  vim.cmd.write()

  vim.cmd('1,3AgentEdit Wait for me.')
  e.wait('another is at work', marked, function() return e.told end)
  e.stays('it waits', marked)
  vim.cmd('AgentStop')
  e.wait('it is stopped', function() return not marked() end, function() return e.told end)
  e.check('and has changed nothing', e.read('code.txt') == 'one\ntwo\nthree\n')

  vim.cmd('AgentEdit!')
  e.check('a line without a problem says so', e.told[#e.told]:find('no problem', 1, true), e.told)
  vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), buf, { { lnum = 2, col = 0, end_lnum = 2, message = 'three is a number', source = 'lint', code = 'no-words', severity = 1 } })
  vim.cmd('3AgentEdit!')
  e.wait('a problem is fixed', function() return e.read('code.txt') == 'one\ntwo\n3\n' end, function() return { e.told, e.asked } end)
  e.wait('to the end', function() return not marked() end, function() return e.told end)
  vim.cmd('2AgentEdit')
  e.check('without words they are asked for', e.asked_with('What should change here?'), e.asked)
end
