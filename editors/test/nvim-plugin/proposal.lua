-- A proposed edit is changed in its review before it is allowed: the right side can be written in, :w only opens the list of answers,
-- and what the file was changed to behind the review is asked about again with the person's words.
return function(e)
  vim.fn.writefile({ 'one', 'two', 'three' }, e.note())
  e.begin({ approvals = { popup = true, idle_ms = 0 } })
  e.attached()
  vim.cmd('AgentMode ask')
  e.wait('the mode is known', function() return e.project() and e.project().mode == 'ask' end, function() return e.told end)
  vim.cmd('Agent Change it.')
  local function right()
    for _, win in ipairs(e.reviews()) do
      if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == 'acwrite' then return win end
    end
  end
  local function reviewed(text)
    e.wait('the review has "' .. text .. '"', function()
      local win = right()
      return win and table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n'):find(text, 1, true)
    end, function() return { e.told, e.asked[#e.asked], e.chat() } end)
    vim.api.nvim_set_current_win(right())
  end
  e.answer_review('config', 'Trust this folder')
  reviewed('eins')
  e.check('as it was is not to be written in', vim.iter(e.reviews()):any(function(win) return not vim.bo[vim.api.nvim_win_get_buf(win)].modifiable end))
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'eins, mine' })
  vim.cmd.write()
  e.wait('writing asks for the answer', function() return e.asked_with('note.txt') end, function() return { e.asked, e.told } end)
  local labels = e.asked_with('note.txt').labels
  e.check('which has the two texts, and no rule', vim.tbl_contains(labels, 'Allow once, with your changes') and vim.tbl_contains(labels, 'Allow once, as the agent wrote it') and not vim.tbl_contains(labels, 'Allow for this session'), labels)
  e.stays('writing is no yes', function() return e.read(e.note()) == 'one\ntwo\nthree\n' end)
  e.want = { 'Allow once, with your changes' }
  vim.cmd('AgentApprove')
  e.wait('the file is as the person has it', function() return e.read(e.note()) == 'eins, mine\ntwo\nthree\n' end, function() return { e.asked, e.told } end)
  e.wait_chat('You wrote it otherwise.')

  reviewed('zwei')
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'zwei, mine' })
  vim.fn.writefile({ 'eins, mine', 'two', 'three', 'four' }, e.note())
  local first = e.question().approvalId
  e.want = { 'Allow once, with your changes' }
  vim.cmd('AgentApprove')
  e.wait('it is asked about again', function() return e.question() and e.question().approvalId ~= first end, function() return { e.asked, e.told } end)
  reviewed('zwei, mine')
  e.check('and nothing ran', e.read(e.note()) == 'eins, mine\ntwo\nthree\nfour\n', e.read(e.note()))
  e.want = { 'Reject' }
  vim.cmd('AgentApprove')
  e.wait_chat('It stays as it is.')
  e.check('the review is gone', #e.reviews() == 0, e.reviews())
  e.check('rejected, nothing is written', e.read(e.note()) == 'eins, mine\ntwo\nthree\nfour\n', e.read(e.note()))
end
