-- What each event means for a transcript. `owner` is the block of the sub-agent whose event it is, nil for the session's own.
-- An event of a type that is not here is one of a newer sidecar: it is passed over.
local on = {}

local config = require('agent-sidecar.config')
local failures = require('agent-sidecar.failures')
local locale = require('agent-sidecar.locale')
local slash = require('agent-sidecar.slash')

local function scope(owner, id) return (owner and owner.path .. '/' or '') .. tostring(id) end

-- What a sub-agent does, behind an ellipsis.
local doing = {
  starting = locale.t('starting'), thinking = locale.t('thinking'), tool_calling = locale.t('running'), waiting_approval = locale.t('needs approval'),
  retrying = locale.t('asking again'), compacting = locale.t('summarising'), writing = locale.t('writing'), error = locale.t('failed'), finished = locale.t('done'),
}

-- say shows what is going on, of the session or of a sub-agent, in its head.
local function say(t, owner, state, detail)
  if owner then
    local word = doing[state] or state
    owner.data.activity = detail and detail ~= '' and locale.t('%s: %s', word, detail) or word
    t:touch(owner)
  else
    t.state, t.detail = state, detail
  end
end

on['session.opened'] = function(t, data, owner)
  if owner then return end
  t.session = vim.tbl_extend('force', t.session, data)
end

on['session.changed'] = function(t, data, owner)
  if owner then return end
  t.session = vim.tbl_extend('force', t.session, data)
  if data.runner then t:add('notice', nil, { severity = 'info', text = data.runner == '' and locale.t('From here on it works on this machine.') or locale.t('From here on it works on %s.', data.runner) }) end
end

on['run.queued'] = function(t, data, owner, event)
  if owner then return end
  local block = t:find('prompt', event.runId)
  if block then
    block.data.text = t.words(slash.content(data))
    t:touch(block)
  else
    t:add('prompt', event.runId, { text = t.words(slash.content(data)), queued = true, item = data.itemId })
  end
end

on['run.started'] = function(t, data, owner, event)
  if owner then return end
  local waited = t:find('prompt', event.runId)
  if waited then t:remove(waited) end
  t.live, t.state, t.detail, t.open_text = true, 'thinking', nil, nil
  if data.agent then t.session.agent = data.agent end
  if data.model then t.session.model = data.model end
  if data.kind == 'compaction' then
    t:add('notice', nil, { severity = 'info', text = locale.t('The conversation is being summarised.') })
  elseif data.kind == 'continuation' and #t.words(data.prompt) == 0 then
    t:add('notice', nil, { severity = 'info', text = t.ended and t.ended.stopReason ~= 'interrupted' and failures.retries(t.ended) and locale.t('Running it again.') or locale.t('Continuing where it was interrupted.') })
  else
    t:add('prompt', event.runId, { text = t.words(slash.content(data)), run = event.runId, typed = t.typed(slash.content(data)), at = event.seq })
  end
end

on['run.ended'] = function(t, data, owner, event)
  if owner then return end
  t.ended = data
  t.live, t.state, t.detail, t.spoken = false, data.stopReason == 'error' and 'error' or 'idle', nil, t.spoken + 1
  if data.usage then t.usage = data.usage end
  t:add('ended', event.runId, data).data.run = event.runId
end

on['message.user'] = function(t, data, owner)
  if owner or data.synthetic or data.ignored then return end
  t:add('prompt', data.messageId, { text = t.words(data.content), steering = data.steering })
end

