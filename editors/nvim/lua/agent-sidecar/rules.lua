-- The rules of permission that are stored, to be looked at and taken out; and what else is set up beside them, only to be read.
local M = {}

local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')
local wording = require('agent-sidecar.wording')

-- Only what a person has written, or an answer of theirs has stored, can be taken out.
local sources = { always = t('from an answer of yours'), config = t('from the configuration file') }
local decisions = { allow = t('allow'), ask = t('ask'), deny = t('deny') }
local domains = {
  read = t('reading files'), edit = t('changing files'), bash = t('commands'), web_fetch = t('web pages'), web_search = t('web search'),
  mcp = t('tools of MCP servers'), tool = t('own tools'), internal = t('built-in tools'),
}

local function word(words, value) return words[value] or visible.line(tostring(value)) end

--- A rule in a line.
--- @param rule table
--- @param workspace string? the one that is open
function M.line(rule, workspace)
  local what = wording.rule(rule, rule.domain, workspace)
  if rule.runner and rule.runner ~= '' then what = t('on %s: %s', visible.short(rule.runner, 40), what) end
  local line = t('%s %s: %s', word(decisions, rule.decision), word(domains, rule.domain), what)
  line = ('%s (%s)'):format(line, word(sources, rule.source))
  return rule.problem and t('%s: %s', line, visible.short(rule.problem, 200)) or line
end

local function remove(project, rule, line)
  output.choose({ t('Cancel'), t('Remove') }, { prompt = t('Remove this rule? %s', line), kind = 'agent-sidecar.rules' }, function(answer)
    if answer ~= t('Remove') then return end
    local named = {}
    for _, member in ipairs({ 'domain', 'pattern', 'decision', 'workspace', 'runner', 'exact', 'by', 'source', 'index' }) do named[member] = rule[member] end
    project:ask('agent/rules', { op = 'remove', rule = named }, function() project.tell(t('the rule is removed: %s', line)) end)
  end)
end

local function sorted(members)
  local names = type(members) == 'table' and vim.tbl_keys(members) or {}
  table.sort(names)
  return names
end

local states = { ready = t('on'), failed = t('does not run'), needs_sign_in = t('needs sign-in') }

-- What the configuration says of servers and hooks, which agents there are, and how the servers are. Skills have their place here, too.
local function beside(effective, agents, servers)
  local items = {}
  local function add(label, server) items[#items + 1] = { label = label, server = server } end
  local now = {}
  for _, server in ipairs(servers) do now[server.name] = server end
  for _, name in ipairs(sorted(effective.mcp)) do
    local server, is = effective.mcp[name], now[name]
    local state = is and states[is.state] or type(server) == 'table' and server.enabled == false and t('off') or t('on')
    add(t('MCP server %s: %s', visible.short(name, 60), state), is)
  end
  for _, event in ipairs(sorted(effective.hooks)) do add(t('hooks at %s: %d', visible.short(event, 60), vim.tbl_count(effective.hooks[event]))) end
  for _, agent in ipairs(agents) do
    add(t('agent %s: %s', visible.short(agent.name, 60), visible.short(agent.description or '', 100)))
  end
  return items
end

-- Signs in to a server, or out, after a yes. What came of it is a message of the sidecar.
local function sign(project, server)
  local out, name = server.signedIn, visible.short(server.name, 60)
  local yes = out and t('Sign out') or t('Sign in')
  output.choose({ t('Cancel'), yes }, { prompt = t('MCP server %s: %s', name, visible.short(server.problem or yes, 300)), kind = 'agent-sidecar.mcp' }, function(answer)
    if answer ~= yes then return end
    project:ask('agent/mcp', { op = out and 'signOut' or 'signIn', server = server.name }, function(result)
      if out then return project.tell(t('signed out of %s', name)) end
      if (result or {}).url then vim.ui.open(result.url) end
    end)
  end)
end

--- `:AgentRules`: the stored rules to choose from, each to be taken out after a yes.
--- @param project agent_sidecar.Project
function M.choose(project)
  project:ask('agent/rules', { op = 'list' }, function(listed)
    local function show(config, servers)
      local items = {}
      for _, rule in ipairs(listed.rules or {}) do
        if sources[rule.source] then items[#items + 1] = { label = M.line(rule, listed.workspace), rule = rule } end
      end
      local prompt = #items > 0 and t('Permission rules: choose one to remove it') or t('No rules are stored yet')
      vim.list_extend(items, beside(config.effective or {}, project:capabilities().agents or {}, servers))
      output.choose(items, { prompt = prompt, kind = 'agent-sidecar.rules', format_item = function(item) return item.label end }, function(item)
        if not item then return end
        if item.rule then return remove(project, item.rule, item.label) end
        if item.server and item.server.maySignIn then return sign(project, item.server) end
        project.tell(t('this is set up in your configuration'))
      end)
    end
    project:ask('agent/config', { op = 'get' }, function(config)
      if #sorted((config.effective or {}).mcp) == 0 then return show(config, {}) end
      -- A sidecar that is older does not know the request.
      project:ask('agent/mcp', { op = 'list' }, function(result) show(config, (result or {}).servers or {}) end, function() show(config, {}) end)
    end)
  end)
end

return M
