-- Names of others, wherever a person is shown one: a file, a tool, a server, a session, a branch, a model can have such a name.
local Approvals = require('agent-sidecar.approvals')
local Questions = require('agent-sidecar.questions')
local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')
local status = require('agent-sidecar.status')
local View = require('agent-sidecar.view')
local Transcript = require('agent-sidecar.transcript')

local name = 'a\27]52;c;eA==\7\n\u{202e}b\u{200b}%{1}'

local function is_plain(text)
  assert.is_string(text)
  assert.is_nil(text:find('[%z\1-\31\127]'), vim.inspect(text))
  assert.is_nil(text:find('\u{202e}', 1, true) or text:find('\u{200b}', 1, true), vim.inspect(text))
  assert.truthy(text:find('<U+202E>b', 1, true), text)
end

describe('a name of somebody else', function()
  local select, input, notify
  local shown, told, asked
  before_each(function()
    config.set({})
    select, input, notify = vim.ui.select, vim.ui.input, vim.notify
    shown, told, asked = nil, nil, nil
    vim.ui.select = function(items, options, done) shown = { prompt = options.prompt, labels = vim.tbl_map(options.format_item, items), items = items, done = done } end
    vim.ui.input = function(options) asked = options end
    vim.notify = function(text) told = text end
  end)
  after_each(function() vim.ui.select, vim.ui.input, vim.notify = select, input, notify end)

  -- project answers what the sidecar is asked with what a spec says.
  local function project(answers)
    local p = { root = vim.fn.getcwd(), conversations = {}, tell = output.tell, client = function() return true end, capabilities = function() return {} end }
    p.approvals = Approvals.new(p)
    p.questions = Questions.new(p)
    p.ask = function(_, method, _, done) done(answers[method]) end
    return p
  end

  local function conversation(of)
    local transcript = Transcript.new()
    local view = View.new(transcript, 'agent-sidecar://' .. vim.uv.hrtime() .. name)
    local c = { id = '0001', project = of, transcript = transcript, view = view }
    c.model = function() return transcript.session.model or '' end
    c.say = function(_, _, text) transcript:add('notice', nil, { severity = 'info', text = text }) end
    view.conversation = c
    return c
  end

  it('is plain in a message', function()
    output.tell(name)
    is_plain(told)
  end)

  it('is plain in a list and its question, and is itself what is chosen', function()
    local chosen
    output.choose({ name }, { prompt = 'Which? ' .. name }, function(item) chosen = item end)
    is_plain(shown.prompt)
    is_plain(shown.labels[1])
    shown.done(shown.items[1])
    assert.equal(name, chosen)
  end)

  it('is plain in a question for a line', function()
    output.input({ prompt = name, default = name }, function() end)
    is_plain(asked.prompt)
    is_plain(asked.default)
  end)

  it('is plain as the name of a buffer', function()
    is_plain(vim.api.nvim_buf_get_name(conversation(project({})).view.buf))
    is_plain(vim.api.nvim_buf_get_name(require('agent-sidecar.scratch').buffer('/p', 'agent-diff:/' .. name, {})))
  end)

  it('is plain in the bars and the status line, and no instruction there', function()
    local c = conversation(project({}))
    c.transcript.session = { title = name, agent = name, model = name, params = { reasoningEffort = name } }
    c.transcript.state, c.transcript.detail = 'tool_calling', name
    is_plain(status.bar(c.view.buf))
    local buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_win_set_buf(0, buf)
    output.bar(vim.api.nvim_get_current_win(), buf, name)
    local drawn = vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true }).str
    is_plain(drawn)
    assert.truthy(drawn:find('%{1}', 1, true), drawn)
    vim.wo.winbar = ''
  end)

  it('is plain in the list of sessions', function()
    local p = project({ ['agent/session/list'] = { sessions = { { id = '0001', title = name, agent = name, model = name, state = name, updatedAt = name } } } })
    local list = require('agent-sidecar.sessions').list(p, '')
    is_plain(vim.api.nvim_buf_get_lines(list.buf, 0, 1, false)[1])
    vim.cmd('silent! only')
  end)

  it('is plain in what an undo asks and says', function()
    local plan = { changes = { { path = name, callId = name } }, conflicts = { { path = name, reason = name } } }
    local c = conversation(project({ ['agent/session/undo'] = plan }))
    require('agent-sidecar.undo').ask(c, { callId = 'c' })
    is_plain(shown.prompt)
    shown.done(shown.items[2])
    local block = c.transcript.first
    while block do
      if not block.removed then is_plain(table.concat((lines.of(block)))) end
      block = block.next
    end
  end)

  it('is plain in what the model asks', function()
    local p = project({})
    local asked = { questionId = '0001-u1.1', questions = { { question = name, options = { { label = name, description = name } } } } }
    p.questions:add(asked)
    assert.falsy(told:find('%c'), told)
    p.questions:ask(asked)
    is_plain(shown.prompt)
    is_plain(shown.labels[1])
  end)

  it('is plain in a question of the agent', function()
    local p = project({})
    local approval = { approvalId = 'a', title = name, reason = name, risk = name, tool = name, decisions = { 'always', 'reject' }, always = { { id = '1', pattern = name, label = name } }, targets = {}, labels = { reject = name } }
    p.approvals.open.a, p.approvals.order = approval, { 'a' }
    p.approvals:ask(approval, true)
    is_plain(shown.prompt)
    assert.truthy(#shown.labels > 0)
    for _, label in ipairs(shown.labels) do assert.is_nil(label:find('[%z\1-\31\127]')) end
    for _, line in ipairs((lines.of({ kind = 'question', depth = 0, data = { approval = approval } }))) do assert.is_nil(line:find('[%z\1-\31\127]')) end
  end)

  it('is plain in every line that is made for a chat', function()
    local blocks = {
      { kind = 'call', data = { title = name, tool = name, status = name, input = { [name] = name:gsub('\n', ' ') }, changes = { { path = name, from = name, kind = 'moved' } }, activity = name } },
      { kind = 'question', data = { approval = { title = name, reason = name, risk = name }, resolved = { decision = name } } },
      { kind = 'plan', data = { items = { { text = name, status = name } } } },
      { kind = 'notice', data = { text = name } },
      { kind = 'ended', data = { stopReason = name, message = name, error = { kind = name, message = name }, changes = { { path = name, kind = 'created' } } } },
      { kind = 'summary', data = { ok = false, reason = name } },
    }
    for _, block in ipairs(blocks) do
      block.depth = 0
      local text, marks = lines.of(block)
      local all = table.concat(text)
      for _, mark in ipairs(marks) do all = all .. (mark.beside and mark.beside[1][1] or '') end
      is_plain(all)
    end
  end)

  it('is not completed', function() assert.same({ 'ab' }, output.completions({ 'ab', 'a' .. name, 'b' }, 'a')) end)
end)

describe('the code', function()
  -- So that no name has another way to a person.
  it('shows nothing but through output.lua', function()
    local own = { 'vim%.notify', 'vim%.ui%.select', 'vim%.ui%.input', 'inputsecret', 'vim%.fn%.input%f[%W]', 'nvim_echo', 'nvim_out_write', 'nvim_err_write', 'nvim_buf_set_name', 'setqflist', 'setloclist', 'titlestring', '[^%w_]print%(' }
    for _, path in ipairs(vim.fn.glob(vim.env.PLUGIN .. '/lua/**/*.lua', true, true)) do
      local code = table.concat(vim.fn.readfile(path), '\n'):gsub('%-%-[^\n]*', '')
      for _, call in ipairs(vim.endswith(path, '/output.lua') and {} or own) do assert.is_nil(code:find(call), path .. ': ' .. call) end
      -- A bar is one of output.bar, or an expression in which nothing of others is.
      for bar in code:gmatch('winbar = ([^\n]+)') do assert.truthy(bar:match('^"%%{[^"]*}%%<"'), path .. ': ' .. bar) end
    end
  end)
end)
