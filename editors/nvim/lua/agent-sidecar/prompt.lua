-- Where a prompt is written: a small window below the chat. Files are mentioned as @path, and /name is a command.
local M = {}

local config = require('agent-sidecar.config')
local documents = require('agent-sidecar.documents')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local slash = require('agent-sidecar.slash')

--- The content of a prompt: its words, and a link for every file of the project that is mentioned.
--- @param root string
--- @param text string
--- @return string|table[]
function M.content(root, text)
  local blocks = { { type = 'text', text = text } }
  local seen = {}
  for path in text:gmatch('@([^%s@]+)') do
    path = path:gsub('[.,;:!?)]+$', '')
    local full = root .. '/' .. path
    local stat = not seen[path] and vim.uv.fs_stat(full)
    if stat then
      seen[path] = true
      blocks[#blocks + 1] = { type = 'resource_link', uri = vim.uri_from_fname(vim.fs.normalize(full)) }
    end
  end
  return #blocks == 1 and text or blocks
end

-- where tells the place of a person: the file they are in, with the selection.
local function where(project, range)
  local buf = range and range.buf or nil
  if not buf then
    local win = require('agent-sidecar.scratch').file_window()
    buf = win and vim.api.nvim_win_get_buf(win)
  end
  local name = buf and vim.api.nvim_buf_get_name(buf) or ''
  if name == '' or not vim.startswith(vim.fs.normalize(vim.uv.fs_realpath(name) or name), project.root .. '/') then return nil end
  local context = { textDocument = { uri = vim.uri_from_bufnr(buf) }, diagnostics = config.options.diagnostics }
  if range and range.first then
    local c = project:client()
    local encoding = c and c.offset_encoding or 'utf-16'
    context.selection = { start = documents.position(buf, range.first - 1, 0, encoding), ['end'] = documents.position(buf, range.last - 1, math.huge, encoding) }
  end
  return context
end

-- keep brings a prompt that was not taken back to where prompts are written, if nothing else is written there.
local function keep(project, text)
  local buf = M.buffer(project)
  local there = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if vim.trim(table.concat(there)) ~= '' then return false end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, '\n', { plain = true }))
  return true
end

--- Says why a prompt was not taken, and keeps it.
local function refused(project, text, why)
  local kept = keep(project, text)
  project.tell(kept and t('%s (your prompt is kept: :Agent shows it)', why) or why, vim.log.levels.ERROR)
end

--- Runs the last prompt of a conversation again, when it failed or was stopped.
--- @param conversation agent_sidecar.Conversation
function M.retry(conversation)
  local project = conversation.project
  if conversation.transcript.live then return project.tell(t('it is still running; :AgentStop stops it')) end
  project:ask('agent/run', { sessionId = conversation.id, retry = true }, function() require('agent-sidecar.chat').show(conversation) end, function(err)
    local nothing = err.data and err.data.field == 'retry'
    project.tell(nothing and t('there is nothing to run again: the last prompt did not fail') or err.message, nothing and vim.log.levels.INFO or vim.log.levels.ERROR)
  end)
end

--- Gives a prompt to the agent and shows the conversation.
--- @param project agent_sidecar.Project
--- @param text string
--- @param options {range: table?, fresh: boolean?, delivery: string?, conversation: table?}?
function M.send(project, text, options)
  options = options or {}
  text = vim.trim(text)
  if text == '' then return end
  local conversation = options.conversation or project:here_conversation()
  if options.fresh then conversation = nil end
  local params = {
    prompt = M.content(project.root, text),
    sessionId = conversation and conversation.id or nil,
    delivery = options.delivery,
    context = where(project, options.range),
    clientMessageId = ('nvim-%d-%d'):format(vim.uv.os_getpid(), vim.uv.hrtime()),
  }
  if not conversation then
    params.agent, params.model, params.mode = project.agent, project.model, project.mode
  end
  if conversation and conversation.following then return M.fork(project, conversation, text, options) end
  project:ask('agent/run', params, function(result)
    local shown, new = project:conversation(result.sessionId)
    -- A session that another process left has a past to show.
    if new and (result.seq or 0) > 2 then shown:load(result.seq - 1) end
    require('agent-sidecar.chat').show(shown)
  end, function(err)
    if err.data and err.data.kind == 'session_locked' and conversation then
      conversation:follow(err.data.pid)
      return M.fork(project, conversation, text, options)
    end
    if err.data and err.data.kind == 'client_command' and slash.client(project, conversation, text) then return end
    refused(project, text, err.message)
  end)
end

--- Goes on in a fork of a session that another process holds, after a yes.
function M.fork(project, conversation, text, options)
  local go = t('Continue in a fork')
  output.choose({ t('Cancel'), go }, { prompt = t('Another editor has this session open.'), kind = 'agent-sidecar.fork' }, function(choice)
    if choice ~= go then return keep(project, text) end
    require('agent-sidecar.sessions').fork(project, conversation.id, function(fork)
      M.send(project, text, vim.tbl_extend('force', options, { conversation = fork }))
    end)
  end)
