local config = require('agent-sidecar.config')
local Project = require('agent-sidecar.project')
local prompt = require('agent-sidecar.prompt')
local slash = require('agent-sidecar.slash')
local Transcript = require('agent-sidecar.transcript')

describe('a command in a prompt', function()
  local asked, refuse
  before_each(function()
    config.set({})
    asked, refuse = {}, nil
  end)

  local function project()
    local p = Project.get('/slash' .. vim.uv.hrtime())
    p.client = function() return { initialized = true } end
    p.ask = function(_, method, params, done, failed)
      asked[#asked + 1] = { method, params }
      if refuse then return failed(refuse) end
      if method == 'agent/commands' then return done({ commands = { { name = 'review' }, { name = 'release' }, { name = 'init' }, { name = 're\nad' } } }) end
    end
    return p
  end

  -- What is completed is a command at the beginning of the prompt alone, and a file behind an @.
  it('is completed', function()
    local p = project()
    local buf = prompt.buffer(p)
    vim.api.nvim_win_set_buf(0, buf)
    for _, row in ipairs({
      { { '/re' }, 1, { 'review', 'release' } },
      { { '/' }, 1, { 'review', 'release', 'init' } },
      { { '/review it @nothing' }, 12, {} },
      { { 'see /re' }, -3 },
      { { 'one', '/re' }, -3 },
    }) do
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, row[1])
      local last = row[1][#row[1]]
      vim.wo.virtualedit = 'onemore'
      vim.api.nvim_win_set_cursor(0, { #row[1], #last })
      local start = prompt.complete(1, '')
      assert.equal(row[2], start)
      if row[3] then assert.same(row[3], prompt.complete(0, last:sub(start + 1))) end
    end
  end)

  it('that is the client\'s is done here', function()
    local ran, commands = {}, require('agent-sidecar.commands')
    local perform = commands.perform
    commands.perform = function(name, args) ran[#ran + 1] = name .. ' ' .. args end
    local p = project()
    refuse = { message = 'no', data = { kind = 'client_command' } }
    for _, text in ipairs({ '/undo', '/model a/b', '/model', '/plan' }) do prompt.send(p, text, { fresh = true }) end
    commands.perform = perform
    assert.same({ 'AgentUndo ', 'AgentModel a/b', 'AgentModel ', 'AgentMode plan' }, ran)
    assert.is_false(slash.client(p, nil, '/other'))
    assert.is_false(slash.client(p, nil, 'undo'))
  end)

  it('is shown as it was typed', function()
    local data = { prompt = { { type = 'text', text = 'Long.' }, { type = 'resource_link', uri = 'file:///a.go' }, { type = 'text', text = 'More.' } }, typed = '/fix a' }
    assert.equal('/fix a\n@a.go\nMore.', Transcript.words(slash.content(data)))
    assert.same({ '/fix a', 'More.' }, Transcript.typed(slash.content(data)))
    assert.equal('Long.', data.prompt[1].text)
    assert.equal('One.', Transcript.words(slash.content({ prompt = { { type = 'text', text = 'One.' } } })))
  end)
end)
