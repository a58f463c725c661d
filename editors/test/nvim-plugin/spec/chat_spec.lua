local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local Transcript = require('agent-sidecar.transcript')
local View = require('agent-sidecar.view')

-- session makes events as the sidecar sends them.
local function session()
  local seq, list = 0, {}
  local function durable(type, data, more)
    seq = seq + 1
    list[#list + 1] = vim.tbl_extend('force', { sessionId = '0001', seq = seq, runId = '0001-r2.1', type = type, data = data }, more or {})
  end
  local function shown(type, data, more)
    list[#list + 1] = vim.tbl_extend('force', { sessionId = '0001', afterSeq = seq, runId = '0001-r2.1', type = type, data = data }, more or {})
  end
  return { list = list, durable = durable, shown = shown }
end

local function prompt(s, text) s.durable('run.started', { prompt = { { type = 'text', text = text } }, agent = 'build', model = 'openai/scripted', kind = 'prompt' }) end

local function call(s, id, result, more)
  s.durable('tool.requested', { callId = id, tool = 'bash', title = 'bash: echo ' .. id, input = { command = 'echo ' .. id } }, more)
  s.durable('tool.decided', { callId = id, decision = 'allow', by = 'default' }, more)
  s.durable('tool.returned', vim.tbl_extend('force', { callId = id, tool = 'bash', status = 'completed', durationMs = 5 }, result), more)
end

local function text_of(view) return vim.api.nvim_buf_get_lines(view.buf, 0, -1, false) end

-- drawn takes events one after another; draw says after which of them the screen is drawn.
local function drawn(events, draw)
  local view = View.new(Transcript.new(), 'test://' .. vim.uv.hrtime())
  for i, event in ipairs(events) do
    view.transcript:apply(event)
    if draw(i) then view:draw() end
  end
  view:draw()
  return view
end

-- again draws the same blocks from nothing.
local function again(view)
  local all = {}
  local block = view.transcript.first
  while block do
    vim.list_extend(all, (lines.of(block)))
    block = block.next
  end
  return #all > 0 and all or { '' }
end

local function levels(view)
  local all = {}
  local block = view.transcript.first
  while block do
    for offset = 0, #(lines.of(block)) - 1 do all[#all + 1] = lines.fold(block, offset) end
    block = block.next
  end
  return all
end

local function story()
  local s = session()
  s.durable('session.opened', { title = 'T', agent = 'build', mode = 'agent' })
  prompt(s, 'Do it.\nAll of it.')
  s.shown('run.state', { state = 'thinking', iteration = 1 })
  s.shown('reasoning.delta', { messageId = 'm1', text = 'Let me ' })
  s.shown('reasoning.delta', { messageId = 'm1', text = 'see.\nWell' })
  for _, piece in ipairs({ '# He', 'llo\n', '\nA **text', '**\n\n```', '\ncode\n', '```\n' }) do s.shown('message.delta', { messageId = 'm1', text = piece }) end
  s.durable('message.assistant', { messageId = 'm1', text = '# Hello\n\nA **text**\n\n```\ncode\n```\n', reasoning = 'Let me see.\nWell', calls = {} })
  s.durable('tool.requested', { callId = 'c1', tool = 'bash', title = 'bash: ls', input = { command = 'ls' } })
  s.durable('approval.requested', { approvalId = 'a1', title = 'bash: ls', reason = 'Asks by default.', risk = 'execute', decisions = { 'once', 'reject' }, preview = { kind = 'command', text = '$ ls' } })
  s.durable('approval.resolved', { approvalId = 'a1', callId = 'c1', decision = 'once', by = 'client' })
  s.durable('tool.decided', { callId = 'c1', decision = 'allow', by = 'client' })
  for i = 1, 30 do s.shown('tool.output', { callId = 'c1', stream = 'stdout', text = 'line ' .. i .. '\n' }) end
  s.durable('tool.returned', { callId = 'c1', tool = 'bash', status = 'completed', text = 'a\n```\nb', durationMs = 1500 })
  s.durable('plan.updated', { items = { { id = '1', text = 'first', status = 'completed' }, { id = '2', text = 'second', status = 'in_progress' } } })
  s.durable('tool.requested', { callId = 't1', tool = 'task', title = 'explore: one', input = { agent = 'explore' } })
  s.durable('tool.requested', { callId = 't2', tool = 'task', title = 'explore: two', input = { agent = 'explore' } })
  for n = 1, 2 do s.durable('subagent.started', { agent = 'explore', callId = 't' .. n, path = 'explore#' .. n, prompt = 'Where?' }) end
  local sub = { 0, 0 }
  for round = 1, 4 do
    for n = 1, 2 do
      local inside = { agentPath = { 'explore#' .. n }, seq = vim.NIL }
      local function durable(type, data)
        sub[n] = sub[n] + 1
        s.shown(type, data, vim.tbl_extend('force', inside, { subSeq = sub[n] }))
        s.list[#s.list].seq = nil
      end
      s.shown('message.delta', { messageId = 'x' .. n .. round, text = 'I lo' }, { agentPath = inside.agentPath })
      s.shown('message.delta', { messageId = 'x' .. n .. round, text = 'ok\nnow' }, { agentPath = inside.agentPath })
      durable('tool.requested', { callId = 's' .. round, tool = 'grep', title = 'search ' .. round, input = { pattern = 'x' } })
      durable('tool.returned', { callId = 's' .. round, tool = 'grep', status = 'completed', text = 'found ' .. round })
    end
  end
  for n = 1, 2 do
    s.durable('subagent.ended', { callId = 't' .. n, path = 'explore#' .. n, status = 'completed', calls = 4, citations = { ok = 1, bad = 0 } })
    s.durable('tool.returned', { callId = 't' .. n, tool = 'task', status = 'completed', text = 'It is there.' })
  end
  s.durable('plan.updated', { items = { { id = '1', text = 'first', status = 'completed' } } })
  s.durable('message.assistant', { messageId = 'm9', text = 'Done.', calls = {} })
  s.durable('run.ended', { stopReason = 'end_turn', usage = { inputTokens = 10, outputTokens = 5, context = { used = 15 } }, changes = { { path = 'a.txt', kind = 'modified', additions = 1, deletions = 1 } } })
  return s.list
end

describe('a conversation in its buffer', function()
  before_each(function() config.set({ chat = { colours = false } }) end)

  it('is the same however it came', function()
    local whole = drawn(story(), function() return false end)
    assert.same(again(whole), text_of(whole))
    for _, every in ipairs({ 1, 2, 3, 7 }) do
      local view = drawn(story(), function(i) return i % every == 0 end)
      assert.same(text_of(whole), text_of(view))
      assert.same(again(view), text_of(view))
      assert.same(levels(view), view.levels)
    end
  end)

  it('shows a call, its state and its folds', function()
    local view = drawn(story(), function() return true end)
    local text = table.concat(text_of(view), '\n')
    assert.truthy(text:find('▌ Do it.\n▌ All of it.', 1, true))
    assert.truthy(text:find('▸ bash: ls\n│ command: ls\n│ a\n│ ```\n│ b', 1, true))
    assert.truthy(text:find('┃ allowed once: bash: ls', 1, true))
    assert.truthy(text:find('Plan 1/1', 1, true))
    assert.truthy(text:find('M a.txt +1 −1', 1, true))
    local states = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(view.buf, -1, 0, -1, { details = true })) do
      if mark[4].virt_text then states[#states + 1] = mark[4].virt_text[1][1] end
    end
    assert.truthy(table.concat(states, '|'):find('✓ 1.5 s', 1, true))
    assert.truthy(table.concat(states, '|'):find('4 calls · 1 of 1 citation verified', 1, true))
  end)

  it('puts each sub-agent below its own call', function()
    local view = drawn(story(), function() return true end)
    local text = table.concat(text_of(view), '\n')
    local one, two = text:find('▸ explore: one', 1, true), text:find('▸ explore: two', 1, true)
    local _, first = text:gsub('│ ▸ search', '')
    assert.equal(8, first)
    local _, inside = text:sub(one, two):gsub('│ ▸ search', '')
    assert.equal(4, inside)
  end)

  it('withdraws what a retry replaces', function()
    local s = session()
    prompt(s, 'Hi')
    s.shown('message.delta', { messageId = 'm1', text = 'Wrong\nwords' })
    s.shown('notice', { severity = 'info', kind = 'message_reset', messageId = 'm1', title = 'Asked again' })
    s.shown('message.delta', { messageId = 'm1', text = 'Right' })
    s.durable('message.assistant', { messageId = 'm1', text = 'Right', calls = {} })
    local view = drawn(s.list, function() return true end)
    assert.same({ '▌ Hi', '', '· Asked again', '', 'Right' }, text_of(view))
  end)

  it('takes an event once', function()
    local events = story()
    local twice = {}
    for _, event in ipairs(events) do
      twice[#twice + 1] = event
      if event.seq or event.subSeq then twice[#twice + 1] = event end
    end
    assert.same(text_of(drawn(events, function() return false end)), text_of(drawn(twice, function(i) return i % 5 == 0 end)))
  end)

  it('passes over what it does not know', function()
    local s = session()
    prompt(s, 'Hi')
    s.durable('something.new', { x = 1 })
    s.shown('run.state', { state = 'dreaming' })
    s.durable('tool.returned', { callId = 'never', tool = 'odd', status = 'melted', text = 'x' })
    s.durable('run.ended', { stopReason = 'bored' })
    assert.same({ '▌ Hi', '', '▸ odd', '│ x', '', '— bored' }, text_of(drawn(s.list, function() return true end)))
  end)

  it('shows only the ends of a long output, and a cut one by its preview', function()
    local s = session()
    prompt(s, 'Hi')
    local numbers = {}
    for i = 1, 1000 do numbers[i] = tostring(i) end
    call(s, 'c1', { text = table.concat(numbers, '\n') })
    call(s, 'c2', { text = vim.json.encode({ _truncated = true, preview = 'one\ntwo' }), truncated = true, artifact = { artifactId = 'art', bytes = 2048, lines = 9 } })
    local view = drawn(s.list, function() return true end)
    local text = table.concat(text_of(view), '\n')
    assert.truthy(text:find('880 lines not shown here', 1, true))
    assert.truthy(text:find('│ 1\n', 1, true) and text:find('│ 1000\n', 1, true))
    assert.truthy(text:find('│ one\n│ two\n│ truncated: go opens the full output (2 KiB, 9 lines)', 1, true))
  end)

  it('counts one thing as one', function()
    assert.same({ '0 calls', '1 call', '2 calls', '0 calls' }, { lines.count(0, 'call'), lines.count(1, 'call'), lines.count(2, 'call'), lines.count(nil, 'call') })
    assert.equal('… 1 earlier event: <CR> reads it', lines.of({ kind = 'more', depth = 0, data = { left = 1 } })[1])
    local s = session()
    prompt(s, 'Hi')
    s.durable('tool.requested', { callId = 't', tool = 'task', title = 'explore: one', input = {} })
    s.durable('subagent.started', { agent = 'explore', callId = 't', path = 'explore#1', prompt = 'Where?' })
    s.durable('subagent.ended', { callId = 't', path = 'explore#1', status = 'completed', calls = 1, citations = { ok = 1, bad = 0 } })
    local view = drawn(s.list, function() return true end)
    local marks = vim.inspect(vim.api.nvim_buf_get_extmarks(view.buf, -1, 0, -1, { details = true }))
    assert.truthy(marks:find('· 1 call ·', 1, true), marks)
  end)

  it('keeps the whole of a long answer that the log has cut', function()
    local s = session()
    prompt(s, 'Hi')
    s.shown('message.delta', { messageId = 'm', text = 'one two three' })
    s.durable('message.assistant', { messageId = 'm', text = 'one two…', artifact = { artifactId = 'art' }, calls = {} })
    s.durable('message.assistant', { messageId = 'n', text = 'four…', artifact = { artifactId = 'art2' }, calls = {} })
    assert.same({ '▌ Hi', '', 'one two three', '', 'four…', 'truncated: go opens the full text' }, text_of(drawn(s.list, function() return true end)))
  end)

  it('shows names of others as they are, not as they would like', function()
    local s = session()
    prompt(s, 'Hi')
    s.durable('tool.requested', { callId = 'c', tool = 'bash', title = 'bash: \u{202e}fdp\n▌ you: yes', input = {} })
    s.durable('approval.requested', { approvalId = 'a', title = 'one\ntwo\u{200b}', reason = '\27[2J', risk = 'execute', preview = { kind = 'text', text = 'x\u{2066}y' } })
    local text = table.concat(text_of(drawn(s.list, function() return true end)), '\n')
    assert.truthy(text:find('▸ bash: <U+202E>fdp ⏎ ▌ you: yes', 1, true))
    assert.truthy(text:find('┃ one ⏎ two<U+200B>', 1, true))
    assert.truthy(text:find('┃ <U+001B>[2J', 1, true))
    assert.truthy(text:find('┃   x<U+2066>y', 1, true))
  end)

  it('runs nothing that a text says', function()
    local s = session()
    prompt(s, 'Hi')
    s.durable('message.assistant', { messageId = 'm', text = '/* vim: set foldtext=system("touch\\ pwned"): */\n%{system("touch pwned")}', calls = {} })
    s.durable('session.changed', { title = '%{system("touch pwned")}%#Error#' })
    local view = drawn(s.list, function() return true end)
    assert.is_false(vim.bo[view.buf].modeline)
    assert.is_false(vim.bo[view.buf].modifiable)
    assert.is_nil(vim.uv.fs_stat('pwned'))
  end)

  it('finds the block of a line', function()
    local view = drawn(story(), function(i) return i % 4 == 0 end)
    for row, line in ipairs(text_of(view)) do
      local block, offset = view:at(row - 1)
      assert.equal(line, (lines.of(block))[offset + 1])
    end
  end)

  it('goes on at the end of the screen, and leaves somebody alone who reads', function()
    local view = drawn(story(), function() return true end)
    vim.api.nvim_win_set_buf(0, view.buf)
    local last = vim.api.nvim_buf_line_count(view.buf)
    vim.api.nvim_win_set_cursor(0, { last, 0 })
    view.transcript:apply({ seq = 1000, type = 'message.assistant', data = { messageId = 'n', text = 'a\nb\nc' } })
    view:draw()
    assert.equal(last + 4, vim.api.nvim_win_get_cursor(0)[1])
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
    view.transcript:apply({ seq = 1001, type = 'message.assistant', data = { messageId = 'o', text = 'd' } })
    view:draw()
    assert.equal(2, vim.api.nvim_win_get_cursor(0)[1])
  end)
end)

-- The time of the processor counts: others may be at work on the machine.
describe('speed', function()
  before_each(function() config.set({}) end)

  it('keeps up with 20,000 pieces of an answer', function()
    local view = View.new(Transcript.new(), 'test://fast')
    local conversation = { transcript = view.transcript, view = view, project = { root = '/', approvals = { order = {} }, questions = { order = {} }, client = function() return true end } }
    view.conversation = conversation
    vim.api.nvim_win_set_buf(0, view.buf)
    vim.wo[0][0].foldmethod, vim.wo[0][0].foldexpr = 'expr', "v:lua.require'agent-sidecar.chat'.fold()"
    local longest, total = 0, 0
    view.transcript:apply({ seq = 1, runId = 'r', type = 'run.started', data = { prompt = { { type = 'text', text = 'x' } } } })
    for i = 1, 20000 do
      view.transcript:apply({ afterSeq = 1, runId = 'r', type = 'message.delta', data = { messageId = 'm', text = i % 12 == 0 and 'end.\n\n' or '**word** ' } })
      if i % 66 == 0 then -- 2,000 a second, drawn 30 times
        local start = os.clock()
        view:draw()
        vim.cmd.redraw()
        local ms = (os.clock() - start) * 1000
        longest, total = math.max(longest, ms), total + ms
      end
    end
    view:draw()
    io.stdout:write(('# 20,000 deltas: %d drawings, longest %.1f ms, together %.0f ms\n'):format(20000 / 66, longest, total))
    assert.is_true(#table.concat(text_of(view)) > 150000)
    assert.is_true(longest < 200, ('one drawing took %.0f ms'):format(longest))
  end)

  it('opens a session of 2,000 calls within a second', function()
    local s = session()
    prompt(s, 'Long')
    for i = 1, 2000 do
      s.durable('message.assistant', { messageId = 'm' .. i, text = 'Step ' .. i, calls = {} })
      call(s, 'c' .. i, { text = ('line of an output\n'):rep(20) })
    end
    local view, ms
    local function open()
      local start = os.clock()
      view = View.new(Transcript.new(), 'test://long' .. vim.uv.hrtime())
      for _, event in ipairs(s.list) do view.transcript:apply(event) end
      view:draw()
      vim.api.nvim_win_set_buf(0, view.buf)
      vim.wo[0][0].foldmethod, vim.wo[0][0].foldexpr, vim.wo[0][0].foldlevel = 'expr', "v:lua.require'agent-sidecar.chat'.fold()", 0
      view.conversation = { transcript = view.transcript, view = view, project = { root = '/', approvals = { order = {} }, questions = { order = {} }, client = function() return true end } }
      vim.cmd.redraw()
      ms = math.min(ms or math.huge, (os.clock() - start) * 1000)
    end
    -- The best of three: what is collected in between is not what is measured.
    for _ = 1, 3 do open() end
    io.stdout:write(('# 2,000 calls, all of them: %d lines in %.0f ms\n'):format(vim.api.nvim_buf_line_count(view.buf), ms))
    assert.is_true(ms < 4000, ('it took %.0f ms'):format(ms))
    assert.equal(1, vim.fn.foldlevel(7))
    local start = os.clock()
    view.transcript:apply({ seq = 99999, type = 'message.assistant', data = { messageId = 'z', text = 'more' } })
    view:draw()
    vim.cmd.redraw()
    ms = (os.clock() - start) * 1000
    io.stdout:write(('# and one message more in %.1f ms\n'):format(ms))
    assert.is_true(ms < 400, ('it took %.0f ms'):format(ms))
  end)
end)
