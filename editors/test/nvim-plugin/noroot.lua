-- Without a project: never the home directory, nor what holds it; the directory of a file alone only when somebody asks.
local function told(e, text) return vim.iter(e.told):any(function(m) return m:find(text, 1, true) end) end

return function(e)
  vim.fn.writefile({ 'x' }, vim.env.HOME .. '/.bashrc')
  e.begin(nil, vim.env.HOME .. '/.bashrc')
  e.stays('a file of the home directory starts nothing', function() return #vim.lsp.get_clients() == 0 end)
  e.check('and says nothing', #e.told == 0, e.told)
  vim.cmd('Agent Hello.')
  e.wait('a prompt there says why not', function() return told(e, 'home directory') end, function() return e.told end)
  e.check('and starts nothing', #vim.lsp.get_clients() == 0)

  vim.cmd.edit(vim.fn.fnamemodify(vim.env.HOME, ':h') .. '/above.txt')
  e.told = {}
  vim.cmd('Agent Hello.')
  e.wait('above it neither', function() return told(e, 'home directory') end, function() return e.told end)

  vim.cmd.edit(vim.fn.fnamemodify(vim.env.HOME, ':h') .. '/elsewhere/other.txt')
  e.stays('a file alone starts nothing by itself', function() return #vim.lsp.get_clients() == 0 end)
  vim.cmd('Agent Hello.')
  e.finished(1)
  local clients = vim.lsp.get_clients({ name = 'agent-sidecar' })
  e.check('a prompt there works in its directory', #clients == 1 and vim.endswith(clients[1].config.root_dir, '/elsewhere'), clients[1] and clients[1].config.root_dir)
  e.check('and what came is shown', e.shows('Alone.'), e.chat())
end
