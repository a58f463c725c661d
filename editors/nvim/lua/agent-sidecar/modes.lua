-- What the agent may do without asking: one of four modes, or an agent of the person's own. A session keeps either as a mode and an
-- agent.
local M = {}

local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local builder, planner = 'build', 'plan' -- the agents behind the four
local names = { 'ask', 'edit', 'plan', 'full_access' }
local changes = {
  ask = { mode = 'ask', agent = builder },
  edit = { mode = 'agent', agent = builder },
  plan = { mode = 'agent', agent = planner },
  full_access = { mode = 'full_access', agent = builder },
}
local aliases = { agent = 'edit' } -- the protocol's word, which :AgentMode took before there were four

local labels = { ask = t('Ask'), edit = t('Edit'), plan = t('Plan'), full_access = t('Full access') }
local details = {
  ask = t('asks before each edit and command'),
  edit = t('edits files in a trusted folder, asks before commands outside the sandbox'),
  plan = t('reads and plans, changes nothing'),
  full_access = t('asks nothing, until you switch back or the editor closes'),
}

--- Which of the four a session is in; nil where it works with an own agent. A mode that is not known asks, as in the sidecar.
--- @param session {mode: string?, agent: string?}
--- @return string?
function M.of(session)
  if session.mode == 'full_access' then return session.mode end
  if session.agent == planner then return 'plan' end
  if session.agent and session.agent ~= '' and session.agent ~= builder then return nil end
  return (session.mode == nil or session.mode == '' or session.mode == 'agent') and 'edit' or 'ask'
end

--- The word for it, or the name of the own agent; '' where nothing is known of the session.
--- @return string
function M.label(session)
  if not session.mode and not session.agent then return '' end
  return labels[M.of(session)] or visible.short(session.agent, 30)
end

-- own lists the agents of a person that a conversation can have.
local function own(project)
  return vim.tbl_filter(function(agent) return agent.mode ~= 'subagent' and agent.name ~= builder and agent.name ~= planner end, project:capabilities().agents or {})
end

--- What :AgentMode completes.
function M.names(project)
  return vim.list_extend(vim.list_slice(names), vim.tbl_map(function(agent) return agent.name end, own(project)))
end

-- put changes the conversation, or what the next one begins with.
local function put(project, change, label)
  local conversation = project:here_conversation()
  if conversation then return conversation:update(change, t('mode: %s', label)) end
  project.agent, project.mode = change.agent, change.mode or project.mode
  project.tell(t('mode: %s for the next session', visible.short(label, 30)))
end

-- full gives full access, after a yes of its own, to a session that is there.
local function full(project)
  local yes = labels.full_access
  output.choose({ t('Cancel'), yes }, { prompt = t('Full access: nothing in this session needs your approval any more. It lasts until you switch back or the editor closes. Continue?'), kind = 'agent-sidecar.mode' }, function(choice)
    if choice ~= yes then return end
    local change = vim.tbl_extend('force', changes.full_access, { confirm = true })
    local conversation = project:here_conversation()
    if conversation then return conversation:update(change, t('mode: %s', yes)) end
    project:begin(function(made) made:update(change, t('mode: %s', yes)) end)
  end)
end

--- Gives the conversation an agent: it asks as before, and full access is not kept for it.
--- @param project agent_sidecar.Project
--- @param name string
function M.agent(project, name)
  local conversation = project:here_conversation()
  local change = { agent = name }
  if conversation and conversation.transcript.session.mode == 'full_access' then change.mode = vim.NIL end
  put(project, change, name)
end

--- `:AgentMode` with a word.
--- @param project agent_sidecar.Project
--- @param name string
function M.use(project, name)
  name = vim.trim(name)
  name = aliases[name] or name
  if name == 'full_access' then return full(project) end
  if changes[name] then return put(project, changes[name], labels[name]) end
  if vim.tbl_contains(M.names(project), name) then return M.agent(project, name) end
  project.tell(t('there is no mode %s; there are: %s', name, table.concat(M.names(project), ', ')), vim.log.levels.WARN)
end

--- `:AgentMode`: the four, and below them the person's own agents, each with what it asks.
--- @param project agent_sidecar.Project
function M.choose(project)
  local conversation = project:here_conversation()
  local session = conversation and conversation.transcript.session or { mode = project.mode, agent = project.agent }
  local now = (session.mode or session.agent) and (M.of(session) or session.agent)
  local items = vim.tbl_map(function(name) return { name = name, label = t('%s: %s', labels[name], details[name]) } end, names)
  for _, agent in ipairs(own(project)) do
    local about = agent.description and agent.description ~= '' and t('%s: %s', agent.name, visible.short(agent.description, 100))
    items[#items + 1] = { name = agent.name, label = about or agent.name }
  end
  output.choose(items, {
    prompt = t('Mode'), kind = 'agent-sidecar.mode',
    format_item = function(item) return item.name == now and t('%s (now)', item.label) or item.label end,
  }, function(item)
    if item then M.use(project, item.name) end
  end)
end

return M
