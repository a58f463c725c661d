-- Which pieces of the agent's changes the person has kept, over restarts: a file of Neovim's state, which can be lost.
local M = {}

local most_files, most_pieces = 100, 500
local most_bytes = 4 * 1024 * 1024 -- of the file: more is not of ours

local known --- @type {under: string, pieces: string[]}[]?  what was kept last stands last

function M.file() return vim.fs.joinpath(vim.fn.stdpath('state'), 'agent-sidecar', 'kept.json') end

local function valid(one)
  if type(one) ~= 'table' or type(one.under) ~= 'string' or type(one.pieces) ~= 'table' or not vim.islist(one.pieces) then return false end
  return vim.iter(one.pieces):all(function(id) return type(id) == 'string' end)
end

-- read takes what can be read of the file; anything may be there.
local function read()
  local stat = vim.uv.fs_stat(M.file())
  if not stat or stat.type ~= 'file' or stat.size > most_bytes then return {} end
  local f = io.open(M.file(), 'rb')
  local text = f and f:read('*a')
  if f then f:close() end
  local ok, list = pcall(vim.json.decode, text or '')
  if not ok or type(list) ~= 'table' or not vim.islist(list) then return {} end
  return vim.list_slice(vim.tbl_filter(valid, list), 1, most_files)
end

-- write puts the whole file into the place of the old one, or leaves that.
local function write(list)
  local file = M.file()
  local temporary = ('%s.%d'):format(file, vim.fn.getpid())
  vim.fn.mkdir(vim.fs.dirname(file), 'p', '0o700')
  local fd = vim.uv.fs_open(temporary, 'w', 384) -- 0600
  if not fd then return end
  local written = vim.uv.fs_write(fd, vim.json.encode(list))
  vim.uv.fs_close(fd)
  if not written or not vim.uv.fs_rename(temporary, file) then vim.uv.fs_unlink(temporary) end
end

--- The pieces that are kept of a text, by their names.
--- @param under string what they are against: a checkpoint
--- @return table<string, boolean>
function M.of(under)
  known = known or read()
  local set = {}
  for _, one in ipairs(known) do
    if one.under == under then
      for _, id in ipairs(one.pieces) do set[id] = true end
    end
  end
  return set
end

--- Keeps one more; what was not touched longest goes first. Another Neovim may have kept some meanwhile.
function M.keep(under, id)
  local list, pieces = {}, {}
  for _, one in ipairs(read()) do
    if one.under == under then pieces = one.pieces else list[#list + 1] = one end
  end
  for _, one in ipairs(known or {}) do
    if one.under == under then
      for _, mine in ipairs(one.pieces) do
        if not vim.tbl_contains(pieces, mine) then pieces[#pieces + 1] = mine end
      end
    end
  end
  if not vim.tbl_contains(pieces, id) then pieces[#pieces + 1] = id end
  list[#list + 1] = { under = under, pieces = vim.list_slice(pieces, math.max(1, #pieces - most_pieces + 1)) }
  known = vim.list_slice(list, math.max(1, #list - most_files + 1))
  write(known)
end

--- Forgets what was read, as a restart does.
function M.forget() known = nil end

return M
