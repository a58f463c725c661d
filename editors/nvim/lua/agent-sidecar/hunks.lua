-- The agent's changes piece by piece in the files themselves: what differs between a file as it was before the agent and the buffer as
-- it is now. Keeping a piece is Neovim's own state (kept.lua); taking one back is the person's own edit, which u undoes.
local M = {}

local client = require('agent-sidecar.client')
local kept = require('agent-sidecar.kept')
local t = require('agent-sidecar.locale').t

local space = vim.api.nvim_create_namespace('agent-sidecar-hunks')
local most = 1024 * 1024 -- bytes of a text: more would be felt while typing
local pause = 250 -- ms without a change before a buffer is looked at

--- @class agent_sidecar.Base
--- @field project table
--- @field session string
--- @field checkpoint string? the document of what was there before; nil: there was no file
--- @field text string? what it says, once it was read; false: nobody knows it as a text

local bases = {} --- @type table<string, agent_sidecar.Base> by the path of the file
local followed = {} --- @type table<string, boolean> sessions that are followed beside the one that is looked at
local timers = {} --- @type table<integer|string, uv.uv_timer_t> by buffer, and by root

local function path_of(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.bo[buf].buftype == '' and name ~= '' and vim.fs.normalize(vim.uv.fs_realpath(name) or name) or nil
end

-- soon calls what to do when nothing has asked for it again for a moment.
local function soon(key, what)
  local timer = timers[key] or vim.uv.new_timer()
  timers[key] = timer
  timer:start(pause, 0, vim.schedule_wrap(what))
end

-- lines_of gives a text as the lines of a buffer, or nil where the buffer was read in another way.
local function lines_of(buf, text)
  local encoding = vim.bo[buf].fileencoding
  if (encoding ~= '' and encoding ~= 'utf-8') or text:find('\0', 1, true) then return nil end
  if vim.bo[buf].bomb then text = text:gsub('^\239\187\191', '') end
  if vim.bo[buf].fileformat == 'dos' then text = text:gsub('\r\n', '\n') end
  if vim.bo[buf].fileformat == 'mac' then text = text:gsub('\r', '\n') end
  if text == '' then return {} end
  return vim.split((text:gsub('\n$', '')), '\n', { plain = true })
end

-- under names what pieces are kept against. A file that was made has no checkpoint: its name then.
local function under(buf, base) return base.checkpoint or ('%s %s'):format(base.session, vim.uri_from_fname(path_of(buf))) end

local function joined(lines) return #lines == 0 and '' or table.concat(lines, '\n') .. '\n' end

-- differ gives the pieces of a buffer: {from, old, start, new, id}, lines from 0, each with its number of lines.
local function differ(buf, base)
  local before = base.text and lines_of(buf, base.text)
  local now = before and vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if not before or vim.api.nvim_buf_get_offset(buf, #now) > most then return {}, before or {} end
  if #now == 1 and now[1] == '' then now = {} end
  local diff = vim.text and vim.text.diff or vim.diff
  local list, mine = {}, kept.of(under(buf, base))
  for _, h in ipairs(diff(joined(before), joined(now), { result_type = 'indices', algorithm = 'histogram' })) do
    local from, old, start, new = h[1], h[2], h[3], h[4]
    -- Of nothing, the line in front is named.
    local piece = { from = old > 0 and from - 1 or from, old = old, start = new > 0 and start - 1 or start, new = new }
    piece.id = ('%d-%d-%s'):format(piece.from, piece.from + old, vim.fn.sha256(table.concat(now, '\n', piece.start + 1, piece.start + new)):sub(1, 16))
    if not mine[piece.id] then list[#list + 1] = piece end
  end
  return list, before
end

local function draw(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then return end
  vim.api.nvim_buf_clear_namespace(buf, space, 0, -1)
  local base = bases[path_of(buf) or '']
  if not base then return end
  local count = vim.api.nvim_buf_line_count(buf)
  for _, piece in ipairs(differ(buf, base)) do
    for row = piece.start, piece.start + piece.new - 1 do
      vim.api.nvim_buf_set_extmark(buf, space, row, 0, { sign_text = '▎', sign_hl_group = 'AgentSidecarAdded' })
    end
    local row = math.min(piece.start, count - 1)
    if piece.new == 0 then vim.api.nvim_buf_set_extmark(buf, space, row, 0, { sign_text = '▔', sign_hl_group = 'AgentSidecarRemoved' }) end
    vim.api.nvim_buf_set_extmark(buf, space, row, 0, { virt_text = { { t('  +%d −%d since before the agent', piece.new, piece.old), 'AgentSidecarDim' } } })
  end
end

local function draw_all()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    if path_of(buf) then draw(buf) end
  end
end

-- content reads what was before. Words of the sidecar about a text that cannot be shown are not it: its name has the hash.
local function content(base, done)
  if base.text ~= nil then return done() end
  if not base.checkpoint then
    base.text = ''
    return done()
  end
  local c = base.project:client()
  if not c then return done() end
  client.request(c, 'workspace/textDocumentContent', { textDocument = { uri = base.checkpoint }, uri = base.checkpoint }, function(err, result)
    local text = not err and result and result.text or nil
    local hash = vim.uri_decode(base.checkpoint):match('^[^:]*:/+[^/]*/([^/]*)')
    base.text = text and #text <= most and vim.fn.sha256(text) == hash and text or false
    done()
  end)
end

local watching
local function watch()
  if watching then return end
  watching = vim.api.nvim_create_augroup('agent-sidecar-hunks', {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'BufWinEnter', 'BufReadPost' }, { group = watching, desc = 'agent-sidecar', callback = function(event)
    if not bases[path_of(event.buf) or ''] then return end
    soon(event.buf, function()
      local base = vim.api.nvim_buf_is_loaded(event.buf) and bases[path_of(event.buf) or '']
      if base then content(base, function() draw(event.buf) end) end
    end)
  end })
end

local function read(project, session)
  project:ask('agent/session/changes', { sessionId = session, limit = 500 }, function(result)
    local found = {}
    for _, item in ipairs(result.items or {}) do
      local known = item.checkpoint or item.kind == 'created'
      if known and item.kind ~= 'deleted' then
        local file = vim.uri_to_fname(item.uri)
        local path = vim.fs.normalize(vim.uv.fs_realpath(file) or file)
        local old = bases[path]
        found[path] = old and old.checkpoint == item.checkpoint and old or { project = project, session = session, checkpoint = item.checkpoint }
      end
    end
    for path, base in pairs(bases) do
      local shown = base.session == project.current or followed[base.session]
      if base.project == project and not found[path] and (base.session == session or not shown) then bases[path] = nil end
    end
    for path, base in pairs(found) do bases[path] = base end
    watch()
    draw_all()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local buf = vim.api.nvim_win_get_buf(win)
      local base = bases[path_of(buf) or '']
      if base then content(base, function() draw(buf) end) end
    end
  end, function() end) -- another process has it, or it is gone: there are no pieces then
end

--- Something was changed in a session, or another one is looked at.
function M.changed(project, session)
  soon(project.root .. ' ' .. session, function()
    if project.current == session or followed[session] then read(project, session) end
  end)
end

--- Shows what a session changes also while another one is looked at.
function M.follow(project, session)
  followed[session] = true
  M.changed(project, session)
end

-- with calls done with the pieces of the current buffer as it is by now.
local function with(done)
  local buf = vim.api.nvim_get_current_buf()
  local base = bases[path_of(buf) or '']
  if not base then return done(buf, nil, {}) end
  content(base, function()
    if not vim.api.nvim_buf_is_valid(buf) then return end
    local pieces, before = differ(buf, base)
    done(buf, base, pieces, before)
  end)
end

local function here(pieces)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, p in ipairs(pieces) do
    local last = p.start + math.max(p.new, 1)
    if row >= p.start and row < last or p.new == 0 and row == p.start - 1 and row == vim.api.nvim_buf_line_count(0) - 1 then return p end
  end
end

local function tell(text) require('agent-sidecar.output').tell(text) end

local act = {}

function act.keep()
  with(function(buf, base, pieces)
    local piece = here(pieces)
    if not piece then return tell(t('there is no change of the agent at the cursor')) end
    kept.keep(under(buf, base), piece.id)
    draw(buf)
  end)
end

function act.undo()
  with(function(buf, _, pieces, before)
    local piece = here(pieces)
    if not piece then return tell(t('there is no change of the agent at the cursor')) end
    if not vim.bo[buf].modifiable or vim.bo[buf].readonly then return tell(t('the buffer cannot be changed')) end
    local old = vim.list_slice(before, piece.from + 1, piece.from + piece.old)
    vim.api.nvim_buf_set_lines(buf, piece.start, piece.start + piece.new, false, old)
    draw(buf)
  end)
end

local function go(step)
  with(function(_, _, pieces)
    local row, to = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
    for _, p in ipairs(pieces) do
      if step > 0 and p.start > row and not to then to = p end
      if step < 0 and p.start < row then to = p end
    end
    if not to then return tell(t('there are no more changes of the agent in this file')) end
    vim.api.nvim_win_set_cursor(0, { math.min(to.start + 1, vim.api.nvim_buf_line_count(0)), 0 })
  end)
end

function act.next() go(1) end

function act.prev() go(-1) end

--- What :AgentHunk completes.
function M.words() return { 'keep', 'next', 'prev', 'undo' } end

--- Does what a word of :AgentHunk says.
--- @param word string
function M.command(word)
  if not act[word] then return tell(t('%s is none of keep, undo, next, prev', word)) end
  act[word]()
end

return M
