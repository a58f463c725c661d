-- How much the model of a session may think. The sidecar says which levels a model has, and writes the chosen one as the model's
-- family wants it.
local M = {}

local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local levels = { 'none', 'minimal', 'low', 'medium', 'high', 'xhigh' } -- all that there are, the least first
local default = 'default' -- that the session sets none; no level has the name

--- The level that a conversation sets itself, '' for none.
function M.now(conversation)
  local params = conversation and conversation.transcript.session.params
  local level = type(params) == 'table' and params.reasoningEffort
  return type(level) == 'string' and level or ''
end

--- What :AgentEffort completes.
function M.names() return vim.list_extend({ default }, levels) end

local function put(conversation, name)
  conversation:update({ params = { reasoningEffort = name == default and vim.NIL or name } }, t('reasoning effort: %s', name))
end

--- Sets the level of the conversation. Where there is none yet, of the one that the next prompt is given to.
--- @param project agent_sidecar.Project
--- @param name string
function M.use(project, name)
  name = vim.trim(name)
  if not vim.tbl_contains(M.names(), name) then return project.tell(t('there is no level %s; there are: %s', name, table.concat(M.names(), ', ')), vim.log.levels.WARN) end
  local conversation = project:here_conversation()
  if conversation then return put(conversation, name) end
  if name == default then return project.tell(t('reasoning effort: %s', name)) end
  project:begin(function(made) put(made, name) end)
end

--- `:AgentEffort`: the levels that the model has, to choose from; all of them for a model that is not known.
function M.choose(project)
  project:ask('agent/describe', {}, function(result)
    local conversation = project:here_conversation()
    local now, asked, efforts = M.now(conversation), conversation and conversation:model() or project.model or project:default_model(), result.efforts or {}
    local items = vim.list_extend({ default }, efforts[asked] or levels)
    if now ~= '' and not vim.tbl_contains(items, now) then items[#items + 1] = now end
    local none = not efforts[asked] and vim.tbl_contains(result.models or {}, asked)
    output.choose(items, {
      prompt = none and t('Reasoning effort (no levels are known for %s, so none is sent)', visible.short(asked, 40)) or t('Reasoning effort'), kind = 'agent-sidecar.effort',
      format_item = function(name)
        local label = name == default and t('default, as the agent or your configuration says') or name
        return (name == now or name == default and now == '') and t('%s (now)', label) or label
      end,
    }, function(name)
      if name then M.use(project, name) end
    end)
  end)
end

return M
