-- kill -9 of the sidecar in the middle of a run: it is started again, the session goes on, and what ran is closed as interrupted.
local function children(pid)
  local list = {}
  for child in vim.fn.system({ 'ps', '-o', 'pid=,comm=', '--ppid', tostring(pid) }):gmatch('[^\n]+') do list[#list + 1] = child end
  return list
end

return function(e)
  e.begin()
  e.attached()
  vim.cmd('Agent Wait.')
  e.wait('the command is asked about', function() return e.question('bash') end)
  e.act('Allow once: ', 'sleep 300')
  e.wait('it runs', function() return e.read(e.note()) == 'started\n' end)
  local first = e.client.id

  local wrapper = tonumber(vim.trim(e.read(vim.env.LOGS .. '/sidecar.pid')))
  local killed
  for _, child in ipairs(children(wrapper)) do
    local pid, name = child:match('^%s*(%d+)%s+(.*)$')
    if name:find('agent%-sidecar') then killed = vim.uv.kill(tonumber(pid), 'sigkill') end
  end
  e.check('the sidecar is killed', killed == 0, children(wrapper))

  e.wait('it is started again', function()
    local clients = vim.lsp.get_clients({ name = 'agent-sidecar' })
    e.client = clients[1]
    return #clients == 1 and clients[1].id ~= first and clients[1].initialized
  end, function() return e.told end)
  e.wait('the file is attached again', function() return vim.lsp.buf_is_attached(vim.fn.bufnr(e.note()), e.client.id) end)
  e.wait_chat('was restarted')
  e.wait('the session goes on', function() return e.shows('I go on after the crash.') end, e.chat)
  e.wait('and comes to its end', function() return e.shows('— done') end, e.chat)
  local view = e.conversation().view
  local states = vim.iter(vim.api.nvim_buf_get_extmarks(view.buf, -1, 0, -1, { details = true })):map(function(m) return m[4].virt_text and m[4].virt_text[1][1] or nil end):totable()
  e.check('the call is shown as interrupted', table.concat(states, '|'):find('interrupted', 1, true), states)
  e.check('it is one conversation', vim.tbl_count(e.project().conversations) == 1)

  -- Again and again: after five times it is left alone, with a message.
  for round = 1, 4 do
    local old = e.client.id
    local pid = tonumber(vim.trim(e.read(vim.env.LOGS .. '/sidecar.pid')))
    for _, child in ipairs(children(pid)) do
      local inner, name = child:match('^%s*(%d+)%s+(.*)$')
      if name:find('agent%-sidecar') then vim.uv.kill(tonumber(inner), 'sigkill') end
    end
    if round < 4 then
      e.wait('it is started again, ' .. round, function()
        local clients = vim.lsp.get_clients({ name = 'agent-sidecar' })
        e.client = clients[1]
        return #clients == 1 and clients[1].id ~= old and clients[1].initialized
      end, function() return e.told end)
    end
  end
  e.wait('the fifth time it is left alone and says so', function() return vim.iter(e.told):any(function(m) return m:find('not restarted automatically', 1, true) end) end, function() return e.told end)
  e.stays('nothing runs', function() return #vim.lsp.get_clients({ name = 'agent-sidecar' }) == 0 end)
  vim.cmd('AgentRestart')
  e.wait(':AgentRestart starts it', function() return #vim.lsp.get_clients({ name = 'agent-sidecar' }) == 1 end, function() return e.told end)
end
