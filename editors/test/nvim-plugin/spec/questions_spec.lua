local config = require('agent-sidecar.config')
local Project = require('agent-sidecar.project')

describe('what the model asks', function()
  local select, input, notify
  local told, requests, shown, want
  before_each(function()
    config.set({})
    select, input, notify = vim.ui.select, vim.ui.input, vim.notify
    told, requests, shown, want = {}, {}, {}, {}
    vim.notify = function(text) told[#told + 1] = text end
    vim.ui.select = function(items, options, done)
      local labels = vim.tbl_map(options.format_item, items)
      shown[#shown + 1] = { prompt = options.prompt, labels = labels }
      local wanted = table.remove(want, 1)
      for i, label in ipairs(labels) do
        if wanted and vim.startswith(label, wanted) then return done(items[i]) end
      end
      done(nil)
    end
    vim.ui.input = function(_, done) done(table.remove(want, 1)) end
  end)
  after_each(function()
    vim.ui.select, vim.ui.input, vim.notify = select, input, notify
    vim.cmd('silent! only')
  end)

  local which = { question = 'Which database?', options = { { label = 'SQLite', description = 'one file' }, { label = 'Postgres' } } }
  local features = { question = 'Which features?', options = { { label = 'Login' }, { label = 'Search' } }, multiple = true }
  local name = { question = 'What is it called?', options = {} }

  -- asked is a project without a process in which those questions are open.
  local function asked(...)
    local p = Project.get('/questions' .. vim.uv.hrtime())
    p.client = function() return { initialized = true } end
    p.ask = function(_, method, params, done)
      requests[#requests + 1] = { method, params }
      done({ status = 'applied' })
    end
    p.current = '0001'
    p:conversation('0001'):know({ id = '0001', runtimeMode = 'local', mode = 'agent', agent = 'build' })
    p:event({ type = 'question.asked', sessionId = '0001', seq = 2, data = { questionId = '0001-u2.1', callId = 'c1', questions = { ... } } })
    return p
  end
  local function answer(p, ...)
    want = { ... }
    p.questions:command()
    vim.wait(5000, function() return #requests > 0 end, 5)
    return requests[1] and requests[1][2]
  end

  it('is told, and opens nothing', function()
    asked(which)
    assert.matches('Which database', told[1])
    assert.matches(':AgentAnswer', told[1])
    assert.equal(0, #shown)
  end)

  it('is answered from a list', function()
    local sent = answer(asked(which), 'Postgres')
    assert.same({ questionId = '0001-u2.1', answers = { { choices = { 'Postgres' } } } }, sent)
    assert.same({ 'SQLite: one file', 'Postgres', 'In your own words…', 'Skip this question' }, shown[1].labels)
  end)

  it('takes several where it may, and own words', function()
    local sent = answer(asked(features, which, name), 'Login', 'Search', 'In your own words', 'files', 'Bob')
    assert.same({ { choices = { 'Login', 'Search' } }, { choices = {}, text = 'files' }, { choices = {}, text = 'Bob' } }, sent.answers)
    assert.equal('(1/3) Which features?', shown[1].prompt)
    assert.equal('Done: Login', shown[2].labels[1])
  end)

  it('stays open where the list is left', function()
    local p = asked(which)
    p.questions:command()
    assert.equal(1, #shown)
    assert.equal(0, #requests)
    assert.equal(1, #p.questions.order)
  end)

  it('is closed where every question is skipped, and with a bang', function()
    assert.same({ questionId = '0001-u2.1', dismiss = true }, answer(asked(which), 'Skip'))
    requests = {}
    asked(which).questions:command(nil, true)
    assert.same({ questionId = '0001-u2.1', dismiss = true }, requests[1][2])
  end)

  it('may be a plan, which is sent back with words or carried out in one of two modes', function()
    local p = asked(which)
    local plan = { approvalId = '0001-a6', sessionId = '0001', domain = 'plan', title = 'Accept this plan?', decisions = { 'once', 'reject' }, labels = { once = 'Accept the plan' },
      digest = 'd', always = {}, preview = { kind = 'plan', text = '# Plan\n\n1. a\n2. b' } }
    p.approvals.open['0001-a6'], p.approvals.order = plan, { '0001-a6' }
    want = { 'Accept it, and ask' }
    p.approvals:ask(plan, true)
    assert.same({ approvalId = '0001-a6', decision = 'once', digest = 'd', mode = 'ask' }, requests[1][2])
    assert.same({ 'Keep planning…', 'Accept the plan', 'Accept it, and ask before each edit' }, shown[1].labels)
    want = { 'Keep planning', 'Use b.' }
    p.approvals:ask(plan, true)
    assert.same({ approvalId = '0001-a6', decision = 'reject', digest = 'd', feedback = 'Use b.' }, requests[2][2])
    p.approvals:ask(plan, false)
    assert.same({ 'Show all of it', 'Keep planning…' }, shown[3].labels)
  end)

  it('goes when it is answered elsewhere', function()
    local p = asked(which)
    p:event({ type = 'question.answered', sessionId = '0001', seq = 3, data = { questionId = '0001-u2.1', callId = 'c1', answers = {}, by = 'client' } })
    assert.equal(0, #p.questions.order)
    p.questions:command()
    assert.matches('asks nothing', told[#told])
  end)
end)
