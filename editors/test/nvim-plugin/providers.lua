-- From nothing to an answer, for each provider that the sidecar knows: its key, its list of models, a prompt. And a server of one's
-- own that takes its time.
return function(e)
  local url = vim.env.OPENAI_BASE_URL
  for _, name in ipairs({ 'OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL' }) do vim.env[name] = nil end
  e.begin()
  e.attached()
  local project = require('agent-sidecar.project').get(vim.lsp.get_clients({ name = 'agent-sidecar' })[1].config.root_dir)
  local function ask(method, params)
    local result
    project:ask(method, params, function(r) result = r end)
    e.wait(method .. ' is answered', function() return result ~= nil end)
    return result
  end
  local keyed = vim.tbl_filter(function(provider) return #(provider.keyEnv or {}) > 0 end, ask('agent/status', {}).providers)
  keyed[#keyed + 1] = { name = 'azure', keyEnv = { 'AZURE_OPENAI_API_KEY' } } -- which is none before it has an address
  e.check('there are some', #keyed == 17, keyed)
  local providers = {}
  for _, provider in ipairs(keyed) do providers[provider.name] = { baseUrl = url, apiKeyEnv = { provider.keyEnv[1] } } end -- the address of the script in the place of the service's
  vim.fn.writefile({ vim.json.encode({ providers = providers }) }, vim.env.HOME .. '/.agent-sidecar/config.jsonc')
  ask('agent/config', { op = 'get' }) -- reads what was written by hand

  for i, provider in ipairs(keyed) do
    local name = provider.name
    vim.fn.inputsecret = function() return 'key-of-' .. name end
    vim.cmd('AgentKey ' .. name)
    local line = ('  %s/only'):format(name)
    e.wait(name .. ': its key leads to its models', function() return e.buffer_with('\n' .. line) end, function() return { e.told, vim.api.nvim_buf_get_lines(0, 0, -1, false) } end)
    local list = project.models_shown.buf
    vim.api.nvim_set_current_win(vim.fn.win_findbuf(list)[1])
    vim.fn.search('^' .. vim.fn.escape(line, '/.') .. '$', 'w')
    e.want = { 'Only here' }
    e.keys('<CR>')
    e.wait(name .. ': one is chosen', function() return vim.iter(e.told):any(function(m) return m:find('model: ' .. name .. '/only', 1, true) end) end, function() return e.told end)
    vim.cmd('Agent Are you there, ' .. name .. '?')
    e.wait(name .. ': it answers', function() return e.shows(('▌ Are you there, %s?'):format(name)) and select(2, e.chat():gsub('Here I am%.', '')) == i end, e.chat)
  end

  local held = {}
  local server = vim.uv.new_tcp()
  server:bind('127.0.0.1', 0)
  server:listen(8, function()
    local connection = vim.uv.new_tcp()
    server:accept(connection)
    connection:read_start(function(_, data) if data then held[#held + 1] = connection end end)
  end)
  local at = ('http://127.0.0.1:%d/v1'):format(server:getsockname().port)
  vim.cmd('AgentServer ' .. at)
  e.wait('a server that takes its time has been asked', function() return #held > 0 end)
  e.check('which is said', vim.iter(e.told):any(function(m) return m:find('asking ' .. at, 1, true) end), e.told)
  e.check('and nothing is asked or stored meanwhile', e.asked_with('Model of ' .. at) == nil)
  local body = '{"data": [{"id": "slow-1"}]}'
  for _, connection in ipairs(held) do
    connection:write(('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s'):format(#body, body))
  end
  e.wait('its models come when it answers', function()
    local asked = e.asked_with('Model of ' .. at)
    return asked and asked.labels[1] == 'slow-1'
  end, function() return e.asked end)
  server:close()
end
