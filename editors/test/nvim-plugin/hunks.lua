-- The agent's changes piece by piece in a buffer: marked, kept, taken back as the person's own edit, wherever the lines are by then.
return function(e)
  local lines = {}
  for i = 1, 20 do lines[i] = 'line ' .. i end
  vim.fn.writefile(lines, 'long.txt')
  vim.fn.writefile({ 'one\r', 'two' }, 'dos.txt', 'b') -- no line end at the end
  e.begin({ approvals = { popup = true, idle_ms = 0 } }, 'long.txt')
  e.attached()
  local buf = vim.api.nvim_get_current_buf()
  local win = vim.api.nvim_get_current_win()
  vim.cmd('Agent Change them.')
  e.answer_review('config', 'Trust this folder')
  e.finished(1)
  vim.api.nvim_set_current_win(win)
  local space = vim.api.nvim_get_namespaces()['agent-sidecar-hunks']
  -- marks are the rows whose pieces are named.
  local function marks()
    local rows = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
      if mark[4].virt_text then rows[#rows + 1] = mark[2] + 1 end
    end
    return table.concat(rows, ' ')
  end
  local function marked(what, rows) e.wait(what, function() return marks() == rows end, function() return { marks(), vim.api.nvim_buf_get_lines(0, 0, -1, false), e.told } end) end
  local function text() return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') end
  marked('each piece is marked', '2 10 19')
  vim.api.nvim_buf_set_lines(buf, 0, 0, false, { 'mine' })
  vim.cmd.doautocmd('TextChanged')
  marked('lines typed above move them, and are one themselves', '1 3 11 20')

  vim.api.nvim_win_set_cursor(0, { 20, 0 })
  vim.cmd('let &undolevels = &undolevels') -- what a person types next is a change of its own
  vim.cmd('AgentHunk undo')
  marked('one is taken back at its place', '1 3 11')
  e.check('which is where it was', text():find('line 17\nline 18\nline 19', 1, true), text())
  vim.cmd.undo()
  e.check('and is undone like any edit', not text():find('line 18', 1, true), text())
  vim.cmd.redo()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd('AgentHunk undo')
  vim.cmd('AgentHunk next')
  e.check('the next is gone to', vim.api.nvim_win_get_cursor(0)[1] == 2, vim.api.nvim_win_get_cursor(0))
  vim.cmd('AgentHunk keep')
  marked('one that is kept has no mark', '10')
  vim.cmd('AgentHunk prev')
  e.check('what is kept is nothing to go to', e.told[#e.told]:find('no more changes', 1, true), e.told)
  vim.bo.readonly = true
  vim.api.nvim_win_set_cursor(0, { 10, 0 })
  vim.cmd('AgentHunk undo')
  e.check('a buffer that is read only stays', e.told[#e.told]:find('cannot be changed', 1, true) and text():find('and a half', 1, true), e.told)
  vim.bo.readonly = false
  vim.cmd('AgentHunk undo')
  vim.cmd('AgentHunk undo')
  e.check('where there is none it is said', e.told[#e.told]:find('there is no change', 1, true), e.told)
  vim.cmd.write()
  local want = vim.deepcopy(lines)
  want[2] = 'two'
  e.check('the file has what was kept, and nothing else', e.read('long.txt') == table.concat(want, '\n') .. '\n', e.read('long.txt'))

  vim.cmd.edit('dos.txt')
  marked('in a file with other line ends, too', '2')
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd('AgentHunk undo')
  vim.cmd('AgentHunk nonsense')
  e.check('another word is said to be none', e.told[#e.told]:find('none of keep', 1, true), e.told)
end
