-- The commands. Each finds the project and the conversation that a person means and asks the sidecar.
local M = {}

local models = require('agent-sidecar.models')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local Project = require('agent-sidecar.project')

local function warn(text) output.tell(text, vim.log.levels.WARN) end

-- here calls done with the project of the current buffer, and says why where there is none.
local function here(done)
  local project, why = Project.here()
  if not project then return warn(why) end
  Project.last = project
  done(project)
end

-- inside calls done with the conversation too.
local function inside(done)
  here(function(project)
    local conversation = project:here_conversation()
    if not conversation then return warn(t('there is no session yet: :Agent <prompt> begins one, :AgentSessions lists the earlier ones')) end
    done(conversation, project)
  end)
end

-- ready calls done with the project when its sidecar answers.
local function ready(done)
  here(function(project)
    project:with(function(client, why)
      if not client then return warn(why) end
      done(project)
    end)
  end)
end

--- Stops what runs: in a conversation, or everything of the project.
function M.stop(project, conversation)
  project:ask('agent/cancel', { sessionId = conversation and conversation.id or nil, queue = 'clear' }, function(result)
    local stopped = result.cancelled or {}
    if #(stopped.runs or {}) == 0 and #(stopped.agents or {}) == 0 then project.tell(t('nothing runs')) end
  end)
end

local run = {}

-- Files are completed behind @. Not with complete = 'file': Neovim would put the name of the file in the place of every % in a prompt.
local function mentions(lead)
  local project = lead:sub(1, 1) == '@' and Project.here()
  if not project then return {} end
  return output.completions(vim.tbl_map(function(path) return '@' .. path end, require('agent-sidecar.prompt').files(project.root, lead:sub(2))), lead)
end

run.Agent = {
  options = { nargs = '*', range = true, bang = true, complete = mentions, desc = t('Give a prompt to the agent; without one, write it') },
  run = function(c)
    here(function(project)
      local buf = vim.api.nvim_get_current_buf()
      local range = c.range > 0 and { buf = buf, first = c.line1, last = c.line2 } or { buf = vim.bo[buf].buftype == '' and buf or nil }
      if c.args ~= '' then return require('agent-sidecar.prompt').send(project, c.args, { range = range, fresh = c.bang }) end
      project:with(function(client, why)
        if not client then return warn(why) end
        if c.bang then project.current = nil end
        require('agent-sidecar.prompt').open(not c.bang and project:here_conversation() or nil, project)
      end)
    end)
  end,
}

run.AgentEdit = {
  options = { nargs = '*', range = true, bang = true, desc = t('Have the agent edit the lines, or with ! fix the problem of the line') },
  run = function(c)
    ready(function(project)
      local inline = require('agent-sidecar.inline')
      if c.bang then return inline.fix(project, c.line1) end
      inline.edit(project, c.args, c.line1, c.line2)
    end)
  end,
}

run.AgentSteer = {
  options = { nargs = '+', desc = t('Send a prompt to the current run') },
  run = function(c)
    inside(function(conversation, project) require('agent-sidecar.prompt').send(project, c.args, { delivery = 'steer', conversation = conversation }) end)
  end,
}

run.AgentRetry = {
  options = { desc = t('Run the last prompt again, if it failed or was stopped') },
  run = function()
    inside(function(conversation) require('agent-sidecar.prompt').retry(conversation) end)
  end,
}

run.AgentStop = {
  options = { bang = true, desc = t('Stop the run; with ! everything in the project') },
  run = function(c)
    if not c.bang and require('agent-sidecar.inline').stop() then return end
    here(function(project) M.stop(project, not c.bang and project:here_conversation() or nil) end)
  end,
}

run.AgentApprove = {
  options = { nargs = '?', desc = t('Answer the pending approval'), complete = function() return Project.last and vim.deepcopy(Project.last.approvals.order) or {} end },
  run = function(c)
    here(function(project) project.approvals:command(c.args ~= '' and c.args or nil) end)
  end,
}

