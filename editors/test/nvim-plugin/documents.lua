-- What the editor shows and has not saved is what the agent works on; what it writes to the disk is loaded again; what the editor
-- finds wrong reaches it.
return function(e)
  e.begin({ approvals = { popup = true, idle_ms = 0 } })
  e.attached()
  local buf = vim.api.nvim_get_current_buf()
  vim.o.autoread = false
  -- The folder is trusted, and an edit is not asked about.
  vim.cmd('Agent Edit the note.')
  e.answer_review('config', 'Trust this folder')
  e.finished(1)
  e.check('the file is written', e.read(e.note()) == 'as the agent has it\n', e.read(e.note()))
  e.wait('a buffer without changes is loaded again, without a question', function() return vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == 'as the agent has it' end)
  e.check("'autoread' is as it was", vim.go.autoread == false and not vim.bo[buf].autoread)

  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'typed', 'and not saved' })
  vim.api.nvim_buf_call(buf, function() vim.bo.undolevels = vim.go.undolevels end) -- what is typed is a change of its own
  vim.cmd('Agent Edit it again.')
  e.finished(2)
  e.check('an unsaved buffer is edited in its place', vim.deep_equal(vim.api.nvim_buf_get_lines(buf, 0, -1, false), { 'typed and edited', 'and not saved' }), { vim.api.nvim_buf_get_lines(buf, 0, -1, false), e.chat() })
  e.check('it is not saved', vim.bo[buf].modified and e.read(e.note()) == 'as the agent has it\n')
  vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
  vim.cmd('2Agent Look at this.')
  e.finished(3)
  e.check('the model gets what is selected, as it is in the buffer', e.shows('I see what is selected.'), e.chat())
  vim.api.nvim_buf_call(buf, function() vim.cmd('silent undo') end)
  e.check('u takes the edit back', vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == 'typed')
  vim.api.nvim_buf_call(buf, function() vim.cmd('silent redo | silent write') end)

  -- A checker that finds what the agent breaks.
  local space = vim.api.nvim_create_namespace('checker')
  local function look()
    local list = {}
    for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
      if line:find('broken') then list[1] = { lnum = row - 1, col = 0, message = 'a new problem: it is broken', severity = 1, source = 'checker' } end
    end
    vim.diagnostic.set(space, buf, list)
  end
  look()
  vim.api.nvim_create_autocmd({ 'TextChanged', 'FileChangedShellPost', 'BufReadPost' }, { buffer = buf, callback = look })
  e.wait('what is wrong is sent', function() return e.sent('agent/diagnostics') or e.sent([[agent\/diagnostics]]) end) -- 0.10 writes the slash so
  vim.cmd('Agent Break it.')
  e.finished(4)
  e.check('the agent was told what its edit broke', e.shows('I see the problem.'), e.chat())
  e.check('our own marks are no news to it', not (e.read(vim.env.LOGS .. '/to-sidecar') or ''):find('"source":"agent"', 1, true))
end
