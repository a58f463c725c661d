-- Commands in a prompt: /name. The sidecar knows which there are and puts their text in the place; what is no prompt is done here.
local M = {}

local output = require('agent-sidecar.output')

-- done says how the plugin does the commands that agent/commands leaves to a client.
local done = {
  undo = function() require('agent-sidecar.commands').perform('AgentUndo', '') end,
  usage = function() require('agent-sidecar.commands').perform('AgentUsage', '') end,
  model = function(args) require('agent-sidecar.commands').perform('AgentModel', args) end,
  plan = function() require('agent-sidecar.commands').perform('AgentMode', 'plan') end,
  fork = function(_, project, conversation)
    if conversation then require('agent-sidecar.sessions').fork(project, conversation.id) end
  end,
}

--- Does a command that the sidecar has left to its client. False where this one does not know it.
--- @param project agent_sidecar.Project
--- @param conversation agent_sidecar.Conversation?
--- @param text string the prompt
--- @return boolean
function M.client(project, conversation, text)
  local name, args = vim.trim(text):match('^/([%w_-]+)%s*(.*)$')
  local does = name and done[name]
  if not does then return false end
  does(vim.trim(args), project, conversation)
  return true
end

--- Names of commands that begin so. They are asked for while a person waits, for a moment at most.
--- @param project agent_sidecar.Project?
--- @param lead string
--- @return string[]
function M.names(project, lead)
  if not project or not project:client() then return {} end
  local names
  project:ask('agent/commands', {}, function(result)
    names = vim.tbl_map(function(command) return command.name end, result.commands or {})
  end, function() names = {} end)
  vim.wait(500, function() return names ~= nil end, 10)
  return output.completions(names or {}, lead)
end

--- Where the name of a command begins before the cursor, from 0; nil where none is written.
--- @param line string up to the cursor
--- @param row integer of the cursor, from 1
--- @return integer?
function M.at(line, row)
  return row == 1 and line:match('^/[%w_-]*$') and 1 or nil
end

--- What a person wrote of the prompt of a run: what was typed stands in the place of what a command made of it.
--- @param data {prompt: table[]|string, typed: string?}
--- @return table[]|string
function M.content(data)
  if not data.typed or data.typed == '' or type(data.prompt) ~= 'table' then return data.prompt end
  local content, put = {}, false
  for i, part in ipairs(data.prompt) do
    local first = part.type == 'text' and not put
    put = put or first
    content[i] = first and vim.tbl_extend('force', part, { text = data.typed }) or part
  end
  return content
end

return M
