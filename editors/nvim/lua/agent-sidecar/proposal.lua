-- What a person has made of a proposed change in its review, as the arguments of the same call: only the text of the one file that
-- was shown can differ. Nothing here says yes: writing the buffer asks for the answer.
local M = {}

local t = require('agent-sidecar.locale').t

local carried = {} --- @type table<string, string[]> by call: what a person sent, until it is known to have been taken
local held = {} --- @type table<integer, {before: string, proposed: string, approval: table}> by buffer

-- piece gives the lines from the first to the last that differs, with as many around them as make the old ones stand in one place only.
local function piece(before, now)
  local function whole(text)
    local list = {}
    for line in text:gmatch('[^\n]*\n?') do
      if line ~= '' then list[#list + 1] = line end
    end
    return list
  end
  local a, b = whole(before), whole(now)
  local head, tail = 0, 0
  while head < #a and head < #b and a[head + 1] == b[head + 1] do head = head + 1 end
  while tail < #a - head and tail < #b - head and a[#a - tail] == b[#b - tail] do tail = tail + 1 end
  local around = 0
  while true do
    local from, left = math.max(0, head - around), math.max(0, tail - around)
    local old = table.concat(a, '', from + 1, #a - left)
    local first = old ~= '' and before:find(old, 1, true)
    if first and not before:find(old, first + 1, true) then
      return { old = old, new = table.concat(b, '', from + 1, #b - left), lines = { vim.list_slice(a, from + 1, #a - left), vim.list_slice(b, from + 1, #b - left) } }
    end
    if from == 0 and left == 0 then return nil end
    around = around * 2 + 1
  end
end

local makers = {}

function makers.write(input, _, now) return { path = input.path, content = now, allowEmpty = now == '' or nil } end

function makers.edit(input, before, now)
  local p = piece(before, now)
  return p and { path = input.path, old = p.old, new = p.new }
end

function makers.apply_patch(input, before, now)
  local path = type(input.patch) == 'string' and ('\n' .. input.patch):match('\n%*%*%* Update File: ([^\n]+)')
  local p = path and not input.patch:find('*** Move to: ', 1, true) and piece(before, now)
  if not p then return nil end
  local lines = { '*** Begin Patch', '*** Update File: ' .. path, '@@' }
  for _, line in ipairs(p.lines[1]) do lines[#lines + 1] = '-' .. line:gsub('\r?\n$', '') end
  for _, line in ipairs(p.lines[2]) do lines[#lines + 1] = '+' .. line:gsub('\r?\n$', '') end
  lines[#lines + 1] = '*** End Patch'
  return { patch = table.concat(lines, '\n') }
end

--- Whether the proposal can be changed: one file, by a tool whose arguments are its text.
function M.editable(approval)
  return approval.editable == true and makers[approval.tool] ~= nil and type(approval.input) == 'table' and vim.tbl_contains(approval.decisions or {}, 'once')
end

--- The arguments by which the file becomes another text than was proposed; nil where this tool cannot say that.
function M.input(approval, before, now) return makers[approval.tool] and makers[approval.tool](approval.input, before, now) end

--- Lets a person write in the right side of a review. The buffer is a scratch buffer of the plugin.
--- @param ask fun() opens the list of answers
function M.open(buf, approval, before, proposed, ask)
  held[buf] = { before = before, proposed = proposed, approval = approval }
  vim.bo[buf].modifiable, vim.bo[buf].buftype, vim.bo[buf].undolevels = true, 'acwrite', -123456
  local sent = carried[approval.callId or '']
  if sent then vim.api.nvim_buf_set_lines(buf, 0, -1, false, sent) end -- asked about again: their words are not lost
  vim.bo[buf].modified = false
  local function on(event, what) vim.api.nvim_create_autocmd(event, { buffer = buf, callback = what, desc = 'agent-sidecar' }) end
  on('BufWriteCmd', function()
    vim.bo[buf].modified = false
    vim.schedule(ask)
  end)
  on('BufWipeout', function() held[buf] = nil end)
end

--- Keeps what a person sends until it was taken: where it is asked about again, it is in that review.
function M.sending(approval)
  for buf, h in pairs(held) do
    if h.approval == approval and vim.api.nvim_buf_is_loaded(buf) then carried[approval.callId or ''] = vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
  end
end

--- What was sent was taken.
function M.taken(approval) carried[approval.callId or ''] = nil end

--- What a person has made of the proposal of a question.
--- @return table? input nil: they have not changed it
--- @return string? why it cannot be sent
function M.changed(approval)
  for buf, h in pairs(held) do
    if h.approval == approval and vim.api.nvim_buf_is_loaded(buf) then
      local now = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
      -- A buffer says nothing of the last line end: it is as in what was proposed.
      if h.proposed:find('\n$') and now ~= '' then now = now .. '\n' end
      if now == h.proposed then return nil end
      local input = now ~= h.before and M.input(approval, h.before, now) or nil
      return input, not input and t('this change cannot be made by the same call: reject it and say what you want') or nil
    end
  end
end

return M
