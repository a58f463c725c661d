-- The options of setup(), with what holds where nothing was said. doc/agent-sidecar.txt describes each of them.
local M = {}

local t = require('agent-sidecar.locale').t

--- @class agent_sidecar.Options
M.defaults = {
  cmd = nil, --- @type string[]? the program with its arguments; nil: found, see binary.lua
  env = {}, --- @type table<string, string> added to the environment of the sidecar
  root_markers = { '.git', '.hg', '.jj', '.svn', '.agent-sidecar' },
  root_dir = nil, --- @type nil|string|fun(bufnr: integer): string?
  autostart = true, -- start for a file of a project as soon as it is opened
  settings = {}, --- @type table<string, any> keys of the configuration file; what allows more asks once
  host_tools = {}, --- @type table<string, agent_sidecar.HostTool> what the agent may ask this Neovim to do
  diagnostics = true, -- send what vim.diagnostic has to the agent
  marks = true, -- show an open question as a diagnostic at its place
  approvals = {
    popup = true, -- ask with vim.ui.select by itself, when nothing was typed for idle_ms
    idle_ms = 2000,
  },
  chat = {
    position = 'right', -- right, left, above, below, tab or current
    width = 0.42, -- of the columns; a number above 1 is columns
    height = 0.45, -- of the lines, for above and below
    prompt_height = 4,
    colours = true, -- of Markdown
    reasoning = true, -- show what the model thinks, folded
  },
  limits = {
    page = 400, -- events that are read of a session at once
    lines = 120, -- lines of a result that the chat holds; `go` opens the whole
  },
  mappings = {
    chat = {
      follow = '<CR>', -- do what the line offers
      open = 'go', -- the whole output
      answer = 'ga', -- a question
      review = 'gr', -- the whole of a question
      undo = 'gu', -- the file, the call or the run
      retry = 'gR', -- run a prompt again that failed
      stop = '<C-c>',
      prompt = 'i', -- write a prompt
      again = 'ge', -- edit a prompt, and send it in a fork
      restore = 'gb', -- back to before a prompt, with the files
      plan = 'gp',
      next = ']]',
      previous = '[[',
      close = 'q',
      help = 'g?',
    },
    prompt = {
      send = '<CR>', -- in normal mode
      send_insert = '<C-s>', -- in insert mode
      steer = 'g<CR>', -- to the run at work
      stop = '<C-c>',
      close = 'q',
    },
  },
  log = nil, --- @type string? a file for the sidecar's log
}

--- @type agent_sidecar.Options
M.options = vim.deepcopy(M.defaults)

local positions = { right = true, left = true, above = true, below = true, tab = true, current = true }

-- same fails where a value is of another kind than the default beside it, and names it.
local function same(given, default, path)
  for key, value in pairs(given) do
    local name = path == '' and tostring(key) or path .. '.' .. tostring(key)
    local free = path == 'env' or path == 'settings' or path == 'host_tools' or name == 'cmd' or name == 'root_dir' or name == 'log' or name == 'root_markers'
    if not free then
      local known = default[key]
      if known == nil then error(t('agent-sidecar: there is no option %q', name), 0) end
      local off = value == false and vim.startswith(name, 'mappings.')
      if type(value) ~= type(known) and not off then
        error(t('agent-sidecar: option %q is a %s, not a %s', name, type(known), type(value)), 0)
      end
      if type(value) == 'table' and not vim.islist(value) then same(value, known, name) end
    end
  end
end

-- check_tools fails where a tool lacks what it needs, and names it; what may stand in a schema is the sidecar's to say.
local function check_tools(tools)
  for name, tool in pairs(tools) do
    local right = type(name) == 'string' and type(tool) == 'table' and type(tool.description) == 'string' and type(tool.run) == 'function'
    if not right or tool.input_schema ~= nil and type(tool.input_schema) ~= 'table' then
      error(t('agent-sidecar: option "host_tools": %s needs a description and a function run', tostring(name)), 0)
    end
  end
end

--- @param given table?
function M.set(given)
  given = given or {}
  same(given, M.defaults, '')
  local cmd = given.cmd
  if cmd ~= nil and not (type(cmd) == 'table' and vim.islist(cmd) and type(cmd[1]) == 'string') then
    error(t('agent-sidecar: option "cmd" is a list of words'), 0)
  end
  check_tools(given.host_tools or {})
  local options = vim.tbl_deep_extend('force', M.defaults, given)
  if not positions[options.chat.position] then
    error(t('agent-sidecar: option "chat.position" cannot be %q', options.chat.position), 0)
  end
  M.options = options
end

return M
