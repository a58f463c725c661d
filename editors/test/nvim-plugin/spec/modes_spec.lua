local Chooser = require('chooser')
local modes = require('agent-sidecar.modes')
local status = require('agent-sidecar.status')

describe('the mode', function()
  local person
  before_each(function() person = Chooser.new() end)
  after_each(function() person:leave() end)

  -- An update and a new session answer as the sidecar does.
  local function project()
    local p = person:project(function(method, params)
      if method == 'agent/session/new' then return { session = { id = '0002', runtimeMode = 'local', mode = 'agent', agent = 'build' } } end
      local mode = params.mode == vim.NIL and 'agent' or params.mode
      return { session = { id = params.sessionId, runtimeMode = 'local', mode = mode, agent = params.agent }, applied = { mode = 'now' } }
    end)
    p.capabilities = function()
      return { agents = {
        { name = 'build', description = 'Works.', mode = 'primary' }, { name = 'plan', description = 'Plans.', mode = 'primary' },
        { name = 'explore', description = 'Looks.', mode = 'subagent' }, { name = 'mine', description = 'Judges.', mode = 'primary' },
      } }
    end
    return p
  end
  local function inside(p, session) return person.inside(p, vim.tbl_extend('force', { mode = 'agent', agent = 'build' }, session or {})) end
  local function updated(change) return { 'agent/session/update', vim.tbl_extend('force', { sessionId = '0001' }, change) } end

  it('is one of four, or an own agent', function()
    for _, row in ipairs({
      { 'ask', 'build', 'ask' }, { 'agent', 'build', 'edit' }, { 'agent', 'plan', 'plan' }, { 'ask', 'plan', 'plan' }, { 'full_access', 'plan', 'full_access' },
      { 'full_access', 'mine', 'full_access' }, { nil, 'build', 'edit' }, { 'agent', nil, 'edit' }, { 'later', 'build', 'ask' },
    }) do assert.equal(row[3], modes.of({ mode = row[1], agent = row[2] }), vim.inspect(row)) end
    assert.is_nil(modes.of({ mode = 'ask', agent = 'mine' }))
    assert.equal('mine', modes.label({ mode = 'ask', agent = 'mine' }))
    assert.equal('Edit', modes.label({ agent = 'build' }))
    assert.equal('', modes.label({}))
  end)

  it('is chosen from a list that says what each asks, own agents below', function()
    local p = project()
    inside(p, { mode = 'ask' })
    modes.choose(p)
    assert.same({
      'Ask: asks before each edit and command (now)', 'Edit: edits files in a trusted folder, asks before commands outside the sandbox', 'Plan: reads and plans, changes nothing',
      'Full access: asks nothing, until you switch back or the editor closes', 'mine: Judges.',
    }, person.labels)
    assert.same({}, person.requests)
    person.want = 'Plan'
    modes.choose(p)
    assert.same({ updated({ mode = 'agent', agent = 'plan' }) }, person.requests)
    person.want = nil
    modes.choose(p)
    assert.equal('Plan: reads and plans, changes nothing (now)', person.labels[3])
  end)

  it('is taken by its name, also by the one of the protocol', function()
    local p = project()
    inside(p)
    for _, name in ipairs({ 'ask', 'edit', 'agent', 'plan', 'mine' }) do modes.use(p, name) end
    assert.same({ updated({ mode = 'ask', agent = 'build' }), updated({ mode = 'agent', agent = 'build' }), updated({ mode = 'agent', agent = 'build' }), updated({ mode = 'agent', agent = 'plan' }), updated({ agent = 'mine' }) }, person.requests)
    assert.equal('agent-sidecar: mode: Ask', person.told[1])
    assert.same({ 'ask', 'edit', 'plan', 'full_access', 'mine' }, modes.names(p))
    modes.use(p, 'explore')
    assert.equal(5, #person.requests)
    assert.equal('agent-sidecar: there is no mode explore; there are: ask, edit, plan, full_access, mine', person.told[#person.told])
  end)

  it('full access needs a yes of its own, and an own agent does not keep it', function()
    local p = project()
    local conversation = inside(p)
    modes.use(p, 'full_access')
    assert.same({ 'Cancel', 'Full access' }, person.labels)
    assert.same({}, person.requests)
    person.want = 'Full access'
    modes.use(p, 'full_access')
    assert.same({ updated({ mode = 'full_access', agent = 'build', confirm = true }) }, person.requests)
    assert.truthy(status.bar(conversation.view.buf):find('FULL ACCESS', 1, true))
    modes.use(p, 'mine')
    assert.same(updated({ agent = 'mine', mode = vim.NIL }), person.requests[2])
  end)

  it('is kept for the next session where there is none, and full access begins one', function()
    local p = project()
    modes.use(p, 'ask')
    assert.same({}, person.requests)
    assert.equal('agent-sidecar: mode: Ask for the next session', person.told[1])
    modes.choose(p)
    assert.equal('Ask: asks before each edit and command (now)', person.labels[1])
    modes.use(p, 'mine')
    assert.same({ 'mine', 'ask' }, { p.agent, p.mode })
    person.want = 'Full access'
    modes.use(p, 'full_access')
    assert.same({ 'agent/session/new', { agent = 'mine', mode = 'ask' } }, person.requests[1])
    assert.same({ 'agent/session/update', { sessionId = '0002', mode = 'full_access', agent = 'build', confirm = true } }, person.requests[2])
  end)

  it('shows in the bar', function()
    local p = project()
    local conversation = inside(p, { mode = 'ask' })
    assert.truthy(status.bar(conversation.view.buf):find('Ask', 1, true))
    conversation:know({ mode = 'agent', agent = 'plan' })
    assert.truthy(status.bar(conversation.view.buf):find('Plan', 1, true))
    conversation:know({ agent = 'mi\27ne' })
    assert.truthy(status.bar(conversation.view.buf):find('mi<U+001B>ne', 1, true), status.bar(conversation.view.buf))
  end)
end)
