-- Places that a text names: `path:12`, `path:12-20`, a path of the project, an http(s) address. Only what exists is a place.
-- One that really lies outside of the project, whatever its path says, is named as such: whoever opens it asks a person first.
local M = {}

-- file gives the path of a file and, where it lies outside, where that is.
local function file(root, path)
  -- A share of another machine: to look whether it is there tells that machine who looks.
  if path:match('^[/\\][/\\]') then return nil end
  local full = vim.fs.normalize(path:sub(1, 1) == '/' and path or root .. '/' .. path)
  local real = vim.uv.fs_realpath(full)
  if not real then return nil end
  local stat = vim.uv.fs_stat(real)
  if not stat or stat.type ~= 'file' then return nil end
  local top = vim.fs.normalize(vim.uv.fs_realpath(root) or root):gsub('/$', '') .. '/'
  real = vim.fs.normalize(real)
  return full, not vim.startswith(real, top) and real or nil
end

--- What stands at a column of a line: {path, line?, last?, outside?} or {url}.
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
        local full, outside = file(root, path and path ~= '' and path or word)
        if full then found = { path = full, line = tonumber(first), last = tonumber(last), outside = outside } end
      end
      if found then return found end
    end
    at = to + 1
  end
end

return M
