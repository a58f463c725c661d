-- The buffer of one session. It draws what a transcript has touched, once a tick however much came: text that goes on is added
-- at the end of its block, everything else is a block drawn anew. Where a block stands is a mark in the buffer, so nothing is
-- counted and nothing before it matters.
local View = {}
View.__index = View

local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')

local places = vim.api.nvim_create_namespace('agent-sidecar.places')
local colours = vim.api.nvim_create_namespace('agent-sidecar.colours')

local tick = 33 -- ms between two drawings; the sidecar sends text at most 30 times a second

View.of = {} --- @type table<integer, agent_sidecar.View> by buffer

--- @param transcript agent_sidecar.Transcript
--- @param name string of the buffer
function View.new(transcript, name)
  local buf = vim.api.nvim_create_buf(false, true)
  local view = setmetatable({ buf = buf, transcript = transcript, blocks = {}, levels = {}, written = false }, View)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modeline = false
  vim.bo[buf].modifiable = false
  output.name(buf, name)
  vim.bo[buf].filetype = 'agent-sidecar'
  View.of[buf] = view
  -- One that was unloaded (:bdelete, :edit) has neither its lines nor its marks any more: it goes, and is made anew when it is wanted.
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
    buffer = buf,
    callback = function()
      View.of[buf] = nil
      view.gone = true
      vim.schedule(function() pcall(vim.api.nvim_buf_delete, buf, { force = true }) end)
    end,
  })
  if config.options.chat.colours then
    -- The tree of Neovim 0.10 and 0.11 is made anew for the whole text with every piece of an answer; their patterns are not.
    if vim.fn.has('nvim-0.12') == 1 then
      vim.treesitter.language.register('markdown', 'agent-sidecar')
      pcall(vim.treesitter.start, buf, 'markdown')
    else
      vim.bo[buf].syntax = 'markdown'
    end
  end
  return view
end

--- Asks for a drawing soon.
function View:schedule()
  if self.waiting or self.gone then return end
  self.waiting = true
  vim.defer_fn(function()
    self.waiting = false
    self:draw()
  end, tick)
end

function View:row(block)
  local at = vim.api.nvim_buf_get_extmark_by_id(self.buf, places, block.mark, {})
  return at[1]
end

-- place makes the mark of a block and colours it.
function View:decorate(block, row, marks)
  block.mark = vim.api.nvim_buf_set_extmark(self.buf, places, row, 0, { id = block.mark })
  self.blocks[block.mark] = block
  block.beside = nil
  for _, mark in ipairs(marks) do
    block.beside = block.beside or mark.beside
    local options = mark.beside and { virt_text = mark.beside } or { hl_group = mark.group, end_row = row + (mark.last or mark.row) + 1, end_col = 0, hl_eol = false, priority = 150, strict = false }
    vim.api.nvim_buf_set_extmark(self.buf, colours, row + mark.row, mark.beside and 0 or mark.col, options)
  end
end

-- splice keeps the levels of folds in step with the lines. Neovim asks for them while the lines change, so they come first.
function View:splice(row, old, new)
  local levels, count = self.levels, #self.levels
  if #new ~= old and row + old < count then table.move(levels, row + old + 1, count, row + #new + 1) end
  for i = count + #new - old + 1, count do levels[i] = nil end
  for i, level in ipairs(new) do levels[row + i] = level end
end

