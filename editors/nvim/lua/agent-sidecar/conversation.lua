-- One session as this editor shows it: its transcript, its buffer, and how its log is read. A long log is read from its end,
-- a page at a time; a session that another process holds is followed.
local Conversation = {}
Conversation.__index = Conversation

local client = require('agent-sidecar.client')
local config = require('agent-sidecar.config')
local locale = require('agent-sidecar.locale')
local Transcript = require('agent-sidecar.transcript')
local View = require('agent-sidecar.view')
local visible = require('agent-sidecar.visible')

-- Events with which a page may begin: no call stands open before them.
local beginnings = { ['run.started'] = true, ['message.assistant'] = true, ['session.opened'] = true, ['run.queued'] = true }

--- @param project agent_sidecar.Project
--- @param id string of the session
function Conversation.new(project, id)
  local self = setmetatable({ project = project, id = id, transcript = Transcript.new(), waiting = nil, following = false }, Conversation)
  self.transcript:add('more', nil, { left = 0 })
  self.transcript:remove(self.transcript.first)
  self.view = View.new(self.transcript, ('agent-sidecar://%s/%s'):format(vim.fs.basename(project.root), id))
  self.view.conversation = self
  vim.b[self.view.buf].agent_sidecar_root = project.root
  return self
end

--- Takes an event as it comes. While the log is read it waits its turn.
function Conversation:take(event)
  if self.waiting then
    self.waiting[#self.waiting + 1] = event
    return
  end
  self.transcript:apply(event)
  self.view:schedule()
end

function Conversation:say(severity, text)
  self.transcript:add('notice', nil, { severity = severity, text = text })
  self.view:schedule()
end

-- clean leaves out what stands before the first event that a page may begin with.
local function clean(events)
  for i, event in ipairs(events) do
    if beginnings[event.type] then return vim.list_slice(events, i) end
  end
  return events
end

-- read gives all events between two seqs, which are exclusive.
function Conversation:read(after, before, done, agent_path)
  local all = {}
  local function page(from)
    local params = { sessionId = self.id, after = from, before = before, limit = config.options.limits.page, maxBytes = 1024 * 1024, agentPath = agent_path }
    client.request(self.project:client(), 'agent/events', params, function(err, result)
      if err then return done(err, all) end
      vim.list_extend(all, result.events or {})
      if result.hasMore and #all < 20 * config.options.limits.page then return page(result.nextAfter) end
      done(nil, all)
    end)
  end
  page(after)
end

local function set_left(self, seq)
  local head = self.transcript.first
  head.removed = seq <= 1
  head.data = { left = seq - 1 }
  self.left = seq - 1
  self.transcript:touch(head)
end

--- Reads the end of the log, up to a seq, and then what came meanwhile.
function Conversation:load(tail, done)
  self.waiting = self.waiting or {}
  local known = self.transcript.seq
  local after = known > 0 and known or math.max(0, tail - config.options.limits.page)
  self:read(after, tail + 1, function(err, events)
    if after > known then
      events = clean(events)
      set_left(self, events[1] and events[1].seq or 1)
    end
    for _, event in ipairs(events) do
      self.transcript:apply(event)
    end
    local waiting = self.waiting or {}
    self.waiting = nil
    for _, event in ipairs(waiting) do
      self.transcript:apply(event)
    end
    self.view:draw()
    if done then done(err) end
  end)
end

--- Reads one page more of what is before.
function Conversation:earlier()
  local head = self.transcript.first
  if (self.left or 0) < 1 or head.data.loading then return end
  head.data.loading = true
  self.transcript:touch(head)
  self.view:schedule()
  local before = self.left + 1
  local after = math.max(0, before - 1 - config.options.limits.page)
  self:read(after, before, function(err, events)
    if err or #events == 0 then
      set_left(self, before)
      return self.view:draw()
    end
    local older = Transcript.new()
    older.seq = after
    if after > 0 then events = clean(events) end
    for _, event in ipairs(events) do
      older:apply(event)
    end
    self.transcript:prepend(older)
    set_left(self, events[1].seq)
    self.view:draw()
  end)
end

--- Reads what a sub-agent did.
function Conversation:inside(block)
  if not block.path or block.child or block.reading then return end
  block.reading = true
  local path = vim.split(block.path, '/', { plain = true })
  self:read(0, 0, function(err, events)
    block.reading = nil
    if err then return self:say('error', err.message) end
    for _, event in ipairs(events) do
      self.transcript:apply(event)
    end
    self.transcript:touch(block)
    self.view:draw()
  end, path)
end

--- What the sidecar knows about the session, before or beside its log.
function Conversation:know(session)
  local t = self.transcript
  for _, name in ipairs({ 'title', 'agent', 'model', 'mode', 'state' }) do
    if session[name] then t.session[name] = session[name] end
  end
  if session.runtimeMode then -- a whole session: what is absent is not set
    t.session.runner = session.runner or ''
    t.session.params = session.params or {}
  end
  if session.usage then t.usage = session.usage end
  self.view:schedule()
end

--- The model that the next run asks, '' where none is known.
function Conversation:model()
  local own = self.transcript.session.model
  return own and own ~= '' and own or self.project:default_model()
end

--- Changes the session, and says to the person what is so now; what runs has taken it already.
--- @param params table of agent/session/update
--- @param what string
function Conversation:update(params, what)
  local project = self.project
  project:ask('agent/session/update', vim.tbl_extend('force', { sessionId = self.id }, params), function(result)
    self:know(result.session)
    local queued = vim.tbl_contains(vim.tbl_values(result.applied or {}), 'queued-change')
    what = visible.line(what)
    project.tell(queued and locale.t('%s from the next run on', what) or what)
  end)
end

--- Opens the session: the log is shown, and what goes on in it from then on. Where another process has it, it is followed.
--- @param options {continue: boolean?, replay: boolean?}
--- @param done fun(err: table?, result: table?)?
function Conversation:resume(options, done)
  done = done or function() end
  self.waiting = self.waiting or {}
  local params = { sessionId = self.id, continuePendingWork = options.continue }
  client.request(self.project:client(), 'agent/session/resume', params, function(err, result)
    if err and err.data and err.data.kind == 'session_locked' then
      self:follow(err.data.pid)
      return done(nil, {})
    end
    if err then
      self.waiting = nil
      self:say('error', err.message)
      return done(err)
    end
    self.following = false
    self:know(result.session or {})
    for _, approval in ipairs(result.pendingApprovals or {}) do
      self.project.approvals:add(approval)
    end
    self:load(result.tailSeq or 0, function(failed) done(failed, result) end)
  end)
end

--- Shows what another process writes into the session. Nothing can be asked of it here but a fork.
function Conversation:follow(pid)
  self.following = true
  self.holder = pid
  self.transcript.session.held = pid or true
  local function wait()
    if not self.following or self.view.gone then return end
    local params = { sessionId = self.id, after = self.transcript.seq, limit = config.options.limits.page, maxBytes = 1024 * 1024, waitMs = 25000 }
    client.request(self.project:client(), 'agent/events', params, function(err, result)
      if err then
        self.following = false
        return self:say('error', locale.t('The session is no longer followed: %s', err.message))
      end
      for _, event in ipairs(result.events or {}) do
        self.transcript:apply(event)
      end
      if #(result.events or {}) > 0 then self.view:schedule() end
      if not result.lockedBy and not result.hasMore then
        self.following = false
        return self:say('info', locale.t('The other editor has closed the session: a prompt continues it here.'))
      end
      wait()
    end)
  end
  -- How long the log is, is not known without opening it: an empty page says it.
  client.request(self.project:client(), 'agent/events', { sessionId = self.id, after = 2 ^ 31 }, function(_, page)
    self:load(page and page.tailSeq or 0, function()
      self:say('warning', locale.t('Another editor has this session open; you see it here as it goes on. A prompt continues in a fork of it.'))
      wait()
    end)
  end)
end

return Conversation
