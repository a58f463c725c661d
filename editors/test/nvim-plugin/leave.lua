-- Two projects in two tabs, each with its own sidecar and its own question; one is stopped, and Neovim is left while the other works.
return function(e)
  -- Trust is asked about, too, and left open: it is the command that is named. Its review comes first, its yes behind it.
  local function allow()
    local id = vim.iter(require('agent-sidecar').questions()):find(function(question) return question.domain == 'bash' end).approvalId
    vim.cmd('AgentApprove ' .. id)
    e.wait('the command is shown first', function() return #e.reviews() == 1 and e.review_in(e.reviews()[1]) == id end)
    e.want = { 'Allow once' }
    vim.cmd('AgentApprove ' .. id)
  end

  local other = vim.fs.normalize(e.elsewhere())
  e.begin()
  e.attached()
  local first = vim.fs.dirname(e.note())
  vim.cmd('Agent Wait here.')
  e.wait('the first is asked about', function() return e.question('bash') end)
  vim.cmd.tabedit(other)
  vim.cmd('Agent Wait there.')
  e.wait('the second is asked about', function() return e.project().root ~= first and e.question('bash') end, function() return e.told end)
  e.check('each has its own sidecar', #vim.lsp.get_clients({ name = 'agent-sidecar' }) == 2)
  e.wait_chat('Wait there.')
  e.check('the chat of this tab is that of its project alone', not e.shows('Wait here.'), e.chat())

  allow()
  e.wait('the second runs where it belongs', function() return e.read(vim.fs.dirname(other) .. '/two.txt') == 'two\n' end, function() return e.asked end)
  e.check('and the first does not', e.read(first .. '/one.txt') == nil)
  vim.cmd('AgentStop')
  e.finished(1)
  e.check('it is stopped', e.shows('— stopped'), e.chat())

  vim.cmd.tabclose()
  allow()
  e.wait('the first runs', function() return e.read(first .. '/one.txt') == 'one\n' end, function() return e.asked end)
end
