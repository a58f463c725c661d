-- The sessions of a project as a list: one to a line, with keys to open, fork, rename and delete.
local M = {}

local chat = require('agent-sidecar.chat')
local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')
local scratch = require('agent-sidecar.scratch')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

--- Opens a session in the chat.
function M.open(project, id, done)
  project:with(function(c, why)
    if not c then return project.tell(why, vim.log.levels.ERROR) end
    local conversation, fresh = project:conversation(id)
    chat.show(conversation)
    if not fresh and not conversation.following then return done and done(conversation) end
    conversation:resume({}, function(err)
      if not err and done then done(conversation) end
    end)
  end)
end

--- Makes a session that begins with what another one is, up to an event or all of it, and opens it.
function M.fork(project, id, done, at)
  project:ask('agent/session/fork', { sessionId = id, atSeq = at }, function(result)
    local conversation = project:conversation(result.session.id)
    conversation:resume({}, function()
      chat.show(conversation)
      if done then done(conversation) end
    end)
  end)
end

--- The copy of a session is otherwise now. Where another machine has gone on in it, too, it has the lines of that one, and those of
--- here are a fork.
function M.synced(project, id, data)
  if not data.fork or data.fork == '' then return end
  local conversation = project.conversations[id]
  if conversation then -- what it shows is not what the session has any more
    local shown = #vim.fn.win_findbuf(conversation.view.buf) > 0
    project.conversations[id] = nil
    if not conversation.view.gone then vim.api.nvim_buf_delete(conversation.view.buf, { force = true }) end
    if shown then M.open(project, id) end
  end
  local prompt = t('The session %s has also gone on on another machine. What was done here is now a fork of it.', visible.line(id))
  local open = t('Open the fork')
  output.choose({ t('Cancel'), open }, { prompt = prompt, kind = 'agent-sidecar.fork' }, function(choice)
    if choice == open then M.open(project, data.fork) end
  end)
end

local copies = { syncing = t('not copied yet'), conflict = t('gone on elsewhere') }

local states = { running = t('running'), waiting_approval = t('needs approval'), interrupted = t('interrupted'), closed = t('closed') }

local function line_of(session)
  local when = visible.line(session.updatedAt):gsub('T', ' '):sub(1, 16)
  local state = session.state ~= 'idle' and ' · ' .. (states[session.state] or visible.line(session.state)) or ''
  if copies[session.syncState] then state = state .. ' · ' .. copies[session.syncState] end
  local title = visible.short(session.title, 60)
  local used = session.usage and session.usage.context and ' · ' .. lines.tokens(session.usage.context.used) or ''
  local model = session.model and session.model ~= '' and ' · ' .. visible.line(session.model) or ''
  return ('%s  %s  %s%s%s%s'):format(when, title ~= '' and title or t('(no title)'), visible.line(session.agent), model, used, state)
end

local function fill(list)
  local text = {}
  for _, session in ipairs(list.sessions) do
    text[#text + 1] = line_of(session)
  end
  if #text == 0 then text[1] = list.query and t('No session has these words.') or t('There is no session yet. :Agent <prompt> begins one.') end
  if list.cursor then text[#text + 1] = t('… <CR> shows more') end
  vim.list_extend(text, { '', t('<CR> open · f fork · r rename · d delete · n new · R read again · q close') })
  vim.bo[list.buf].modifiable = true
  vim.api.nvim_buf_set_lines(list.buf, 0, -1, false, text)
  vim.bo[list.buf].modifiable = false
end

local function load(list, cursor, done)
  list.project:ask('agent/session/list', { query = list.query, cursor = cursor, limit = 100 }, function(result)
    if not cursor then list.sessions = {} end
    vim.list_extend(list.sessions, result.sessions or {})
    list.cursor = result.nextCursor
    fill(list)
    if done then done() end
  end)
end

local act = {}

function act.open(list, session)
  if not session then return list.cursor and load(list, list.cursor) end
  scratch.leave()
  M.open(list.project, session.id)
end

function act.fork(list, session)
  if session then M.fork(list.project, session.id) end
end

function act.rename(list, session)
  if not session then return end
  output.input({ prompt = t('Title: '), default = session.title }, function(title)
    if not title or vim.trim(title) == '' then return end
    list.project:ask('agent/session/update', { sessionId = session.id, title = title }, function(result)
      local conversation = list.project.conversations[session.id]
      if conversation then conversation:know(result.session) end
      load(list)
    end)
  end)
end

function act.delete(list, session)
  if not session then return end
  local prompt = t('Delete the session “%s” with its outputs? This cannot be undone.', visible.short(session.title, 60))
  local delete = t('Delete')
  output.choose({ t('Keep'), delete }, { prompt = prompt, kind = 'agent-sidecar.delete' }, function(choice)
    if choice ~= delete then return end
    list.project:ask('agent/session/delete', { sessionId = session.id }, function()
      local conversation = list.project.conversations[session.id]
      list.project.conversations[session.id] = nil
      if list.project.current == session.id then list.project.current = nil end
      if conversation and not conversation.view.gone then vim.api.nvim_buf_delete(conversation.view.buf, { force = true }) end
      load(list)
    end)
  end)
end

function act.new(list)
  list.project.current = nil
  scratch.leave()
  require('agent-sidecar.prompt').open(nil, list.project)
end

function act.again(list) load(list) end

local keys = { ['<CR>'] = 'open', f = 'fork', r = 'rename', d = 'delete', n = 'new', R = 'again' }

local words = { open = t('open the session'), fork = t('fork the session'), rename = t('rename the session'), delete = t('delete the session'), new = t('new session'), again = t('read the list again') }

--- `:AgentSessions`: the list, or those that have the words.
function M.list(project, query)
  local buf = scratch.buffer(project.root, ('agent-sessions:/%s'):format(vim.fs.basename(project.root)), {}, { wipe = true })
  local list = { project = project, query = query ~= '' and query or nil, sessions = {}, buf = buf }
  for key, name in pairs(keys) do
    vim.keymap.set('n', key, function() act[name](list, list.sessions[vim.api.nvim_win_get_cursor(0)[1]]) end, { buffer = buf, nowait = true, desc = 'agent-sidecar: ' .. words[name] })
  end
  load(list, nil, function()
    if not vim.api.nvim_buf_is_valid(buf) then return end
    local there = vim.iter(vim.fn.win_findbuf(buf)):find(function(win) return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() end)
    if there then vim.api.nvim_set_current_win(there) else scratch.split(buf) end
  end)
  return list
end

return M
