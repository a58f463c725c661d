-- Tools of this Neovim that the person has written into setup(), for the agent (agent/client/tool). The sidecar has each call judged
-- before it comes here, and takes what a tool gives as text from outside.
local M = {}

local config = require('agent-sidecar.config')

local most = 1024 * 1024 -- bytes of a result; the model gets less

--- @class agent_sidecar.HostTool
--- @field description string what the model is told
--- @field input_schema table? a JSON Schema of the type object; nil: no arguments are known
--- @field run fun(input: table, done: fun(text: string, failed: boolean?)): string? calls done once, now or later, or returns the text

--- What is declared to the sidecar, which refuses by name what it cannot take.
function M.declared()
  local list = {}
  for name, tool in vim.spairs(config.options.host_tools) do
    list[#list + 1] = { name = name, description = tool.description, inputSchema = tool.input_schema or { type = 'object' } }
  end
  return list
end

local function result(text, failed)
  text = type(text) == 'string' and text or vim.inspect(text)
  if #text > most then text = text:sub(1, most) .. '\n[the tool gave more, which was cut off]' end
  return { content = { { type = 'text', text = text } }, isError = failed == true }
end

--- Runs a tool, inside the coroutine of the request. What is called twice counts once.
function M.answer(params)
  local tool = config.options.host_tools[params.name]
  if not tool then return nil, { code = -32602, message = 'unknown_tool' } end
  local co, given, waiting = coroutine.running(), nil, false
  local function done(text, failed)
    if given then return end
    given = result(text, failed)
    if waiting then vim.schedule(function() coroutine.resume(co) end) end
  end
  local ok, returned = pcall(tool.run, params.input or {}, done)
  if not ok then
    done(returned, true)
  elseif returned ~= nil then
    done(returned)
  end
  if not given then
    waiting = true
    coroutine.yield()
  end
  return given
end

return M
