local Approvals = require('agent-sidecar.approvals')
local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local Transcript = require('agent-sidecar.transcript')
local wording = require('agent-sidecar.wording')

local trust = {
  approvalId = 't', domain = 'config', risk = 'write', title = 'Do you trust the files in /home/me/notes?', reason = 'Until you trust it, I ask before every edit.',
  decisions = { 'always', 'reject' }, always = {}, targets = {}, preview = { kind = 'text', text = '/home/me/notes' }, digest = 'd',
  labels = { always = 'Trust this folder', reject = 'Not now' },
}
local command = {
  approvalId = 'c', runId = 'r', domain = 'bash', risk = 'execute', title = 'bash: node test.js', reason = 'Commands need your approval.', decisions = { 'once', 'session', 'always', 'reject' },
  always = { { id = '1', label = 'Always in this workspace: node test.js', pattern = 'node test.js', workspace = 'w' }, { id = '2', label = 'Always, in every folder: vault:/x', pattern = 'vault:/x' } },
  targets = {}, preview = { kind = 'command', text = '$ node test.js' },
}

local function chat(approval, decision)
  return table.concat((lines.of({ kind = 'question', depth = 0, data = { approval = approval, resolved = decision and { decision = decision } or nil } })), '\n')
end

describe('a question', function()
  local select, asked
  before_each(function()
    config.set({})
    select, asked = vim.ui.select, nil
    vim.ui.select = function(items, options, done) asked = { items = items, labels = vim.tbl_map(options.format_item, items), prompt = options.prompt, done = done } end
  end)
  after_each(function() vim.ui.select = select end)

  local function ask(approval, answers)
    local project = { root = '/p', tell = function() end, ask = function(_, _, params) answers = params end }
    local approvals = Approvals.new(project)
    approvals.open[approval.approvalId], approvals.order = approval, { approval.approvalId }
    approvals:ask(approval, true)
    return function() return answers end
  end

  it('of trust is asked and answered in its own words', function()
    local answer = ask(trust)
    assert.same({ 'Not now', 'Trust this folder' }, asked.labels)
    assert.equal('Agent: Do you trust the files in /home/me/notes? · Until you trust it, I ask before every edit.', asked.prompt)
    asked.done(asked.items[2])
    assert.equal('always', answer().decision)
    assert.truthy(chat(trust):find('┃ needs your answer\n┃ Do you trust', 1, true), chat(trust))
    assert.equal('┃ Do you trust the files in /home/me/notes? Trust this folder', chat(trust, 'always'))
    assert.equal('┃ Do you trust the files in /home/me/notes? Not now', chat(trust, 'reject'))
  end)

  it('that a restart withdrew stands in the chat again when it is asked again', function()
    local transcript = Transcript.new()
    local function event(type, data) transcript:apply({ type = type, sessionId = '', data = data }) end
    local function open()
      local block, count = transcript.first, 0
      while block do
        if block.kind == 'question' and not block.data.resolved then count = count + 1 end
        block = block.next
      end
      return count
    end
    event('approval.requested', trust)
    event('approval.requested', trust)
    assert.equal(1, open())
    event('approval.resolved', { approvalId = 't', decision = 'restart' })
    assert.equal(0, open())
    event('approval.requested', trust)
    assert.equal(1, open())
    event('approval.resolved', { approvalId = 't', decision = 'always' })
    assert.equal(0, open())
  end)

  it('with words of its own still shows all of it before a yes', function()
    local approvals = Approvals.new({ root = '/p', tell = function() end })
    local long = vim.tbl_extend('force', trust, { preview = { kind = 'text', text = ('/home/me/x\n'):rep(9) } })
    approvals:ask(long, false)
    assert.same({ 'Show all of it', 'Not now' }, asked.labels)
  end)

  it('of a command says what a yes does and what is stored', function()
    ask(command)
    assert.same({ 'Review', 'Reject', 'Reject with a reason…', 'Reject and stop the run', 'Allow once', 'Allow for this session', 'Always allow: node test.js, in this folder', 'Always allow: vault:/x, in every folder' }, asked.labels)
    local text = chat(command)
    assert.truthy(text:find('┃ needs approval · runs a command\n', 1, true), text)
    assert.truthy(text:find('┃ “Always” will allow: node test.js, in this folder\n┃ “Always” will allow: vault:/x, in every folder\n', 1, true), text)
  end)

  it('says in plain words how it ended', function()
    assert.equal('┃ always allowed: bash: node test.js', chat(command, 'always'))
    assert.equal('┃ no longer needed: bash: node test.js', chat(command, 'superseded'))
  end)

  it('names a file as people know it, and a command letter by letter', function()
    assert.equal('lib/math.js', wording.object('vault:/lib/math.js'))
    assert.equal('./', wording.object('vault:/'))
    assert.equal('lib: b.go', wording.object('vault@lib:/b.go'))
    assert.equal('./lib: b.go', wording.object('vault:/lib: b.go'))
    assert.equal('/etc/passwd', wording.object('fs:/etc/passwd'))
    assert.equal('shell:cat vault:/a', wording.object('shell:cat vault:/a'))
    assert.equal('a + lib: b, in this folder', wording.rule({ pattern = 'vault:/a + vault@lib:/b', workspace = 'w' }, 'edit'))
    assert.equal('vault:/x y, in every folder', wording.rule({ pattern = 'vault:/x y' }, 'bash'))
  end)
end)