end

local drafts = {} --- @type table<string, integer> prompt buffers by root
local again = {} --- @type table<integer, table?> by prompt buffer: the prompt that is written anew, {id, at, text}

--- Paths of the project that begin so; directories end in a slash.
function M.files(root, base)
  local found = {}
  local dir = base:match('^(.*/)') or ''
  for name, kind in vim.fs.dir(root .. '/' .. dir) do
    local path = dir .. name .. (kind == 'directory' and '/' or '')
    if vim.startswith(path, base) and name ~= '.git' then found[#found + 1] = path end
  end
  table.sort(found)
  return found
end

local command --- @type integer? where the name of a command begins that is completed; nil: a file is

--- Commands for a `/` at the beginning, and files of the project for `@…`, as 'completefunc' asks.
function M.complete(findstart, base)
  if findstart == 1 then
    local before = vim.api.nvim_get_current_line():sub(1, vim.api.nvim_win_get_cursor(0)[2])
    command = slash.at(before, vim.api.nvim_win_get_cursor(0)[1])
    return command or before:find('@[^%s@]*$') or -3
  end
  if command then return slash.names(require('agent-sidecar.project').get(vim.b.agent_sidecar_root), base) end
  return output.completions(M.files(vim.b.agent_sidecar_root, base), base)
end

--- The buffer in which a prompt of a project is written.
function M.buffer(project)
  local buf = drafts[project.root]
  if buf and vim.api.nvim_buf_is_valid(buf) then return buf end
  buf = vim.api.nvim_create_buf(false, true)
  drafts[project.root] = buf
  vim.bo[buf].bufhidden, vim.bo[buf].swapfile, vim.bo[buf].modeline, vim.bo[buf].modifiable = 'hide', false, false, true
  vim.bo[buf].filetype = 'agent-sidecar-prompt'
  vim.bo[buf].completefunc = "v:lua.require'agent-sidecar.prompt'.complete"
  vim.b[buf].agent_sidecar_root = project.root
  output.name(buf, ('agent-sidecar://%s/prompt'):format(vim.fs.basename(project.root)))
  local function take(delivery)
    return function()
      local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
      if vim.trim(text) == '' then return end
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
      vim.cmd.stopinsert()
      local old = again[buf]
      again[buf] = nil
      if not old then return M.send(project, text, { delivery = delivery }) end
      require('agent-sidecar.sessions').fork(project, old.id, function(fork) M.send(project, text, { conversation = fork }) end, old.at)
    end
  end
  local keys = config.options.mappings.prompt
  local function map(mode, key, what, desc)
    if key then vim.keymap.set(mode, key, what, { buffer = buf, nowait = true, desc = 'agent-sidecar: ' .. desc }) end
  end
  map('n', keys.send, take(nil), t('send'))
  map('i', keys.send_insert, take(nil), t('send'))
  map('n', keys.steer, take('steer'), t('send to the current run'))
  map('n', keys.stop, function() require('agent-sidecar.commands').stop(project, project:here_conversation()) end, t('stop'))
  map('n', keys.close, function() pcall(vim.api.nvim_win_close, 0, false) end, t('close'))
  return buf
end

--- Opens the window below the chat and starts to write.
--- @param old {id: string?, at: integer?, text: string}? a prompt that is written anew: in a fork of a session before an event, or here
function M.open(conversation, project, old)
  project = project or conversation.project
  local buf = M.buffer(project)
  local win = vim.iter(vim.fn.win_findbuf(buf)):find(function(each) return vim.api.nvim_win_get_tabpage(each) == vim.api.nvim_get_current_tabpage() end)
  if win then
    vim.api.nvim_set_current_win(win)
  else
    local beside
    if conversation then beside = require('agent-sidecar.chat').show(conversation) end
    win = vim.api.nvim_open_win(buf, true, { split = 'below', win = beside or -1, height = config.options.chat.prompt_height })
    local options = vim.wo[win][0]
    options.wrap, options.number, options.relativenumber, options.winfixheight, options.spell = true, false, false, true, false
  end
  again[buf] = old and old.id and old or nil
  if old then vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(old.text, '\n', { plain = true })) end -- u brings a draft back
  local sends = tostring(config.options.mappings.prompt.send_insert or config.options.mappings.prompt.send)
  output.bar(win, buf, again[buf] and t(' Prompt, in a fork: %s sends, @ names a file (<C-x><C-u>)', sends) or t(' Prompt: %s sends, @ names a file (<C-x><C-u>)', sends))
  vim.cmd.startinsert({ bang = true })
end

return M
