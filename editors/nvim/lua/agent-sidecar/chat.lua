-- The window of a conversation: where it opens, and what the keys in it do. The buffer is the view's.
local M = {}

local artifacts = require('agent-sidecar.artifacts')
local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local places = require('agent-sidecar.places')
local scratch = require('agent-sidecar.scratch')
local View = require('agent-sidecar.view')
local visible = require('agent-sidecar.visible')

local function size(share, whole) return share <= 1 and math.max(20, math.floor(share * whole)) or math.floor(share) end

local function dress(win)
  local options = vim.wo[win][0]
  options.wrap, options.linebreak, options.number, options.relativenumber = true, true, false, false
  options.list, options.spell, options.signcolumn, options.foldcolumn = false, false, 'no', '0'
  options.foldmethod, options.foldexpr, options.foldtext = 'expr', "v:lua.require'agent-sidecar.chat'.fold()", "v:lua.require'agent-sidecar.chat'.foldtext()"
  options.foldlevel, options.foldenable, options.foldminlines = 0, true, 1
  options.fillchars = 'fold: '
  options.conceallevel, options.cursorline, options.winfixbuf = 0, false, false
  options.winbar = "%{v:lua.require'agent-sidecar.chat'.bar()}%<" -- its end goes where there is no room
end

--- 'foldexpr' of a chat.
function M.fold()
  local view = View.of[vim.api.nvim_get_current_buf()]
  return view and view:fold(vim.v.lnum) or 0
end

--- 'foldtext' of a chat: the head, and its state where there is room for it whatever the width. Marks show no text in a fold.
function M.foldtext()
  local view = View.of[vim.api.nvim_get_current_buf()]
  local line = vim.fn.getline(vim.v.foldstart)
  local block = view and view:at(vim.v.foldstart - 1)
  local beside = block and block.beside and block.beside[1] or { '', '' }
  local group = block and block.kind == 'call' and 'AgentSidecarCall' or 'AgentSidecarThought'
  local room = math.max(10, vim.api.nvim_win_get_width(0) - vim.fn.strdisplaywidth(beside[1]))
  if vim.fn.strdisplaywidth(line) > room then line = vim.fn.strcharpart(line, 0, room - 1) .. '…' end
  return { { line, group }, beside }
end

--- 'winbar' of a chat; the window that is drawn is the current one meanwhile.
function M.bar() return require('agent-sidecar.status').bar(vim.api.nvim_get_current_buf()) end

--- A window of this tab that shows a conversation.
local function chat_window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if View.of[vim.api.nvim_win_get_buf(win)] then return win end
  end
end

local function open_window(buf)
  local chat = config.options.chat
  if chat.position == 'current' then
    vim.api.nvim_win_set_buf(0, buf)
    return vim.api.nvim_get_current_win()
  end
  if chat.position == 'tab' then
    vim.cmd.tabnew()
    local empty = vim.api.nvim_get_current_buf()
    vim.api.nvim_win_set_buf(0, buf)
    pcall(vim.api.nvim_buf_delete, empty, {})
    return vim.api.nvim_get_current_win()
  end
  local options = { split = chat.position, win = -1 }
  if chat.position == 'left' or chat.position == 'right' then
    options.width = size(chat.width, vim.o.columns)
  else
    options.height = size(chat.height, vim.o.lines)
  end
  return vim.api.nvim_open_win(buf, false, options)
end

--- Shows a conversation: in the chat window of this tab, or in a new one.
--- @return integer win
function M.show(conversation)
  local buf = conversation.view.buf
  conversation.project.current = conversation.id
  require('agent-sidecar.hunks').changed(conversation.project, conversation.id)
  local shown = vim.fn.win_findbuf(buf)
  for _, win in ipairs(shown) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then return win end
  end
  local win = chat_window()
  if win then
    vim.api.nvim_win_set_buf(win, buf)
  else
    win = open_window(buf)
  end
  M.keys(conversation)
  dress(win)
  conversation.view:draw()
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  return win
end

local act = {}

-- follow does what the line offers.
function act.follow(conversation, block)
  if block then
    if block.kind == 'more' then return conversation:earlier() end
    if block.kind == 'question' and not block.data.resolved then return act.answer(conversation, block) end
    if block.path and not block.child then return conversation:inside(block) end
    if block.data.truncated and vim.api.nvim_get_current_line():find(t('truncated'), 1, true) then return act.open(conversation, block) end
  end
  local text, col = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2]
  local root = conversation.project.root
  local place = places.at(root, text, col) or places.at(root, text)
  if not place then
    if vim.fn.foldclosed('.') > 0 then return vim.cmd.normal({ 'zo', bang = true }) end
    return conversation.project.tell(t('nothing to open in this line'))
  end
  local cancel = t('Cancel')
  if place.outside then
    output.choose({ cancel, t('Open %s', visible.line(place.outside)) }, { prompt = t('Open a file outside the project?'), kind = 'agent-sidecar.outside' }, function(choice)
      if choice and choice ~= cancel then scratch.file(place.outside, place.line) end
    end)
  elseif place.path then
    scratch.file(place.path, place.line)
  else
    -- What an address is, is on the screen; that it is opened is asked.
    output.choose({ cancel, t('Open %s', place.url) }, { prompt = t('Open this address in the browser?'), kind = 'agent-sidecar.link' }, function(choice)
      -- Not by `cmd /c start`, as newer Neovims do it on Windows: it takes an & for the end of a command.
      local by = vim.fn.has('win32') == 1 and { cmd = { 'rundll32', 'url.dll,FileProtocolHandler' } } or nil
      if choice and choice ~= cancel then vim.ui.open(place.url, by) end
    end)
  end
