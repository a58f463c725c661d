-- One project in this editor: its sidecar, the sessions that are shown of it, and the questions that are open. It starts the
-- sidecar, and starts it again when it dies.
local Project = {}
Project.__index = Project

local Approvals = require('agent-sidecar.approvals')
local Questions = require('agent-sidecar.questions')
local client = require('agent-sidecar.client')
local Conversation = require('agent-sidecar.conversation')
local documents = require('agent-sidecar.documents')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local root = require('agent-sidecar.root')

-- As many crashes in so many seconds, and it is not started again by itself.
local most_crashes, crash_window = 5, 180

local patience = 10000 -- ms: then a person who waits for the program to answer is told so

Project.all = {} --- @type table<string, agent_sidecar.Project>
Project.last = nil --- @type agent_sidecar.Project? the one that was last used

local tell = output.tell
Project.tell = tell

--- The project of a folder.
function Project.get(dir)
  local project = Project.all[dir]
  if project then return project end
  project = setmetatable({ root = dir, conversations = {}, current = nil, crashes = {}, waiters = {} }, Project)
  project.approvals = Approvals.new(project)
  project.questions = Questions.new(project)
  Project.all[dir] = project
  client.listen(dir, {
    event = function(event) project:event(event) end,
    reload = documents.reload,
    ready = function(c) project:ready(c) end,
    exit = function(code, signal) project:exited(code, signal) end,
  })
  return project
end

