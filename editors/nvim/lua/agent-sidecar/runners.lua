-- Where sessions work: on this machine, or on that of a runner of the configuration. The sidecar says which there are and how the
-- way to each is; a session goes where a person says.
local M = {}

local client = require('agent-sidecar.client')
local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local here = 'local' -- as the sidecar calls this machine; no runner has the name

--- The runners of a project, as they were told last.
--- @return agent-sidecar.Runner[]
function M.list(project) return project.runners or {} end

--- Asks which there are. Nobody waits for it.
function M.ask(project)
  client.request(project:client(), 'agent/status', {}, function(_, result)
    if not result then return end
    project.runners = result.runners or {}
    vim.cmd.redrawstatus({ bang = true })
  end)
end

--- One of them is otherwise now; one that was not named before is asked for.
function M.changed(project, runner)
  for i, known in ipairs(M.list(project)) do
    if known.name == runner.name then
      project.runners[i] = runner
      return vim.cmd.redrawstatus({ bang = true })
    end
  end
  M.ask(project)
end

--- How the way to a runner is, in a few words; '' where nobody has tried it.
--- @param runner agent-sidecar.Runner?
function M.way(runner)
  if not runner then return t('not configured any more') end
  if runner.state == 'reached' then
    local ms = tonumber(runner.roundTripMs) or 0
    return ms > 0 and t('%d ms', ms) or t('less than 1 ms')
  end
  if runner.state == 'reaching' then return t('connecting…') end
  if runner.state ~= 'not_reached' then return visible.short(runner.state, 40) end -- a word of another version
  return runner.reason and runner.reason ~= '' and t('not reached: %s', visible.short(runner.reason, 80)) or ''
end

--- Where a conversation works, in a few words; '' for this machine.
function M.place(conversation)
  local name = conversation.transcript.session.runner
  if type(name) ~= 'string' or name == '' then return '' end
  local runner = vim.iter(M.list(conversation.project)):find(function(each) return each.name == name end)
  local way = M.way(runner)
  name = visible.short(name, 40)
  return way == '' and t('on %s', name) or t('on %s, %s', name, way)
end

--- The names that :AgentRunner completes.
function M.names(project)
  local names = vim.tbl_map(function(runner) return runner.name end, M.list(project))
  table.insert(names, here)
  return names
end

-- put moves a session; what runs stays where it is.
local function put(conversation, name)
  conversation:update({ runner = name == here and '' or name }, name == here and t('works on this machine') or t('works on %s', visible.short(name, 40)))
end

--- Puts the conversation on a runner, or back on this machine. Where there is none yet, the one that the next prompt is given to.
--- @param project agent_sidecar.Project
--- @param name string
function M.use(project, name)
  name = vim.trim(name)
  if not vim.tbl_contains(M.names(project), name) then return project.tell(t('there is no runner %s; there are: %s', name, table.concat(M.names(project), ', ')), vim.log.levels.WARN) end
  local conversation = project:here_conversation()
  if conversation then return put(conversation, name) end
  if name == here then return project.tell(t('works on this machine')) end
  project:begin(function(made) put(made, name) end)
end

--- `:AgentRunner`: this machine and the runners, to choose from.
function M.choose(project)
  project:ask('agent/status', {}, function(result)
    project.runners = result.runners or {}
    local conversation = project:here_conversation()
    local now = conversation and conversation.transcript.session.runner or ''
    if #M.list(project) == 0 and now == '' then return project.tell(t('no runner is configured (:help agent-sidecar-runners)')) end
    local items = vim.list_extend({ { name = here, label = t('this machine') } }, vim.tbl_map(function(runner)
      local way = M.way(runner)
      return { name = runner.name, label = way == '' and runner.name or t('%s, %s', runner.name, way) }
    end, M.list(project)))
    output.choose(items, {
      prompt = t('Work on'), kind = 'agent-sidecar.runner',
      format_item = function(item) return (item.name == now or item.name == here and now == '') and t('%s (now)', item.label) or item.label end,
    }, function(item)
      if item then M.use(project, item.name) end
    end)
  end)
end

return M
