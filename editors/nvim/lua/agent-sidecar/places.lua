-- Places that a text names: `path:12`, `path:12-20`, a path of the project, an http(s) address. Only what exists is a place.
local M = {}

local function inside(root, path)
  local full = vim.fs.normalize(path:sub(1, 1) == '/' and path or root .. '/' .. path)
  local real = vim.uv.fs_realpath(full)
  if not real then return nil end
  local stat = vim.uv.fs_stat(real)
  if not stat or stat.type ~= 'file' then return nil end
  return full
end

--- What stands at a column of a line: {path, line?, last?} or {url}.
--- @param root string
--- @param text string
--- @param col integer from 0; nil: the first one of the line
--- @return table?
function M.at(root, text, col)
  local found
  local at = 1
  while true do
    local from, to = text:find('[^%s`\'"()%[%]<>|,;*]+', at)
    if not from then break end
    local word = text:sub(from, to):gsub('[.:!?]+$', '')
    local under = col == nil or (col >= from - 1 and col < to)
    if under then
      if word:match('^https?://[%w%-%.]') then
        found = { url = word }
      else
        local path, first, last = word:match('^(.-):(%d+)%-?(%d*)')
        local full = inside(root, path and path ~= '' and path or word)
        if full then found = { path = full, line = tonumber(first), last = tonumber(last) } end
      end
      if found then return found end
    end
    at = to + 1
  end
end

return M