--- The project that a person means: of the buffer they are in, else the last one. nil with the reason where there is none.
function Project.here(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local own = vim.b[bufnr].agent_sidecar_root
  if own then return Project.get(own) end
  local dir, why = root.of(bufnr)
  if vim.api.nvim_buf_get_name(bufnr) == '' or vim.bo[bufnr].buftype ~= '' then
    -- A buffer that is no file says nothing about the project.
    if Project.last then return Project.last end
  end
  if not dir then return nil, why end
  return Project.get(dir)
end

function Project:client() return client.of(self.root) end

--- What the sidecar said that it can.
function Project:capabilities()
  local c = self:client()
  return c and vim.tbl_get(c.server_capabilities or {}, 'experimental', 'agentSidecar') or {}
end

--- Starts the sidecar where it does not run.
--- @param bufnr integer? a document of the project
--- @return boolean ok
function Project:start(bufnr)
  self.stopping = false
  local c, why = client.start(self.root, bufnr)
  if not c then
    self.why = why
    return false
  end
  return true
end

--- Calls done with the client as soon as it is ready.
--- @param done fun(client: vim.lsp.Client?, why: string?)
function Project:with(done)
  Project.last = self
  local c = self:client()
  if c and c.initialized then return done(c) end
  self.waiters[#self.waiters + 1] = done
  if not c and not self:start() then return self:answer_waiters(nil, self.why) end
  vim.defer_fn(function()
    if vim.tbl_contains(self.waiters, done) then tell(t('the program has not answered yet; :checkhealth agent-sidecar says more'), vim.log.levels.WARN) end
  end, patience)
end

function Project:answer_waiters(c, why)
  local waiters = self.waiters
  self.waiters = {}
  for _, done in ipairs(waiters) do
    done(c, why)
  end
end

--- Asks the sidecar, and tells a person what went wrong.
--- @param done fun(result: any)? only where it went well
--- @param failed fun(err: table)?
function Project:ask(method, params, done, failed)
  self:with(function(c, why)
    if not c then
      if failed then return failed({ message = why }) end
      return tell(why, vim.log.levels.ERROR)
    end
    client.request(c, method, params, function(err, result)
      if not err then return done and done(result) end
      if failed then return failed(err) end
      tell(err.message, vim.log.levels.ERROR)
    end)
  end)
end

function Project:ready(c)
  self.was_ready, self.why, self.known = true, nil, nil
  documents.attach_all(self, c)
  self:answer_waiters(c)
  require('agent-sidecar.runners').ask(self)
  vim.cmd.redrawstatus({ bang = true })
  if not self.died then return end
  local asked = self.died == 'asked'
  self.died = nil
  for _, conversation in pairs(self.conversations) do
    if not conversation.view.gone then
      if asked then
        conversation:say('info', t('The sidecar was restarted.'))
      else
        conversation:say('warning', t('The sidecar ended unexpectedly and was restarted; what it did is in its log.'))
      end
      local worked = conversation.transcript.live and not conversation.following
      conversation.transcript.live = false
      conversation:resume({ continue = worked or nil })
    end
  end
end

function Project:exited(code, signal)
  self.approvals:clear()
  self.questions:clear()
  if self.stopping then return end
  if self.again then
    self.again = nil
    return self:start()
  end
  local was_ready = self.was_ready
  self.was_ready = false
  local words = signal ~= 0 and t('signal %d', signal) or t('code %d', code)
  if not was_ready then
    return self:give_up(t('it did not start (%s); :checkhealth agent-sidecar says more', words))
  end
  local now = vim.uv.now() / 1000
  table.insert(self.crashes, now)
  while self.crashes[1] < now - crash_window do table.remove(self.crashes, 1) end
  if #self.crashes >= most_crashes then
    return self:give_up(t('it ended unexpectedly %d times in %d seconds (%s) and is not restarted automatically', #self.crashes, crash_window, words))
  end
  self.died = true
  vim.defer_fn(function()
    if not self.stopping and not self:start() then self:give_up(self.why) end
  end, 100 * 2 ^ #self.crashes)
end

function Project:give_up(why)
  self.died, self.why = nil, why
  self.crashes = {}
  for _, conversation in pairs(self.conversations) do
    conversation:say('error', why)
  end
  if #self.waiters > 0 then self:answer_waiters(nil, why) else tell(why, vim.log.levels.ERROR) end
end

--- The conversation of a session; it is made where there is none.
function Project:conversation(id)
  local there = self.conversations[id]
  if there and not there.view.gone then return there, false end
  local conversation = Conversation.new(self, id)
  self.conversations[id] = conversation
  for _, approval in ipairs(self.approvals:list()) do
    if approval.sessionId == '' then conversation:take({ type = 'approval.requested', data = approval }) end
  end
  return conversation, true
end

--- The conversation that commands are about.
function Project:here_conversation()
  local bufnr = vim.api.nvim_get_current_buf()
  for _, conversation in pairs(self.conversations) do
    if conversation.view.buf == bufnr then return conversation end
  end
  local current = self.current and self.conversations[self.current]
  if current and not current.view.gone then return current end
end

--- Begins the session that the next prompt is given to.
--- @param done fun(conversation: table)
function Project:begin(done)
  self:ask('agent/session/new', { agent = self.agent, model = self.model, mode = self.mode }, function(result)
    local made = self:conversation(result.session.id)
    made:know(result.session)
    self.current = made.id
    done(made)
  end)
end

--- The model of new sessions, '' where none is known.
--- @return string
function Project:default_model() return self.known and self.known.model or self:models()[1] or '' end

--- The names of the models that are set up, as the configuration is now.
--- @return string[]
function Project:models() return self.known and self.known.models or self:capabilities().models or {} end

function Project:event(event)
  if event.type == 'config.changed' then
    self.known = event.data
    require('agent-sidecar.models').changed(self)
    require('agent-sidecar.runners').ask(self)
    return vim.cmd.redrawstatus({ bang = true })
  end
  if event.type == 'runner.changed' then return require('agent-sidecar.runners').changed(self, event.data) end
  if event.type == 'session.sync' then return require('agent-sidecar.sessions').synced(self, event.sessionId, event.data) end
  if event.type == 'approval.requested' then
    self.approvals:add(event.data)
  elseif event.type == 'approval.resolved' then
    self.approvals:resolve(event.data)
  elseif event.type == 'question.asked' then
    self.questions:add(event.data)
  elseif event.type == 'question.answered' then
    self.questions:resolve(event.data)
  end
  if event.type == 'file.changed' and event.data.path then documents.changed(self.root, event.data.path, event.data.kind) end
  if event.type == 'file.changed' or event.type == 'run.ended' then require('agent-sidecar.hunks').changed(self, event.sessionId) end
  if not event.sessionId or event.sessionId == '' then
    -- A question of no session, about trust, stands in every conversation.
    for _, conversation in pairs(self.conversations) do conversation:take(event) end
    return
  end
  local conversation, fresh = self:conversation(event.sessionId)
  local before = event.seq and event.seq - 1 or event.afterSeq or 0
  if fresh then self.current = self.current or event.sessionId end
  if fresh and before > 0 then
    conversation.waiting = { event }
    conversation:load(before)
  else
    conversation:take(event)
  end
  if event.agentPath then return end
  -- What ends in a fork before anything has run there goes on in the other session.
  if event.type == 'session.opened' then conversation.cut = event.data.parent and event.data.parent.atSeq ~= nil end
  if event.type == 'run.started' then conversation.cut = nil end
  if event.type == 'run.ended' and not conversation.cut then self:ended(conversation, event.data) end
end

-- ended tells of the end of a run whose conversation is not on the screen.
function Project:ended(conversation, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'AgentSidecarRunEnded', modeline = false, data = { session = conversation.id, stopReason = data.stopReason } })
  if #vim.fn.win_findbuf(conversation.view.buf) > 0 then return end
  local files = #(data.changes or {})
  local failures = require('agent-sidecar.failures')
  local cause = failures.cause(data)
  local what = data.stopReason == 'end_turn' and t('done') or cause ~= '' and cause or data.stopReason
  if data.stopReason == 'error' then what = t('failed: %s', what) end
  tell(require('agent-sidecar.visible').short(files > 0 and ('%s · %s'):format(what, require('agent-sidecar.lines').count(files, 'file')) or what, math.max(20, vim.o.columns - 30)))
end

--- Starts the sidecar again, as after a crash but asked for. The sessions that are shown go on.
--- @param done fun(client: vim.lsp.Client?, why: string?)? when it is there again
function Project:restart(done)
  done = done or function(_, why)
    if why then tell(why, vim.log.levels.ERROR) end
  end
  local c = self:client()
  if not c then return self:with(done) end
  self.died, self.again = 'asked', true
  self.waiters[#self.waiters + 1] = done
  client.stop(c)
end

function Project:stop()
  self.stopping = true
  local c = self:client()
  if c then client.stop(c) end
end

return Project
