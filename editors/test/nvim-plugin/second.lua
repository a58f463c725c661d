-- Two Neovims on one project. The second follows the session that the first holds, cannot answer for it, and goes on in a fork.
return function(e)
  local other = vim.fn.jobstart({
    vim.env.NVIM_PROGRAM, '--clean', '--embed', '--headless', '-n', '-i', 'NONE',
    '--cmd', "lua vim.opt.rtp:prepend(vim.env.PLUGIN); package.path = vim.env.OWN .. '/?.lua;' .. vim.env.OWN .. '/../neovim/?.lua;' .. package.path",
  }, { rpc = true, env = { LOGS = vim.env.LOGS .. '/other' } })
  vim.fn.mkdir(vim.env.LOGS .. '/other', 'p')
  local function there(code, ...) return vim.rpcrequest(other, 'nvim_exec_lua', code, { ... }) end

  e.begin()
  e.attached()
  vim.cmd('Agent Change the note.')
  e.wait('the first is asked', function() return e.question('bash') end)

  there([[
    P = require('person')
    P.watch()
    require('agent-sidecar').setup({ approvals = { popup = false } })
    vim.cmd.edit(P.note())
  ]])
  e.wait('the second has its own sidecar', function() return there([[local c = vim.lsp.get_clients({ name = 'agent-sidecar' }) return #c == 1 and c[1].initialized == true]]) end)
  there([[vim.cmd('AgentSessions')]])
  e.wait('the session of the first is in its list', function() return there([[return P.buffer_with('Change the note.') ~= nil]]) end)
  there([[vim.api.nvim_win_set_cursor(0, { 1, 0 }) P.keys('<CR>')]])
  e.wait('it is shown', function() return there([[return P.shows('I wait.')]]) end, function() return { there([[return P.chat()]]), there([[return P.told]]) } end)
  e.wait('as one of another editor', function() return there([[return P.shows('Another editor has this session open')]]) end, function() return there([[return P.chat()]]) end)
  e.check('its bar says so', there([[return require('agent-sidecar.status').bar(P.conversation().view.buf)]]):find('another editor', 1, true))
  e.check('the second has no question to answer', there([[return P.question() == nil]]))

  e.act('Allow once: ', 'echo first')
  e.finished(1)
  e.wait('the second sees how it goes on', function() return there([[return P.shows('First is done.') and P.shows('— done')]]) end, function() return there([[return P.chat()]]) end)

  there([[P.want = { 'Continue in a fork' } vim.cmd('Agent Go on here.')]])
  e.wait('a prompt there goes on in a fork', function() return there([[return P.conversation().id ~= '0001' and P.shows('The fork goes on.')]]) end, function() return { there([[return P.chat()]]), there([[return P.told]]), there([[return P.asked]]) } end)
  e.check('after a yes whose first word is no', there([[return P.asked_with('Another editor').labels[1] == 'Cancel']]))
  e.check('the fork begins with what was', there([[return P.shows('▌ Change the note.') and P.shows('First is done.')]]), there([[return P.chat()]]))
  e.check('the first knows nothing of it', not e.shows('Go on here'))
  local pid = there([[return vim.uv.os_getpid()]])
  vim.rpcnotify(other, 'nvim_command', 'qa!')
  e.wait('the second leaves', function() return vim.fn.jobwait({ other }, 0)[1] ~= -1 end)
  e.check('without force', pid ~= nil)
end
