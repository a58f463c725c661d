local config = require('agent-sidecar.config')
local keys = require('agent-sidecar.keys')
local models = require('agent-sidecar.models')
local Project = require('agent-sidecar.project')
local status = require('agent-sidecar.status')

local listing = { providers = {
  { name = 'openrouter', baseUrl = 'https://openrouter.ai/api/v1', models = { { name = 'openrouter/qwen/qwen3-coder', window = 262144 }, { name = 'openrouter/a\27b' } } },
  { name = 'groq', baseUrl = 'https://api.groq.com/openai/v1', models = {}, error = { kind = 'model_auth', message = 'Invalid API Key' } },
} }
local keyed = { providers = { { name = 'openrouter', hasKey = true, keyEnv = { 'OPENROUTER_API_KEY' } }, { name = 'anthropic', hasKey = false, keyEnv = { 'ANTHROPIC_API_KEY' } }, { name = 'ollama', hasKey = false, keyEnv = {} } } }

describe('the models', function()
  local select, input, notify, secret, client
  local asked, told, requests, want
  before_each(function()
    config.set({})
    select, input, notify, secret, client = vim.ui.select, vim.ui.input, vim.notify, vim.fn.inputsecret, require('agent-sidecar.client').request
    asked, told, requests, want = {}, {}, {}, {}
    vim.ui.select = function(items, options, done)
      local labels = vim.tbl_map(options.format_item, items)
      asked[#asked + 1] = { prompt = options.prompt, labels = labels }
      for i, label in ipairs(labels) do
        if want[1] and vim.startswith(label, want[1]) then
          table.remove(want, 1)
          return done(items[i])
        end
      end
      done(nil)
    end
    vim.ui.input = function(_, done) done(table.remove(want, 1)) end
    vim.fn.inputsecret = function() return table.remove(want, 1) end
    vim.notify = function(text) told[#told + 1] = text end
  end)
  after_each(function()
    vim.ui.select, vim.ui.input, vim.notify, vim.fn.inputsecret, require('agent-sidecar.client').request = select, input, notify, secret, client
    vim.cmd('silent! only')
  end)

  -- project is a real one without a process: a spec says what the sidecar answers, nil where it does not.
  local function project(answers)
    local p = Project.get('/models' .. vim.uv.hrtime())
    local function answer(method, params, done)
      requests[#requests + 1] = method == 'agent/config' and table.concat({ params.op, params.key, params.value }, ' ') or method
      local result = answers[method]
      if type(result) == 'function' then result = result(params) end
      if result then done(result) end
    end
    p.client = function() return { initialized = true } end
    p.ask = function(_, method, params, done) answer(method, params, done or function() end) end
    require('agent-sidecar.client').request = function(_, method, params, done)
      answer(method, params, function(result) done(result.message and result or nil, not result.message and result or nil) end)
    end
    return p
  end
  local function text_of(list) return table.concat(vim.api.nvim_buf_get_lines(list.buf, 0, -1, false), '\n') end
  local function choose(list, text)
    for row, line in ipairs(vim.api.nvim_buf_get_lines(list.buf, 0, -1, false)) do
      if line:find(text, 1, true) then
        vim.api.nvim_win_set_cursor(0, { row, 0 })
        return vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
      end
    end
    error('no line has ' .. text)
  end

  it('are listed by provider, with what each that failed has said', function()
    local p = project({ ['agent/models'] = listing, ['agent/status'] = keyed })
    local text = text_of(models.list(p))
    assert.truthy(text:find('openrouter · https://openrouter.ai/api/v1\n  openrouter/qwen/qwen3-coder · 262k tokens\n', 1, true), text)
    assert.truthy(text:find('groq · https://api.groq.com/openai/v1\n  could not be asked: Invalid API Key', 1, true), text)
    assert.truthy(text:find('without a key: <CR> takes one\n  anthropic', 1, true), text)
    assert.is_nil(text:find('ollama', 1, true), text)
    assert.is_nil(text:find('[%z\1-\9\11-\31]'), text)
    assert.truthy(vim.tbl_contains(models.names(p), 'openrouter/qwen/qwen3-coder'))
  end)

  it('are said to be asked for, while they are', function()
    local text = text_of(models.list(project({})))
    assert.truthy(text:find('… asking the providers', 1, true), text)
    assert.truthy(text:find('type a name…', 1, true), text)
  end)

  it('that could not be asked for at all are no dead end', function()
    local text = text_of(models.list(project({ ['agent/models'] = { message = 'unknown method' } })))
    assert.truthy(text:find('the providers could not be asked: unknown method', 1, true), text)
    text = text_of(models.list(project({ ['agent/models'] = { providers = {} } })))
    assert.truthy(text:find(':AgentKey takes a key, :AgentServer asks your own server', 1, true), text)
  end)

  it('are chosen from the list, and stored only after a yes', function()
    local p = project({ ['agent/models'] = listing, ['agent/config'] = { effective = { model = '' } } })
    choose(models.list(p), 'openrouter/qwen')
    assert.equal('openrouter/qwen/qwen3-coder', p.model)
    assert.same({ 'Only here', 'For new sessions too' }, asked[1].labels)
    assert.is_false(vim.tbl_contains(requests, 'set model openrouter/qwen/qwen3-coder'))
    want = { 'For new sessions too' }
    choose(models.list(p), 'openrouter/qwen')
    assert.is_true(vim.tbl_contains(requests, 'set model openrouter/qwen/qwen3-coder'))
  end)

  it('are taken by a name that is typed', function()
    local p = project({ ['agent/models'] = listing, ['agent/config'] = { effective = { model = 'some/name' } } })
    want = { ' some/name ' }
    choose(models.list(p), 'type a name…')
    assert.equal('some/name', p.model)
    assert.same({}, asked) -- new sessions have it already
    assert.same({ 'agent-sidecar: model: some/name' }, told)
  end)

  it('of a server of one\'s own are asked for, and nothing is stored before', function()
    local answers = { ['agent/config'] = function(params) return { effective = params.key == 'providers' and { providers = { ['local'] = { baseUrl = 'http://other' } } } or { model = '' } } end }
    answers['agent/models'] = { providers = { { name = '', baseUrl = 'http://127.0.0.1:9/v1', models = {}, error = { kind = 'model_unreachable', message = 'connection refused' } } } }
    local p = project(answers)
    models.server(p, '127.0.0.1:9')
    assert.equal('agent-sidecar: asking http://127.0.0.1:9 for its models…', told[1])
    assert.truthy(told[2]:find('does not answer (connection refused). Nothing was stored.', 1, true), told[2])
    assert.same({ 'agent/models' }, requests)
    answers['agent/models'] = { providers = { { name = '', baseUrl = 'http://127.0.0.1:9/v1', models = { { name = 'qwen3:8b' } } } } }
    models.server(p, 'http://127.0.0.1:9/')
    assert.is_false(vim.iter(requests):any(function(r) return vim.startswith(r, 'set') end)) -- no model was chosen
    want = { 'qwen3:8b', 'For new sessions too' }
    models.server(p, 'http://127.0.0.1:9')
    assert.is_true(vim.tbl_contains(requests, 'set providers.local2.baseUrl http://127.0.0.1:9/v1'), vim.inspect(requests))
    assert.is_true(vim.tbl_contains(requests, 'set model local2/qwen3:8b'))
    assert.equal('local2/qwen3:8b', p.model)
  end)

  it('of a server without a list are typed', function()
    local p = project({ ['agent/models'] = { providers = { { baseUrl = 'http://h:1', models = {}, error = { kind = 'no_list', message = 'none' } } } }, ['agent/config'] = { effective = { model = '', providers = {} } } })
    want = { 'my-model' }
    models.server(p, 'http://h:1')
    assert.equal('local/my-model', p.model)
  end)

  it('come from an address that is one', function()
    assert.equal('http://127.0.0.1:11434', models.address('127.0.0.1:11434'))
    assert.equal('http://localhost:1/v1', models.address(' http://localhost:1/v1/ '))
    for _, text in ipairs({ '', 'ollama', 'file:///etc/passwd', 'http://', 'http://a b' }) do assert.is_nil(models.address(text), text) end
  end)

  it('are those of the configuration as it is now', function()
    local answers = { ['agent/models'] = { providers = {} }, ['agent/status'] = keyed }
    local p = project(answers)
    vim.cmd.enew()
    vim.b.agent_sidecar_root = p.root
    assert.equal('agent: no model (:AgentModel)', status.line())
    local list = models.list(p)
    assert.truthy(text_of(list):find('anthropic', 1, true), text_of(list))
    answers['agent/status'] = { providers = { { name = 'anthropic', hasKey = true, keyEnv = { 'ANTHROPIC_API_KEY' } } } } -- written into the file, too
    requests = {}
    p:event({ type = 'config.changed', sessionId = '', data = { model = 'local/new', models = { 'local/new' } } })
    assert.truthy(text_of(list):find('already configured\n  local/new', 1, true), text_of(list))
    assert.same({ 'local/new' }, models.names(p))
    assert.equal('agent: ready', status.line())
    assert.is_nil(text_of(list):find('anthropic', 1, true), text_of(list))
    assert.is_false(vim.iter(requests):any(function(r) return r ~= 'agent/status' end)) -- no provider on the net
    p:event({ type = 'config.changed', sessionId = '', data = { model = '', models = {} } })
    assert.equal('agent: no model (:AgentModel)', status.line())
    assert.is_nil(text_of(list):find('local/new', 1, true), text_of(list))
    vim.cmd.bwipeout({ bang = true })
    p:event({ type = 'config.changed', sessionId = '', data = { model = 'local/new', models = { 'local/new' } } }) -- nobody looks
  end)

  it('need a key, which is in the environment of the sidecar alone', function()
    local p = project({ ['agent/status'] = keyed, ['agent/models'] = listing })
    local restarted
    p.restart = function(_, done)
      restarted = true
      done({})
    end
    want = { 'anthropic', 'two words' }
    keys.ask(p)
    assert.is_nil(restarted)
    assert.equal('agent-sidecar: API keys contain only ASCII characters and no spaces', told[1])
    assert.same({ 'openrouter · has a key · OPENROUTER_API_KEY', 'anthropic · no key · ANTHROPIC_API_KEY' }, asked[1].labels)
    want = { 'sk-test' }
    keys.ask(p, 'anthropic')
    assert.is_true(restarted)
    assert.is_nil(told[2]) -- a message of two lines would wait for a key of its own
    local list = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    assert.truthy(list:find('in use until Neovim ends; to keep it, set ANTHROPIC_API_KEY in the environment', 1, true), list)
    assert.is_nil((table.concat(told) .. list):find('sk-test', 1, true))
    assert.is_nil(vim.env.ANTHROPIC_API_KEY)
    assert.equal('sk-test', keys.around(function() return vim.env.ANTHROPIC_API_KEY end))
    assert.is_nil(vim.env.ANTHROPIC_API_KEY)
    assert.has_error(function() keys.around(function() error('no', 0) end) end, 'no')
    assert.is_nil(vim.env.ANTHROPIC_API_KEY)
    assert.is_nil(vim.inspect(require('agent-sidecar.client').config('/p', { 'x' })):find('sk-test', 1, true))
    keys.ask(p, 'nobody')
    assert.truthy(told[#told]:find('no provider nobody takes a key', 1, true))
  end)
end)
