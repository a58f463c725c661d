-- Where the program is: the option, this plugin's own bin/ (where build.lua puts it), PATH.
local M = {}

local config = require('agent-sidecar.config')

local windows = vim.fn.has('win32') == 1

--- The plugin's own folder.
function M.plugin_dir() return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))))) end

--- Where build.lua puts the program.
function M.own() return M.plugin_dir() .. '/bin/agent-sidecar' .. (windows and '.exe' or '') end

M.missing = 'the program agent-sidecar is not installed: put it into PATH, run :AgentBuild, or set the option cmd'

--- The command to start, or nil with the reason.
--- @return string[]? cmd
--- @return string? why
function M.command()
  local given = config.options.cmd
  if given then
    if vim.fn.executable(given[1]) == 1 then return vim.deepcopy(given) end
    return nil, ('the option cmd names %s, which cannot be started'):format(given[1])
  end
  for _, program in ipairs({ M.own(), 'agent-sidecar' }) do
    if vim.fn.executable(program) == 1 then
      local cmd = { vim.fn.exepath(program), 'serve' }
      if config.options.log then vim.list_extend(cmd, { '--log', config.options.log }) end
      return cmd
    end
  end
  return nil, M.missing
end

return M
