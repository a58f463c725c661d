-- The person in front of Neovim with the plugin. What it shares with Neovim without one (checks, waiting, code actions) is
-- editors/test/neovim/editor.lua.
local M = setmetatable({}, { __index = require('editor') })

local editor = require('editor')
M.asked = {} -- what came through vim.ui.select: {prompt, labels}
M.told = {} -- vim.notify
M.want = {} -- labels to choose, in order; the first question that has the first of them takes it

local function label_of(item, options) return options.format_item and options.format_item(item) or tostring(item) end

-- watch takes what comes to a person.
function M.watch()
  vim.ui.select = function(items, options, answer)
    local labels = vim.tbl_map(function(item) return label_of(item, options) end, items)
    table.insert(M.asked, { prompt = options.prompt, labels = labels, kind = options.kind })
    for i, label in ipairs(labels) do
      if M.want[1] and vim.startswith(label, M.want[1]) then
        table.remove(M.want, 1)
        return vim.schedule(function() answer(items[i], i) end)
      end
    end
    answer(nil)
  end
  vim.ui.input = function(options, answer)
    table.insert(M.asked, { prompt = options.prompt, labels = {} })
    vim.schedule(function() answer(table.remove(M.want, 1)) end)
  end
  vim.notify = function(message) table.insert(M.told, message) end
  vim.lsp.handlers['workspace/executeCommand'] = function(err, result) table.insert(editor.answers, { err = err, result = result }) end
  vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      local p = event.data.params
      table.insert(editor.progress, { kind = p.value.kind, token = p.token, title = p.value.title, message = p.value.message })
    end,
  })
end

--- Sets the plugin up as a person's init.lua does, and opens a file.
function M.begin(options, file)
  M.watch()
  require('agent-sidecar').setup(vim.tbl_deep_extend('force', { approvals = { popup = false } }, options or {}))
  vim.cmd.edit(file or M.note())
end

function M.project() return require('agent-sidecar.project').last end

function M.conversation()
  local project = M.project()
  return project and project:here_conversation()
end

--- Waits for the client of the plugin.
function M.attached()
  M.wait('the sidecar is started for the project', function()
    local clients = vim.lsp.get_clients({ name = 'agent-sidecar', bufnr = 0 })
    editor.client = clients[1]
    return #clients == 1 and clients[1].initialized
  end)
end

--- The text of the chat.
function M.chat()
  local conversation = M.conversation()
  return conversation and table.concat(vim.api.nvim_buf_get_lines(conversation.view.buf, 0, -1, false), '\n') or ''
end

function M.shows(text) return M.chat():find(text, 1, true) ~= nil end

function M.wait_chat(text) return M.wait('the chat shows "' .. text .. '"', function() return M.shows(text) end, M.chat) end

--- Waits for so many runs to have ended in the conversation that is shown.
function M.finished(count)
  M.wait('run ' .. count .. ' comes to its end in the chat', function()
    local conversation = M.conversation()
    return conversation and conversation.transcript.spoken >= count and #conversation.transcript.touched == 0 -- and it is drawn
  end, M.chat)
end

function M.question(domain)
  local project = M.project()
  for _, approval in ipairs(project and project.approvals:list() or {}) do
    if not domain or approval.domain == domain then return approval end
  end
end

--- The question whose review a window shows.
function M.review_in(win) return vim.b[vim.api.nvim_win_get_buf(win)].agent_sidecar_review end

--- The windows of this tab that show a review.
function M.reviews()
  return vim.tbl_filter(function(win) return M.review_in(win) ~= nil end, vim.api.nvim_tabpage_list_wins(0))
end

--- Waits for the review of a question, and answers it.
function M.answer_review(domain, label)
  M.wait('the review of the question (' .. domain .. ') is on the screen', function()
    local question, wins = M.question(domain), M.reviews()
    return question and wins[1] and M.review_in(wins[1]) == question.approvalId
  end, function() return { M.asked[#M.asked], M.told, M.chat() } end)
  M.want = { label }
  vim.cmd('AgentApprove')
end

--- Puts the cursor into the chat, on the first line from row that has the text.
function M.go(text)
  local conversation = M.conversation()
  local win = vim.fn.win_findbuf(conversation.view.buf)[1]
  vim.api.nvim_set_current_win(win)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(conversation.view.buf, 0, -1, false)) do
    if line:find(text, 1, true) then
      vim.api.nvim_win_set_cursor(win, { row, math.max(0, line:find(text, 1, true) - 1) })
      return row
    end
  end
  M.check('the chat has a line with "' .. text .. '"', false, M.chat())
end

--- Types keys as a person does.
function M.keys(keys) vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'xt', false) end

function M.buffer_with(text)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n'):find(text, 1, true) then return buf end
  end
end

function M.asked_with(text)
  for i = #M.asked, 1, -1 do
    if M.asked[i].prompt:find(text, 1, true) then return M.asked[i] end
  end
end

--- Runs a scenario and leaves as :qa! does.
function M.play(scenario)
  local ok, err = xpcall(function() require(scenario)(M) end, debug.traceback)
  if not ok then
    M.check('the scenario runs', false, err)
    vim.cmd.cquit()
  end
  local messages = vim.fn.execute('messages')
  M.check('Neovim has shown no error', not messages:find('E%d+:') and not messages:find('stack traceback', 1, true), messages)
  M.check('nothing was told as an error of the plugin', not vim.iter(M.told):any(function(m) return m:find('stack traceback', 1, true) end), M.told)
  vim.cmd('qa!')
end

return M