local function stream(kind)
  return function(t, data, owner)
    if kind == 'reasoning' and not config.options.chat.reasoning then return end
    local key = scope(owner, data.messageId)
    local block = t:find(kind, key) or t:add(kind, key, { text = {} }, owner)
    local text = data.text or ''
    block.data.text[#block.data.text + 1] = text
    block.tail[#block.tail + 1] = text
    t:touch(block)
  end
end

on['message.delta'] = stream('text')
on['reasoning.delta'] = stream('reasoning')

on['message.assistant'] = function(t, data, owner)
  local key = scope(owner, data.messageId)
  for _, kind in ipairs({ 'reasoning', 'text' }) do
    local text = (kind == 'text' or config.options.chat.reasoning) and data[kind] or ''
    local block = t:find(kind, key)
    local shown = block and table.concat(block.data.text)
    -- A long text is cut in the log; what was streamed has it whole.
    local whole = kind == 'text' and data.artifact and shown and #shown >= #text
    if text ~= '' and shown ~= text and not whole then
      -- Nothing was streamed, or something else: what is durable holds. Thoughts stand before the answer.
      if block then
        block.data.text, block.tail, block.whole = { text }, {}, true
        t:touch(block)
      else
        block = t:add(kind, key, { text = { text } }, owner)
      end
    end
    if block and text:sub(-1) == '\n' then -- no more comes: the empty lines at its end go
      block.whole = true
      t:touch(block)
    end
    if block then block.data.done = true end
    if block and kind == 'text' and data.artifact then
      block.data.artifact, block.data.cut, block.whole = data.artifact, not whole, true
      t:touch(block)
    end
  end
end

on['tool.requested'] = function(t, data, owner)
  local key = scope(owner, data.callId)
  t:add('call', key, { call = data.callId, tool = data.tool, title = data.title, input = data.input, status = 'asked', since = vim.uv.hrtime() }, owner)
end

local function call_of(t, owner, id) return t:find('call', scope(owner, id)) end

on['tool.decided'] = function(t, data, owner)
  local block = call_of(t, owner, data.callId)
  if not block then return end
  block.data.decision, block.data.by = data.decision, data.by
  if data.input then block.data.input = data.input end
  if block.data.status == 'asked' then block.data.status = data.decision == 'allow' and 'running' or 'denied' end
  t:touch(block)
end

on['tool.output'] = function(t, data, owner)
  local block = call_of(t, owner, data.callId)
  if not block then return end
  -- Only the end of it is shown while it runs; the result has the whole.
  local live = (block.data.live or '') .. (data.text or '')
  block.data.live = #live > 4096 and live:sub(-4096) or live
  t:touch(block)
end

on['tool.returned'] = function(t, data, owner)
  local block = call_of(t, owner, data.callId)
  if not block then block = t:add('call', scope(owner, data.callId), { call = data.callId, tool = data.tool, title = data.tool }, owner) end
  block.data = vim.tbl_extend('force', block.data, {
    status = data.status, text = data.text, truncated = data.truncated, artifact = data.artifact, changes = data.changes,
    exit = data.exitCode, ms = data.durationMs, way = data.wayMs, live = false,
  })
  t:touch(block)
end

on['approval.requested'] = function(t, data)
  local there = t:find('question', data.approvalId)
  if there and not there.data.resolved then return end -- one that a restart withdrew is asked again under its old id
  t:add('question', data.approvalId, { approval = data })
end

on['approval.resolved'] = function(t, data)
  local block = t:find('question', data.approvalId)
  if not block then return end
  block.data.resolved = data
  t:touch(block)
end

on['question.asked'] = function(t, data) t:add('asked', data.questionId, { asked = data }) end

on['question.answered'] = function(t, data)
  local block = t:find('asked', data.questionId)
  if not block then return end
  block.data.answered = data
  t:touch(block)
end

on['subagent.started'] = function(t, data, _, event)
  local block = t:find('call', tostring(data.callId))
  if not block then block = t:add('call', tostring(data.callId), { call = data.callId, tool = 'task', title = data.agent }) end
  block.path = data.path
  block.data.agent, block.data.path, block.data.prompt, block.data.activity = data.agent, data.path, data.prompt, doing.starting
  t.known['agent ' .. data.path] = block
  t:touch(block)
end

on['subagent.ended'] = function(t, data)
  local block = t:find('agent', tostring(data.path))
  if not block then return end
  block.data.activity, block.data.ended = nil, data
  t:touch(block)
end

on['plan.updated'] = function(t, data, owner, event)
  if owner then return end
  t.plan = data.items
  local key = event.runId or ''
  local block = t:find('plan', key)
  if block then
    block.data.items = data.items
    t:touch(block)
  else
    t:add('plan', key, { items = data.items })
  end
end

on['context.compacted'] = function(t, data, owner)
  if owner then return end
  t:add('summary', nil, data)
end

on['model.switched'] = function(t, data, owner)
  if owner then return end
  t.session.model = data.to or t.session.model
  t:add('notice', nil, { severity = 'info', text = locale.t('From here on the model is %s, not %s: %s', data.to, data.from, data.reason) })
end

on['loop.detected'] = function(t, data, owner)
  t:add('notice', nil, { severity = 'warning', text = data.reason or locale.t('%s is called again and again', data.tool) }, owner)
end

on['run.state'] = function(t, data, owner)
  say(t, owner, data.state, data.detail)
  if not owner and data.state == 'finished' then t.state = 'idle' end
end

on['tool.input'] = function(t, data, owner) say(t, owner, 'writing', data.tool) end

on['usage'] = function(t, data, owner)
  if not owner then t.usage = vim.tbl_extend('force', t.usage or {}, data) end
end

on['notice'] = function(t, data, owner)
  if data.kind == 'message_reset' then
    for _, kind in ipairs({ 'text', 'reasoning' }) do
      local block = t:find(kind, scope(owner, data.messageId))
      if block then
        t:remove(block)
        t.known[kind .. ' ' .. scope(owner, data.messageId)] = nil
      end
    end
    if not data.title or data.title == '' then return end
  end
  t:add('notice', nil, { severity = data.severity, text = data.title }, owner)
end

on['gap'] = function(t, data, owner)
  t:add('notice', nil, { severity = 'info', text = locale.t('%d bytes were left out: the editor read too slowly. The log has them.', data.droppedBytes or 0) }, owner)
end

return on
