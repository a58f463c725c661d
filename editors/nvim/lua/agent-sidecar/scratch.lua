-- Buffers that hold text of the sidecar and no file: read only, without modelines, so that nothing in the text is an instruction.
local M = {}

local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')

-- Names are those of one sidecar: another project has the same. The second of a name stands under its project's folder.
local function named(root, name)
  local mark = root .. '\n' .. name
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[buf].agent_sidecar_scratch == mark and vim.api.nvim_buf_is_loaded(buf) then return buf end
  end
  local buf = vim.api.nvim_create_buf(false, true)
  if not output.name(buf, name) then output.name(buf, name .. '?' .. root) end
  vim.b[buf].agent_sidecar_scratch, vim.b[buf].agent_sidecar_root = mark, root
  return buf
end

--- A buffer with these lines; one of the same name and project is filled again.
--- @param root string the project
--- @param name string
--- @param lines string[]
--- @param options {filetype: string?, wipe: boolean?}?
function M.buffer(root, name, lines, options)
  options = options or {}
  local buf = named(root, name)
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].bufhidden = options.wipe and 'wipe' or 'hide'
  vim.bo[buf].modifiable = true
  -- A line cannot hold a line break; a NUL can stand in one.
  for i, line in ipairs(lines) do
    if line:find('\n', 1, true) then lines[i] = line:gsub('\n', ' ') end
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  if options.filetype then
    -- Only the colours: no plugin of a person is to work on text that is no file of theirs.
    if not pcall(vim.treesitter.start, buf, options.filetype) then vim.bo[buf].syntax = options.filetype end
  end
  return buf
end

--- Shows a buffer beside the window of a file, not in it.
--- @param options {where: string?, win: integer?, enter: boolean?, height: integer?}? below the window of a file by default; the height at most half of it
--- @return integer win
function M.split(buf, options)
  options = options or {}
  local win = options.win or M.file_window() or vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_config(win).relative ~= '' then win = -1 end -- what floats is not divided
  local half = math.floor((win == -1 and vim.o.lines or vim.api.nvim_win_get_height(win)) / 2)
  local config = { split = options.where or 'below', win = win, height = options.height and math.max(1, math.min(options.height, half)) or nil }
  local ok, new = pcall(vim.api.nvim_open_win, buf, options.enter ~= false, config)
  if not ok then -- no room
    vim.cmd('tab split')
    new = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(new, buf)
  end
  vim.wo[new][0].wrap = true
  vim.wo[new][0].number = false
  vim.wo[new][0].foldenable = false
  vim.keymap.set('n', 'q', M.leave, { buffer = buf, nowait = true, desc = 'agent-sidecar: ' .. t('close') })
  return new
end

--- Closes the current window; the last one shows an empty buffer instead.
function M.leave()
  if not pcall(vim.api.nvim_win_close, 0, true) then vim.cmd.enew() end
end

--- A window of this tab that shows a file: where files are opened.
--- @return integer?
function M.file_window()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  if previous ~= 0 then table.insert(wins, 2, previous) end
  for _, win in ipairs(wins) do
    local buf = vim.api.nvim_win_get_buf(win)
    if vim.bo[buf].buftype == '' and vim.api.nvim_win_get_config(win).relative == '' and not vim.wo[win].previewwindow then return win end
  end
end

--- Opens a file of the project at a line, in the window of a file.
--- @param path string absolute
function M.file(path, line)
  local win = M.file_window()
  if win then
    vim.api.nvim_set_current_win(win)
  else
    vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, { split = 'left', win = vim.api.nvim_get_current_win() })
  end
  -- bufadd takes the name as it is: nothing in a path is expanded.
  local buf = vim.fn.bufadd(path)
  vim.bo[buf].buflisted = true
  vim.api.nvim_win_set_buf(0, buf)
  if line then
    local count = vim.api.nvim_buf_line_count(buf)
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, count)), 0 })
    vim.cmd.normal({ 'zvzz', bang = true })
  end
  return buf
end

return M