run.AgentAnswer = {
  options = { bang = true, desc = t('Answer what the agent asks; with ! close it without an answer') },
  run = function(c)
    here(function(project) project.questions:command(nil, c.bang) end)
  end,
}

run.AgentSessions = {
  options = { nargs = '*', desc = t('List the sessions, or those that have these words') },
  run = function(c)
    here(function(project) require('agent-sidecar.sessions').list(project, c.args) end)
  end,
}

run.AgentChat = {
  options = { desc = t('Show the conversation') },
  run = function()
    inside(function(conversation) vim.api.nvim_set_current_win(require('agent-sidecar.chat').show(conversation)) end)
  end,
}

local function agents(project)
  local list = {}
  for _, agent in ipairs(project:capabilities().agents or {}) do
    if agent.mode ~= 'subagent' then list[#list + 1] = agent.name end
  end
  return list
end

-- matching completes names that begin with what was typed.
local function matching(names)
  return function(lead)
    local project = Project.last or Project.here()
    if not project then return {} end
    return output.completions(names(project), lead)
  end
end

run.AgentMode = {
  options = { nargs = '?', complete = matching(function(project) return require('agent-sidecar.modes').names(project) end), desc = t('Choose what the agent may do without asking') },
  run = function(c)
    ready(function(project)
      local modes = require('agent-sidecar.modes')
      if c.args ~= '' then return modes.use(project, c.args) end
      modes.choose(project)
    end)
  end,
}

run.AgentAgent = {
  options = { nargs = '?', complete = matching(agents), desc = t('Choose the agent') },
  run = function(c)
    ready(function(project)
      local modes = require('agent-sidecar.modes')
      if c.args ~= '' then return modes.agent(project, c.args) end
      modes.choose(project)
    end)
  end,
}

run.AgentRunner = {
  options = { nargs = '?', complete = matching(function(project) return require('agent-sidecar.runners').names(project) end), desc = t('Choose the machine that the session works on') },
  run = function(c)
    ready(function(project)
      local runners = require('agent-sidecar.runners')
      if c.args ~= '' then return runners.use(project, c.args) end
      runners.choose(project)
    end)
  end,
}

run.AgentModel = {
  options = { nargs = '?', complete = matching(function(project) return models.names(project) end), desc = t('Choose the model, of a list or by its name') },
  run = function(c)
    ready(function(project)
      if c.args ~= '' then return models.use(project, c.args) end
      models.list(project)
    end)
  end,
}

run.AgentEffort = {
  options = { nargs = '?', complete = matching(function() return require('agent-sidecar.effort').names() end), desc = t('Choose how much the model thinks') },
  run = function(c)
    ready(function(project)
      local effort = require('agent-sidecar.effort')
      if c.args ~= '' then return effort.use(project, c.args) end
      effort.choose(project)
    end)
  end,
}

run.AgentServer = {
  options = { nargs = '?', desc = t('Use your own model server') },
  run = function(c)
    ready(function(project) models.server(project, c.args ~= '' and c.args or nil) end)
  end,
}

run.AgentKey = {
  options = { nargs = '?', complete = matching(function(project) return project.providers or {} end), desc = t('Give the key of a provider') },
  run = function(c)
    ready(function(project) require('agent-sidecar.keys').ask(project, c.args ~= '' and c.args or nil) end)
  end,
}

run.AgentUndo = {
  options = { nargs = '?', desc = t('Undo the last run, or a call, after showing what would be undone'), complete = function() return { 'run', 'call' } end },
  run = function(c)
    inside(function(conversation, project)
      local undo = require('agent-sidecar.undo')
      if c.args == '' or c.args == 'run' then return undo.last(conversation) end
      if c.args ~= 'call' then return undo.ask(conversation, { callId = c.args }) end
      if vim.api.nvim_get_current_buf() ~= conversation.view.buf then return project.tell(t('put the cursor on a call in the chat')) end
      local block = conversation.view:at(vim.api.nvim_win_get_cursor(0)[1] - 1)
      if not block or block.kind ~= 'call' then return project.tell(t('put the cursor on a call in the chat')) end
      undo.ask(conversation, { callId = block.data.call })
    end)
  end,
}

run.AgentRestore = {
  options = { desc = t('Go back to before the prompt under the cursor, or the last one, with the files') },
  run = function()
    inside(function(conversation)
      local here = vim.api.nvim_get_current_buf() == conversation.view.buf
      local block = here and conversation.view:at(vim.api.nvim_win_get_cursor(0)[1] - 1) or conversation.transcript.last
      while not here and block and not (block.kind == 'prompt' and block.data.at) do block = block.prev end
      require('agent-sidecar.restore').ask(conversation, block)
    end)
  end,
}

run.AgentHunk = {
  options = { nargs = 1, complete = function(lead) return output.completions(require('agent-sidecar.hunks').words(), lead) end, desc = t('Keep or undo the change of the agent at the cursor, or go to the next or previous one') },
  run = function(c) require('agent-sidecar.hunks').command(c.args) end,
}

run.AgentCompact = {
  options = { nargs = '*', desc = t('Summarise the older part of the conversation') },
  run = function(c)
    inside(function(conversation, project) project:ask('agent/session/compact', { sessionId = conversation.id, focus = c.args ~= '' and c.args or nil }) end)
  end,
}

run.AgentArtifact = {
  options = { nargs = '?', desc = t('Open an output that was too long for the conversation') },
  run = function(c)
    inside(function(conversation, project)
      local artifacts = require('agent-sidecar.artifacts')
      if c.args ~= '' then return artifacts.open(project, { artifactId = c.args }) end
      local block = vim.api.nvim_get_current_buf() == conversation.view.buf and conversation.view:at(vim.api.nvim_win_get_cursor(0)[1] - 1)
      local artifact = block and block.data.artifact
      if artifact and artifact.artifactId then return artifacts.open(project, { artifactId = artifact.artifactId }) end
      artifacts.choose(project, conversation.id)
    end)
  end,
}

-- The ids are asked for while a person waits for the completion, for a moment at most.
run.AgentArtifact.options.complete = function(lead)
  local project = Project.last
  local conversation = project and project:here_conversation()
  if not conversation or not project:client() then return {} end
  local ids
  require('agent-sidecar.artifacts').list(project, conversation.id, function(items)
    ids = vim.tbl_map(function(item) return item.artifactId end, items)
  end)
  vim.wait(500, function() return ids ~= nil end, 10)
  return output.completions(ids or {}, lead)
end

run.AgentRules = {
  options = { desc = t('Look at the stored permission rules, and remove them') },
  run = function()
    ready(function(project) require('agent-sidecar.rules').choose(project) end)
  end,
}

run.AgentUsage = {
  options = { nargs = '?', desc = t('Show what was spent: by day, model or session'), complete = function() return { 'day', 'model', 'session' } end },
  run = function(c)
    ready(function(project)
      project:ask('agent/usage', { by = c.args ~= '' and c.args or nil }, function(result)
        local scratch = require('agent-sidecar.scratch')
        local lines = vim.split(require('agent-sidecar.visible').text(result.text), '\n', { trimempty = true })
        scratch.split(scratch.buffer(project.root, 'agent-sidecar://usage', lines, { filetype = 'markdown', wipe = true }))
      end)
    end)
  end,
}

run.AgentRestart = {
  options = { desc = t('Restart the sidecar of the project') },
  run = function()
    here(function(project) project:restart() end)
  end,
}

run.AgentBuild = {
  options = { desc = t('Put the program into the plugin: download or build it') },
  run = function() require('agent-sidecar.install').run(function(ok, message) output.tell(message, ok and vim.log.levels.INFO or vim.log.levels.ERROR) end) end,
}

--- The names of all commands.
function M.names()
  local names = vim.tbl_keys(run)
  table.sort(names)
  return names
end

--- Does what a command of this name does.
--- @param name string
--- @param args string
function M.perform(name, args) run[name].run({ args = args }) end

function M.create()
  for name, command in pairs(run) do
    vim.api.nvim_create_user_command(name, command.run, command.options)
  end
end

return M
