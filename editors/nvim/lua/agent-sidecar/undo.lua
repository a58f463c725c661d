-- Bringing files back: what would come back and what would not is shown before anything happens.
local M = {}

local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local function files(count) return lines.count(count, 'file') end

local function report(conversation, result)
  local names = {}
  for _, change in ipairs(result.changes or {}) do
    names[#names + 1] = visible.line(change.path)
  end
  local id = names[1] and result.changes[1].callId
  local back = id and t(' (:AgentUndo %s takes it back)', visible.line(id)) or ''
  local what = #names > 0 and t('%s: %s', files(#names), table.concat(names, ', ')) or files(0)
  conversation:say('info', t('undone: %s%s', what, back))
  for _, conflict in ipairs(result.conflicts or {}) do
    conversation:say('warning', t('not undone: %s: %s', visible.line(conflict.path), visible.line(conflict.reason)))
  end
  vim.cmd.checktime()
end

--- Asks about an undo and does it after a yes.
--- @param conversation agent_sidecar.Conversation
--- @param to table {callId} or {runId}
--- @param paths string[]? only these files
function M.ask(conversation, to, paths)
  local project = conversation.project
  local function undo(params, done)
    project:ask('agent/session/undo', vim.tbl_extend('force', { sessionId = conversation.id, to = to, paths = paths }, params), done)
  end
  undo({ dryRun = true }, function(plan)
    local changed, conflicts = plan.changes or {}, plan.conflicts or {}
    if #changed == 0 and #conflicts == 0 then return project.tell(t('there is nothing to undo')) end
    local choices = { { label = t('Cancel') } }
    if #changed > 0 then choices[#choices + 1] = { label = t('Undo %s', files(#changed)), params = {} } end
    if #conflicts > 0 then choices[#choices + 1] = { label = t('Undo and keep what others changed in other lines'), params = { merge = true } } end
    local words = {}
    for i, change in ipairs(changed) do
      if i <= 8 then words[#words + 1] = visible.line(change.path) end
    end
    if #changed > 8 then words[#words + 1] = '…' end
    local prompt = t('Undo: %s', #words > 0 and table.concat(words, ', ') or t('no file as it is'))
    for _, conflict in ipairs(conflicts) do
      prompt = t('%s · stays: %s (%s)', prompt, visible.line(conflict.path), visible.line(conflict.reason))
    end
    output.choose(choices, { prompt = prompt, kind = 'agent-sidecar.undo', format_item = function(choice) return choice.label end }, function(choice)
      if choice and choice.params then undo(choice.params, function(result) report(conversation, result) end) end
    end)
  end)
end

--- The last run of a conversation.
function M.last(conversation)
  local run = conversation.transcript.run
  if not run then return conversation.project.tell(t('nothing has run yet')) end
  M.ask(conversation, { runId = run })
end

return M
