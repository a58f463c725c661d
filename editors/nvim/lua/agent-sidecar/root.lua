-- Which folder the agent may work in: the project of a buffer. A wrong answer here gives the agent somebody's whole home, so
-- there is no guess that ends there.
local M = {}

local config = require('agent-sidecar.config')
local t = require('agent-sidecar.locale').t

local function real(path) return vim.fs.normalize(vim.uv.fs_realpath(path) or path) end

--- Whether a folder is the home directory or above it.
--- @param dir string
--- @return boolean
function M.holds_home(dir)
  local home = vim.uv.os_homedir()
  if not home then return dir == '/' end
  dir, home = real(dir), real(home)
  local prefix = vim.endswith(dir, '/') and dir or dir .. '/'
  return dir == home or vim.startswith(home .. '/', prefix)
end

-- folder_of gives the directory of a buffer's file, or the working directory where it has none.
local function folder_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]+://') then return vim.uv.cwd(), true end
  return vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(name, ':p'))), false
end

--- The project of a buffer, or nil with the reason in words. A file without a project is alone with its own directory, if
--- only_project is not set.
--- @param bufnr integer
--- @param only_project boolean?
--- @return string? root
--- @return string? why
function M.of(bufnr, only_project)
  local given = config.options.root_dir
  if type(given) == 'function' then given = given(bufnr) end
  if given then return real(vim.fn.fnamemodify(given, ':p')) end

  local folder, is_cwd = folder_of(bufnr)
  if not folder then return nil, t('the working directory is gone') end
  local found = vim.fs.root(is_cwd and folder or vim.api.nvim_buf_get_name(bufnr), config.options.root_markers)
  if found and not M.holds_home(found) then return real(found) end
  if only_project then return nil, t('no project') end
  if vim.fn.isdirectory(folder) == 0 then return nil, t('the directory %s does not exist', folder) end
  if M.holds_home(folder) then
    return nil,
      t(
        '%s is your home directory or contains it, and the agent works only in a project: open a file in one (a folder with %s), or set root_dir',
        folder,
        table.concat(config.options.root_markers, ', ')
      )
  end
  return real(folder)
end

return M
