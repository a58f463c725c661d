local config = require('agent-sidecar.config')
local hosttools = require('agent-sidecar.hosttools')
local client = require('agent-sidecar.client')

-- call runs a tool as Neovim runs a handler: in a coroutine that may wait.
local function call(name, input)
  local answer
  coroutine.wrap(function() answer = { hosttools.answer({ callId = 'c1', name = name, input = input }) } end)()
  vim.wait(5000, function() return answer ~= nil end, 5)
  return answer[1], answer[2]
end

describe('tools of Neovim', function()
  after_each(function() config.set({}) end)

  it('are none where nothing is said', function()
    assert.same({}, client.capabilities().experimental.agentSidecar.tools)
    local _, err = call('anything', {})
    assert.equal(-32602, err.code)
  end)

  it('are declared as they are written, in one order', function()
    local schema = { type = 'object', properties = { number = { type = 'integer' } } }
    config.set({ host_tools = { b = { description = 'B.', run = print }, a = { description = 'A.', input_schema = schema, run = print } } })
    assert.same({ { name = 'a', description = 'A.', inputSchema = schema }, { name = 'b', description = 'B.', inputSchema = { type = 'object' } } }, client.capabilities().experimental.agentSidecar.tools)
  end)

  it('are refused where they lack what they need', function()
    for _, wrong in ipairs({ { description = 'A.' }, { run = print }, { description = 'A.', run = print, input_schema = 'no' } }) do
      assert.has_error(function() config.set({ host_tools = { a = wrong } }) end, 'agent-sidecar: option "host_tools": a needs a description and a function run')
    end
    assert.has_error(function() config.set({ host_tools = { { description = 'A.', run = print } } }) end, 'agent-sidecar: option "host_tools": 1 needs a description and a function run')
  end)

  it('answer at once, later, or with what they return, and once', function()
    config.set({ host_tools = {
      now = { description = 'N.', run = function(input, done)
        done('number ' .. input.number)
        done('again')
      end },
      later = { description = 'L.', run = function(_, done) vim.defer_fn(function()
        done('late', true)
        done('again')
      end, 1) end },
      returned = { description = 'R.', run = function() return 'returned' end },
    } })
    assert.same({ content = { { type = 'text', text = 'number 7' } }, isError = false }, (call('now', { number = 7 })))
    assert.same({ content = { { type = 'text', text = 'late' } }, isError = true }, (call('later', {})))
    assert.same('returned', call('returned', {}).content[1].text)
  end)

  it('fail in their own words, and give no more than a session can use', function()
    config.set({ host_tools = {
      broken = { description = 'B.', run = function() error('it broke', 0) end },
      much = { description = 'M.', run = function(_, done) done(('x'):rep(2 * 1024 * 1024)) end },
    } })
    local broken = call('broken', {})
    assert.is_true(broken.isError)
    assert.equal('it broke', broken.content[1].text)
    local much = call('much', {}).content[1].text
    assert.is_true(#much < 1024 * 1024 + 100 and vim.endswith(much, 'was cut off]'))
  end)
end)
