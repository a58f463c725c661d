local approvals = require('agent-sidecar.approvals')
local Chooser = require('chooser')
local lines = require('agent-sidecar.lines')
local runners = require('agent-sidecar.runners')
local status = require('agent-sidecar.status')
local wording = require('agent-sidecar.wording')

describe('a runner', function()
  local person
  before_each(function() person = Chooser.new() end)
  after_each(function() person:leave() end)

  local function project(answers)
    return person:project(function(method, params)
      local result = answers[method]
      if type(result) == 'function' then return result(params) end
      return result
    end)
  end
  local box, away = { name = 'box', state = 'reached', roundTripMs = 85 }, { name = 'away', state = 'not_reached', reason = 'Permission \27[31mdenied' }
  local function updated(params) return { session = { id = params.sessionId, runtimeMode = params.runner == '' and 'local' or 'cloud', runner = params.runner ~= '' and params.runner or nil }, applied = { runner = 'now' } } end
  local function bar(p, conversation)
    p.current = conversation.id
    vim.cmd.enew()
    vim.b.agent_sidecar_root = p.root
    local line = status.line()
    vim.cmd.bwipeout({ bang = true })
    return line
  end

  it('says how the way to it is', function()
    assert.equal('85 ms', runners.way(box))
    assert.equal('less than 1 ms', runners.way({ name = 'box', state = 'reached', roundTripMs = 0 }))
    assert.equal('connecting…', runners.way({ name = 'box', state = 'reaching' }))
    assert.equal('', runners.way({ name = 'box', state = 'not_reached' }))
    assert.equal('asleep', runners.way({ name = 'box', state = 'asleep' }))
    assert.equal('not configured any more', runners.way(nil))
    assert.truthy(vim.startswith(runners.way(away), 'not reached: Permission '), runners.way(away))
    assert.is_nil(runners.way(away):find('\27', 1, true))
  end)

  it('is in the status line of a session that works there, as it is now', function()
    local p = project({ ['agent/status'] = { runners = { vim.deepcopy(box), away } } })
    p:event({ type = 'config.changed', sessionId = '', data = { model = 'a/b', models = { 'a/b' } } })
    local conversation = p:conversation('0001')
    assert.is_nil(bar(p, conversation):find('box', 1, true), 'nothing is said of this machine')
    p:event({ type = 'session.changed', sessionId = '0001', seq = 2, data = { runtimeMode = 'cloud', runner = 'box' } })
    assert.truthy(vim.startswith(bar(p, conversation), 'agent: on box, 85 ms · '), bar(p, conversation))
    p:event({ type = 'runner.changed', sessionId = '', data = { name = 'box', state = 'not_reached', reason = 'the cable' } })
    assert.truthy(vim.startswith(bar(p, conversation), 'agent: on box, not reached: the cable · '), bar(p, conversation))
    p:event({ type = 'session.changed', sessionId = '0001', seq = 3, data = { runtimeMode = 'local', runner = '' } })
    assert.is_nil(bar(p, conversation):find('box', 1, true))
    local text, block = '', conversation.transcript.first
    while block do
      text, block = text .. table.concat((lines.of(block)), '\n') .. '\n', block.next
    end
    assert.truthy(text:find('From here on it works on box.', 1, true), text)
    assert.truthy(text:find('From here on it works on this machine.', 1, true), text)
  end)

  it('that nobody has named is asked for', function()
    local answers = { ['agent/status'] = {} }
    local p = project(answers)
    runners.ask(p)
    assert.same({ 'local' }, runners.names(p)) -- an older sidecar, or none
    answers['agent/status'] = { runners = { box } }
    p:event({ type = 'runner.changed', sessionId = '', data = box })
    assert.same({ 'box', 'local' }, runners.names(p))
  end)

  it('is where a session goes, and where it comes back from', function()
    local p = project({ ['agent/status'] = { runners = { box, away } }, ['agent/session/update'] = updated })
    local conversation = p:conversation('0001')
    p.current = '0001'
    person.want = 'box'
    runners.choose(p)
    assert.same({ 'this machine (now)', 'box, 85 ms' }, vim.list_slice(person.labels, 1, 2))
    assert.same({ 'agent/session/update', { sessionId = '0001', runner = 'box' } }, person.requests[#person.requests])
    assert.same({ 'agent-sidecar: works on box' }, person.told)
    assert.equal('box', conversation.transcript.session.runner)
    runners.use(p, 'local')
    assert.same({ sessionId = '0001', runner = '' }, person.requests[#person.requests][2])
    assert.equal('', conversation.transcript.session.runner)
    local before = #person.requests
    runners.use(p, 'nowhere')
    assert.equal(before, #person.requests)
    assert.truthy(person.told[#person.told]:find('there is no runner nowhere; there are: box, away, local', 1, true), person.told[#person.told])
  end)

  it('that is chosen during a run has the next one', function()
    local p = project({ ['agent/session/update'] = function(params)
      local result = updated(params)
      result.applied.runner = 'queued-change'
      return result
    end })
    p.runners, p.current = { box }, '0001'
    p:conversation('0001')
    runners.use(p, 'box')
    assert.same({ 'agent-sidecar: works on box from the next run on' }, person.told)
  end)

  it('is where the first prompt goes', function()
    local p = project({ ['agent/session/new'] = { session = { id = '0007', runtimeMode = 'local' } }, ['agent/session/update'] = updated })
    p.runners, p.agent = { box }, 'plan'
    runners.use(p, 'box')
    assert.same({ 'agent/session/new', { agent = 'plan' } }, person.requests[1])
    assert.same({ 'agent/session/update', { sessionId = '0007', runner = 'box' } }, person.requests[2])
    assert.equal('0007', p:here_conversation().id)
  end)

  it('is no word where there is none', function()
    local p = project({ ['agent/status'] = {} })
    runners.choose(p)
    assert.is_nil(person.labels)
    assert.truthy(person.told[1]:find('no runner is configured', 1, true), person.told[1])
  end)

  it('is named first by what asks for it', function()
    local approval = { title = 'bash: make', reason = 'On the runner box: Commands need your approval.', runner = 'box', decisions = { 'once', 'reject' } }
    assert.equal('on box: bash: make', wording.title(approval))
    assert.equal('bash: make', wording.title({ title = 'bash: make' }))
    local p = project({})
    p.approvals.open.a = approval
    person.want = 'Review'
    local prompt
    vim.ui.select = function(_, options) prompt = options.prompt end
    approvals.ask(p.approvals, approval, true)
    assert.truthy(vim.startswith(prompt, 'Agent: on box: bash: make'), prompt)
  end)

  it('costs what a call has waited for the way', function()
    local function call(way)
      local _, marks = lines.of({ kind = 'call', depth = 0, data = { status = 'completed', tool = 'bash', title = 'bash: x', ms = 1200, way = way } })
      return vim.inspect(marks)
    end
    assert.truthy(call(900):find('1.2 s · 0.9 s on the way', 1, true), call(900))
    assert.is_nil(call(20):find('on the way', 1, true))
  end)
end)
