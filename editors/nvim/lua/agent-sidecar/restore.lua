-- Back to a prompt with the files: what would change is shown before anything happens, and what is done is exactly that.
local M = {}

local artifacts = require('agent-sidecar.artifacts')
local client = require('agent-sidecar.client')
local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')
local scratch = require('agent-sidecar.scratch')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local function files(count) return lines.count(count, 'file') end

-- each calls take with one after the other, and done behind the last.
local function each(list, take, done, i)
  i = i or 1
  if not list[i] then return done() end
  take(list[i], function() each(list, take, done, i + 1) end)
end

-- words calls done with the text of a prompt as it was typed; nil where it has more than text.
local function words(conversation, data, done)
  if not data.typed then return done(nil) end
  local text = {}
  each(data.typed, function(part, go)
    local function took(piece)
      text[#text + 1] = piece
      go()
    end
    if type(part) == 'string' then return took(part) end
    artifacts.read(conversation.project, { sessionId = conversation.id, artifactId = part.artifactId }, took)
  end, function() done(table.concat(text, '\n')) end)
end

local function now(uri)
  local path = vim.uri_to_fname(uri)
  if vim.fn.bufloaded(path) == 1 then return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(path), 0, -1, false), '\n') .. '\n' end
  local file = io.open(path, 'rb')
  local text = file and file:read('*a') or ''
  if file then file:close() end
  return text
end

-- show opens what would change as one diff: each file as it is, and as it was before the prompt.
local function show(conversation, block)
  local project, runs = conversation.project, {}
  while block do
    if block.kind == 'prompt' and block.data.run then runs[#runs + 1] = block.data.run end
    block = block.next
  end
  local seen, text = {}, {}
  each(runs, function(run, go)
    project:ask('agent/session/changes', { sessionId = conversation.id, runId = run }, function(result)
      each(result.items, function(item, another)
        if seen[item.path] then return another() end
        seen[item.path] = true
        local function compare(before)
          local path = visible.line(item.path)
          vim.list_extend(text, { '--- ' .. path, '+++ ' .. path })
          local diff = vim.diff(now(item.uri), before)
          vim.list_extend(text, vim.split(visible.text(diff), '\n', { plain = true, trimempty = true }))
          another()
        end
        if not item.checkpoint then return compare('') end
        client.request(project:client(), 'workspace/textDocumentContent', { textDocument = { uri = item.checkpoint }, uri = item.checkpoint }, function(_, content)
          compare(content and content.text or '')
        end)
      end, go)
    end)
  end, function()
    scratch.split(scratch.buffer(project.root, ('agent-restore:/%s'):format(conversation.id), text, { filetype = 'diff', wipe = true }))
  end)
end

-- go opens the fork, with the prompt in the window for one.
local function go(conversation, data, result)
  local project = conversation.project
  vim.cmd.checktime()
  project.tell(t('restored: %s; the conversation goes on in session %s', files(#(result.changes or {})), visible.line(result.session.id)))
  words(conversation, data, function(text)
    require('agent-sidecar.sessions').open(project, result.session.id, function(fork)
      if text then require('agent-sidecar.prompt').open(fork, nil, { text = text }) end
    end)
  end)
end

local function request(conversation, params, done)
  local project = conversation.project
  project:ask('agent/session/restore', vim.tbl_extend('force', { sessionId = conversation.id }, params), done, function(err)
    local busy = err.data and err.data.kind == 'session_busy'
    project.tell(busy and t('the agent is at work in this session: stop it first, or wait until it is done') or err.message, vim.log.levels.ERROR)
  end)
end

local function ask(conversation, block, plan)
  local data, changed, conflicts = block.data, plan.changes or {}, plan.conflicts or {}
  local yes = { label = #conflicts > 0 and t('Restore without the files that stay') or t('Restore'), does = function()
    request(conversation, { seq = data.at, confirm = true, digest = plan.digest, skip = #conflicts > 0 and 'conflicts' or nil }, function(result)
      if result.session and result.session ~= vim.NIL then return go(conversation, data, result) end
      conversation.project.tell(t('nothing was restored: the files have changed meanwhile'))
      ask(conversation, block, result)
    end)
  end }
  local choices = { { label = t('Cancel') }, yes }
  if #changed > 0 then table.insert(choices, 2, { label = t('Show what would change'), does = function()
    show(conversation, block)
    ask(conversation, block, plan)
  end }) end
  local names = {}
  for i, change in ipairs(changed) do
    if i <= 8 then names[#names + 1] = visible.line(change.path) end
  end
  if #changed > 8 then names[#names + 1] = '…' end
  local prompt = #names > 0 and t('Restore what was before this prompt: %s', table.concat(names, ', ')) or t('No file would change. Go on from before this prompt?')
  for _, conflict in ipairs(conflicts) do
    prompt = t('%s · stays: %s (%s)', prompt, visible.line(conflict.path), visible.line(conflict.reason))
  end
  output.choose(choices, { prompt = prompt, kind = 'agent-sidecar.restore', format_item = function(choice) return choice.label end }, function(choice)
    if choice and choice.does then choice.does() end
  end)
end

--- Asks about going back to a prompt, and does it after a yes.
--- @param conversation agent_sidecar.Conversation
--- @param block agent_sidecar.Block? of a prompt
function M.ask(conversation, block)
  if not block or block.kind ~= 'prompt' or not block.data.at then return conversation.project.tell(t('put the cursor on a prompt that has run')) end
  request(conversation, { seq = block.data.at, dryRun = true }, function(plan) ask(conversation, block, plan) end)
end

return M
