-- Where the program is: the option, this plugin's own bin/ (where build.lua puts it), PATH. Of PATH only absolute folders count,
-- and never the working directory, where Windows looks first: a project that was opened does not bring the program.
local M = {}

local config = require('agent-sidecar.config')
local t = require('agent-sidecar.locale').t

local windows = vim.fn.has('win32') == 1

--- The plugin's own folder.
function M.plugin_dir() return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))))) end

--- Where build.lua puts the program.
function M.own() return M.plugin_dir() .. '/bin/agent-sidecar' .. (windows and '.exe' or '') end

local function absolute(dir) return dir:match(windows and '^%a:[/\\]' or '^/') ~= nil end

-- find gives the file of a program: of a name what PATH has, of a path itself.
local function find(program)
  if program:find(windows and '[/\\]' or '/') then return vim.fn.executable(program) == 1 and vim.fn.exepath(program) or nil end
  for dir in (vim.env.PATH or ''):gmatch(windows and '[^;]+' or '[^:]+') do
    for _, ending in ipairs(absolute(dir) and (windows and { '.exe', '.cmd', '.bat', '' } or { '' }) or {}) do
      local file = dir .. '/' .. program .. ending
      if vim.fn.executable(file) == 1 then return file end
    end
  end
end

M.missing = t('the program agent-sidecar is not installed: put it into PATH, run :AgentBuild, or set the option cmd')

--- The command to start, or nil with the reason.
--- @return string[]? cmd
--- @return string? why
function M.command()
  local given = config.options.cmd
  if given then
    local file = find(given[1])
    if file then return vim.list_extend({ file }, given, 2) end
    return nil, t('the option cmd names %s, which cannot be started', given[1])
  end
  for _, program in ipairs({ M.own(), 'agent-sidecar' }) do
    local file = find(program)
    if file then
      local cmd = { file, 'serve' }
      if config.options.log then vim.list_extend(cmd, { '--log', config.options.log }) end
      return cmd
    end
  end
  return nil, M.missing
end

return M
