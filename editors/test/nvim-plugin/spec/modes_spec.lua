local config = require('agent-sidecar.config')
local modes = require('agent-sidecar.modes')
local Project = require('agent-sidecar.project')
local status = require('agent-sidecar.status')

describe('the mode', function()
  local select, notify
  local told, requests, want, labels
  before_each(function()
    config.set({})
    select, notify = vim.ui.select, vim.notify
    told, requests, want, labels = {}, {}, nil, nil
    vim.notify = function(text) told[#told + 1] = text end
    vim.ui.select = function(items, options, done)
      labels = vim.tbl_map(options.format_item, items)
      for i, label in ipairs(labels) do
        if want and vim.startswith(label, want) then return done(items[i]) end
      end
      done(nil)
    end
  end)
  after_each(function()
    vim.ui.select, vim.notify = select, notify
    vim.cmd('silent! only')
  end)

  -- project is a real one without a process. An update and a new session answer as the sidecar does.
  local function project()
    local p = Project.get('/modes' .. vim.uv.hrtime())
    p.client = function() return { initialized = true } end
    p.capabilities = function()
      return { agents = {
        { name = 'build', description = 'Works.', mode = 'primary' }, { name = 'plan', description = 'Plans.', mode = 'primary' },
        { name = 'explore', description = 'Looks.', mode = 'subagent' }, { name = 'mine', description = 'Judges.', mode = 'primary' },
      } }
    end
    p.ask = function(_, method, params, done)
      requests[#requests + 1] = { method, params }
      if method == 'agent/session/new' then return done({ session = { id = '0002', runtimeMode = 'local', mode = 'agent', agent = 'build' } }) end
      local mode = params.mode == vim.NIL and 'agent' or params.mode
      done({ session = { id = params.sessionId, runtimeMode = 'local', mode = mode, agent = params.agent }, applied = { mode = 'now' } })
    end
    return p
  end
  local function inside(p, session)
    local conversation = p:conversation('0001')
    conversation:know(vim.tbl_extend('force', { id = '0001', runtimeMode = 'local', mode = 'agent', agent = 'build' }, session or {}))
    p.current = '0001'
    return conversation
  end
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
    }, labels)
    assert.same({}, requests)
    want = 'Plan'
    modes.choose(p)
    assert.same({ updated({ mode = 'agent', agent = 'plan' }) }, requests)
    want = nil
    modes.choose(p)
    assert.equal('Plan: reads and plans, changes nothing (now)', labels[3])
  end)

  it('is taken by its name, also by the one of the protocol', function()
    local p = project()
    inside(p)
    for _, name in ipairs({ 'ask', 'edit', 'agent', 'plan', 'mine' }) do modes.use(p, name) end
    assert.same({ updated({ mode = 'ask', agent = 'build' }), updated({ mode = 'agent', agent = 'build' }), updated({ mode = 'agent', agent = 'build' }), updated({ mode = 'agent', agent = 'plan' }), updated({ agent = 'mine' }) }, requests)
    assert.equal('agent-sidecar: mode: Ask', told[1])
    assert.same({ 'ask', 'edit', 'plan', 'full_access', 'mine' }, modes.names(p))
    modes.use(p, 'explore')
    assert.equal(5, #requests)
    assert.equal('agent-sidecar: there is no mode explore; there are: ask, edit, plan, full_access, mine', told[#told])
  end)

  it('full access needs a yes of its own, and an own agent does not keep it', function()
    local p = project()
    local conversation = inside(p)
    modes.use(p, 'full_access')
    assert.same({ 'Cancel', 'Full access' }, labels)
    assert.same({}, requests)
    want = 'Full access'
    modes.use(p, 'full_access')
    assert.same({ updated({ mode = 'full_access', agent = 'build', confirm = true }) }, requests)
    assert.truthy(status.bar(conversation.view.buf):find('FULL ACCESS', 1, true))
    modes.use(p, 'mine')
    assert.same(updated({ agent = 'mine', mode = vim.NIL }), requests[2])
  end)

  it('is kept for the next session where there is none, and full access begins one', function()
    local p = project()
    modes.use(p, 'ask')
    assert.same({}, requests)
    assert.equal('agent-sidecar: mode: Ask for the next session', told[1])
    modes.choose(p)
    assert.equal('Ask: asks before each edit and command (now)', labels[1])
    modes.use(p, 'mine')
    assert.same({ 'mine', 'ask' }, { p.agent, p.mode })
    want = 'Full access'
    modes.use(p, 'full_access')
    assert.same({ 'agent/session/new', { agent = 'mine', mode = 'ask' } }, requests[1])
    assert.same({ 'agent/session/update', { sessionId = '0002', mode = 'full_access', agent = 'build', confirm = true } }, requests[2])
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