local function levels_of(block, from, to)
  local levels = {}
  for offset = from, to do levels[#levels + 1] = lines.fold(block, offset) end
  return levels
end

-- insert draws new blocks that stand side by side with one change of the buffer.
function View:insert(batch)
  local before = batch[1].prev
  while before and not before.mark do before = before.prev end
  local row = before and self:row(before) + before.height or 0
  local all, drawn, levels = {}, {}, {}
  for i, block in ipairs(batch) do
    local text, marks = lines.of(block)
    drawn[i] = { at = #all, marks = marks }
    block.height, block.whole, block.tail = #text, nil, {}
    vim.list_extend(all, text)
    vim.list_extend(levels, levels_of(block, 0, #text - 1))
  end
  -- The one line of an empty buffer is none of ours.
  if #all > 0 then
    self:splice(row, 0, levels)
    vim.api.nvim_buf_set_lines(self.buf, row, self.written and row or -1, false, all)
    self.written = true
  end
  for i, block in ipairs(batch) do
    self:decorate(block, row + drawn[i].at, drawn[i].marks)
  end
end

-- append adds text at the end of a block that goes on.
function View:append(block)
  local text = table.concat(block.tail)
  block.tail = {}
  if text == '' then return end
  local row = self:row(block) + block.height - 1
  local pieces = vim.split(text, '\n', { plain = true })
  local inside = lines.bar:rep(block.depth) .. (block.kind == 'reasoning' and lines.thought or '')
  for i = 2, #pieces do
    pieces[i] = inside .. pieces[i]
  end
  if #pieces > 1 then self:splice(row + 1, 0, levels_of(block, block.height, block.height + #pieces - 2)) end
  local last = vim.api.nvim_buf_get_lines(self.buf, row, row + 1, true)[1]
  vim.api.nvim_buf_set_text(self.buf, row, #last, row, #last, pieces)
  block.height = block.height + #pieces - 1
end

-- redraw replaces the lines of a block that was drawn.
function View:redraw(block)
  local row = self:row(block)
  local text, marks = lines.of(block)
  vim.api.nvim_buf_clear_namespace(self.buf, colours, row, row + math.max(block.height, 1))
  local old = vim.api.nvim_buf_get_lines(self.buf, row, row + block.height, true)
  if not vim.deep_equal(old, text) then
    -- Only what is different is replaced: a fold that a person opened stays open.
    local first = 1
    while first <= #old and first <= #text and old[first] == text[first] do first = first + 1 end
    self:splice(row, #old, levels_of(block, 0, #text - 1))
    vim.api.nvim_buf_set_lines(self.buf, row + first - 1, row + #old, true, vim.list_slice(text, first))
  end
  block.height, block.whole, block.tail = #text, nil, {}
  self:decorate(block, row, marks)
end

local streams = { text = true, reasoning = true }

-- followers are the windows whose cursor is at the end: they go along.
function View:followers()
  local last = vim.api.nvim_buf_line_count(self.buf)
  return vim.tbl_filter(function(win) return vim.api.nvim_win_get_cursor(win)[1] >= last end, vim.fn.win_findbuf(self.buf))
end

--- Draws everything that was touched.
function View:draw()
  if self.gone or not vim.api.nvim_buf_is_valid(self.buf) then return end
  local touched = self.transcript:take()
  if #touched > 0 then
    local follow = self:followers()
    vim.bo[self.buf].modifiable = true
    local batch = {}
    local function flush()
      if #batch > 0 then self:insert(batch) end
      batch = {}
    end
    for _, block in ipairs(touched) do
      block.dirty = false
      if not block.mark then
        if #batch > 0 and block.prev ~= batch[#batch] then flush() end
        batch[#batch + 1] = block
      else
        flush()
        if streams[block.kind] and not block.whole and not block.removed then
          self:append(block)
        else
          self:redraw(block)
        end
      end
    end
    flush()
    vim.bo[self.buf].modifiable = false
    vim.bo[self.buf].modified = false
    local last = vim.api.nvim_buf_line_count(self.buf)
    for _, win in ipairs(follow) do
      pcall(vim.api.nvim_win_set_cursor, win, { last, 0 })
    end
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- The block of a line, and how far into it the line is. Lines count from 0.
--- @return agent_sidecar.Block?
--- @return integer? offset
function View:at(row)
  local marks = vim.api.nvim_buf_get_extmarks(self.buf, places, { row, 0 }, 0, { limit = 32 })
  for _, mark in ipairs(marks) do
    local block = self.blocks[mark[1]]
    if block and (block.height or 0) > 0 and row < mark[2] + block.height then return block, row - mark[2] end
  end
end

--- The level of a fold, for 'foldexpr'.
function View:fold(lnum) return self.levels[lnum] or 0 end

return View