end

-- open shows the whole output of a call.
function act.open(conversation, block)
  local data = block and block.data or {}
  if data.artifact and data.artifact.artifactId then return artifacts.open(conversation.project, { artifactId = data.artifact.artifactId }) end
  if block and block.kind == 'call' and type(data.text) == 'string' then
    return scratch.split(scratch.buffer(conversation.project.root, ('agent-output:/%s/%s'):format(conversation.id, data.call), vim.split(data.text, '\n', { plain = true })))
  end
  conversation.project.tell(t('this line has no output'))
end

function act.answer(conversation, block)
  if block and block.kind == 'asked' or #conversation.project.approvals.order == 0 and #conversation.project.questions.order > 0 then
    return conversation.project.questions:command(block and block.kind == 'asked' and block.data.asked.questionId or nil)
  end
  conversation.project.approvals:command(block and block.kind == 'question' and block.data.approval.approvalId or nil)
end

function act.review(conversation, block)
  local approvals = conversation.project.approvals
  local approval = block and block.kind == 'question' and approvals.open[block.data.approval.approvalId] or approvals.open[approvals.order[1]]
  if not approval then return conversation.project.tell(t('no approvals are pending')) end
  require('agent-sidecar.review').open(conversation.project, approval, true)
end

function act.undo(conversation, block)
  local undo = require('agent-sidecar.undo')
  local change = lines.change_at(block, vim.api.nvim_get_current_line())
  local paths = change and { change.path } or nil
  if block and block.kind == 'call' then return undo.ask(conversation, { callId = block.data.call }, paths) end
  if block and block.data.run then return undo.ask(conversation, { runId = block.data.run }, paths) end
  undo.last(conversation)
end

function act.stop(conversation) require('agent-sidecar.commands').stop(conversation.project, conversation) end

function act.retry(conversation) require('agent-sidecar.prompt').retry(conversation) end

function act.prompt(conversation) require('agent-sidecar.prompt').open(conversation) end

-- again writes a prompt anew: what comes of it stands in a fork that begins before it, and the conversation stays as it is.
function act.again(conversation, block)
  local data = block and block.kind == 'prompt' and block.data
  if not data or not data.at then return conversation.project.tell(t('put the cursor on a prompt that has run')) end
  if not data.typed then return conversation.project.tell(t('the prompt has an image or is too long to edit here')) end
  local words = {}
  local function take(i)
    local part = data.typed[i]
    if not part then
      return require('agent-sidecar.prompt').open(conversation, nil, { id = conversation.id, at = data.at - 1, text = table.concat(words, '\n') })
    end
    local function took(text)
      words[i] = text
      take(i + 1)
    end
    if type(part) == 'string' then return took(part) end
    artifacts.read(conversation.project, { sessionId = conversation.id, artifactId = part.artifactId }, took)
  end
  take(1)
end

function act.restore(conversation, block) require('agent-sidecar.restore').ask(conversation, block) end

function act.plan(conversation)
  local items = conversation.transcript.plan
  if not items then return conversation.project.tell(t('there is no plan')) end
  local list = lines.of({ kind = 'plan', depth = 0, data = { items = items } })
  scratch.split(scratch.buffer(conversation.project.root, ('agent-plan:/%s'):format(conversation.id), list, { wipe = true }))
end

local function jump(step)
  return function(conversation)
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local block = conversation.view:at(row)
    repeat
      block = block and block[step]
    until not block or (block.kind == 'prompt' and block.mark and not block.removed)
    if not block then return end
    local to = conversation.view:row(block) + (block.gap and 1 or 0)
    vim.api.nvim_win_set_cursor(0, { to + 1, 0 })
  end
end
act.next, act.previous = jump('next'), jump('prev')

function act.close() scratch.leave() end

function act.help() vim.cmd.help('agent-sidecar-chat') end

M.act = act

local words = {
  follow = t('open what the line names'), open = t('the full output'), answer = t('answer an approval'), review = t('review an approval'), undo = t('undo the file, the call or the run'),
  retry = t('run the prompt again'), stop = t('stop'), prompt = t('write a prompt'), again = t('edit the prompt and send it in a fork'), restore = t('go back to before the prompt, with the files'), plan = t('the plan'), next = t('next prompt'), previous = t('previous prompt'), close = t('close'), help = t('help'),
}

--- Sets the keys of a chat buffer.
function M.keys(conversation)
  if conversation.keyed then return end
  conversation.keyed = true
  local buf = conversation.view.buf
  for name, key in pairs(config.options.mappings.chat) do
    if key then
      vim.keymap.set('n', key, function()
        local block = conversation.view:at(vim.api.nvim_win_get_cursor(0)[1] - 1)
        act[name](conversation, block)
      end, { buffer = buf, nowait = true, silent = true, desc = 'agent-sidecar: ' .. words[name] })
    end
  end
end

return M
