local Chooser = require('chooser')
local effort = require('agent-sidecar.effort')
local status = require('agent-sidecar.status')

describe('the effort', function()
  local person
  before_each(function() person = Chooser.new() end)
  after_each(function() person:leave() end)

  -- An update answers as the sidecar does.
  local function project(answers)
    return person:project(function(method, params)
      local result = (answers or {})[method]
      if method == 'agent/session/update' and not result then
        local level = params.params.reasoningEffort
        result = { session = { id = params.sessionId, runtimeMode = 'local', params = level ~= vim.NIL and { reasoningEffort = level } or nil }, applied = { params = 'now' } }
      end
      return result
    end)
  end
  local described = { models = { 'a/thinker', 'a/plain' }, efforts = { ['a/thinker'] = { 'low', 'high' } } }
  local function inside(p, session) return person.inside(p, session) end

  it('has the levels of the model, and says which is set', function()
    local p = project({ ['agent/describe'] = described })
    local conversation = inside(p, { model = 'a/thinker' })
    person.want = 'high'
    effort.choose(p)
    assert.same({ 'default, as the agent or your configuration says (now)', 'low', 'high' }, person.labels)
    assert.equal('Reasoning effort', person.prompt)
    assert.same({ 'agent/session/update', { sessionId = '0001', params = { reasoningEffort = 'high' } } }, person.requests[#person.requests])
    assert.same({ 'agent-sidecar: reasoning effort: high' }, person.told)
    assert.equal('high', effort.now(conversation))
    person.want = nil
    effort.choose(p)
    assert.same({ 'default, as the agent or your configuration says', 'low', 'high (now)' }, person.labels)
    conversation:know({ id = '0001', runtimeMode = 'local', params = { reasoningEffort = 'xhigh' } })
    effort.choose(p)
    assert.equal('xhigh (now)', person.labels[4]) -- one that this model does not have
  end)

  it('has all levels for a model that is not known, and says which model is told none', function()
    local p = project({ ['agent/describe'] = described })
    inside(p, { model = 'b/other' })
    effort.choose(p)
    assert.same({ 'none', 'minimal', 'low', 'medium', 'high', 'xhigh' }, vim.list_slice(person.labels, 2))
    assert.equal('Reasoning effort', person.prompt)
    inside(p, { model = 'a/plain' })
    effort.choose(p)
    assert.equal(7, #person.labels)
    assert.equal('Reasoning effort (no levels are known for a/plain, so none is sent)', person.prompt)
    inside(p, { model = '' })
    p.known = { model = 'a/thinker', models = described.models } -- that of new sessions
    effort.choose(p)
    assert.equal(3, #person.labels)
  end)

  it('is cleared by default', function()
    local p = project()
    local conversation = inside(p, { params = { reasoningEffort = 'low' } })
    effort.use(p, 'default')
    assert.same({ sessionId = '0001', params = { reasoningEffort = vim.NIL } }, person.requests[1][2])
    assert.equal('{"reasoningEffort":null}', vim.json.encode(person.requests[1][2].params))
    assert.equal('', effort.now(conversation))
  end)

  it('that does not exist is not asked for', function()
    local p = project()
    inside(p)
    effort.use(p, 'extreme')
    assert.same({}, person.requests)
    assert.truthy(person.told[1]:find('there is no level extreme; there are: default, none, minimal, low, medium, high, xhigh', 1, true), person.told[1])
  end)

  it('is for the session that the next prompt is given to', function()
    local p = project({ ['agent/session/new'] = { session = { id = '0007', runtimeMode = 'local' } } })
    p.model = 'a/thinker'
    effort.use(p, 'low')
    assert.same({ 'agent/session/new', { model = 'a/thinker' } }, person.requests[1])
    assert.same({ 'agent/session/update', { sessionId = '0007', params = { reasoningEffort = 'low' } } }, person.requests[2])
    assert.equal('0007', p:here_conversation().id)
  end)

  it('is in the status line behind the model, as the session says it last', function()
    local p = project()
    inside(p, { model = '', params = { temperature = 1 } })
    p.known = { model = 'a/thinker' } -- that of new sessions, which the session has too
    vim.cmd.enew()
    vim.b.agent_sidecar_root = p.root
    assert.truthy(status.line():find('a/thinker', 1, true), status.line())
    assert.is_nil(status.line():find('(', 1, true), status.line())
    p:event({ type = 'session.changed', sessionId = '0001', seq = 2, data = { params = { reasoningEffort = 'high' } } })
    assert.truthy(status.line():find('a/thinker (high)', 1, true), status.line())
    p:event({ type = 'session.changed', sessionId = '0001', seq = 3, data = { params = vim.empty_dict() } })
    assert.is_nil(status.line():find('(', 1, true), status.line())
    vim.cmd.bwipeout({ bang = true })
  end)

  it('completes its levels', function()
    require('agent-sidecar.commands').create()
    require('agent-sidecar.project').last = project()
    assert.same({ 'minimal', 'medium' }, vim.fn.getcompletion('AgentEffort m', 'cmdline'))
  end)
end)
