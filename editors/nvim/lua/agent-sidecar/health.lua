-- :checkhealth agent-sidecar
local M = {}

local binary = require('agent-sidecar.binary')
local client = require('agent-sidecar.client')
local config = require('agent-sidecar.config')
local keys = require('agent-sidecar.keys')
local t = require('agent-sidecar.locale').t
local Project = require('agent-sidecar.project')
local protocol = require('agent-sidecar.protocol')
local visible = require('agent-sidecar.visible')

local health = {}
for _, kind in ipairs({ 'start', 'ok', 'info', 'warn', 'error' }) do
  health[kind] = function(text, advice) vim.health[kind](visible.line(text), advice and vim.tbl_map(visible.line, advice) or nil) end
end

local no_model = {
  t(':AgentModel lists the models of each provider that has a key, and of servers on this machine'),
  t(':AgentKey takes a key and says how to keep it; or set one in the environment, such as OPENROUTER_API_KEY'),
  t(':AgentServer http://127.0.0.1:8080 uses your own server'),
}

-- asked waits for an answer of a sidecar that runs, for a moment.
local function asked(c, method, params)
  local answer
  client.request(c, method, params, function(err, result) answer = { err = err, result = result } end)
  vim.wait(2000, function() return answer ~= nil end, 10)
  return answer and answer.result
end

-- model says what a newcomer has to know: which model answers, and whose keys are seen. Never a key itself.
local function model(project, c)
  local config_now, status = asked(c, 'agent/config', { op = 'get', key = 'model' }), asked(c, 'agent/status', {})
  local chosen = config_now and config_now.effective and config_now.effective.model
  if type(chosen) == 'string' and chosen ~= '' then
    health.ok(t('model of new sessions: %s', chosen))
  elseif #project:models() > 0 then
    health.ok(t('configured models: %s', table.concat(project:models(), ', ')))
  else
    health.error(t('no model is set, so prompts cannot be answered'), no_model)
  end
  local seen = {}
  for _, provider in ipairs(status and status.providers or {}) do
    if provider.hasKey and #(provider.keyEnv or {}) > 0 then seen[#seen + 1] = ('%s (%s)'):format(provider.name, table.concat(provider.keyEnv, t(' or '))) end
  end
  health.info(#seen > 0 and t('keys found for: %s', table.concat(seen, ', ')) or t('no provider key found; a local server needs none'))
end

local function program()
  health.start(t('agent-sidecar: the program'))
  local cmd, why = binary.command()
  if not cmd then return health.error(why, { t('put agent-sidecar into PATH'), t(':AgentBuild downloads or builds it'), 'setup({ cmd = { "/path/to/agent-sidecar", "serve" } })' }) end
  health.ok(table.concat(cmd, ' '))
  -- What it says about this machine: the model, the sandbox, the shell.
  local ok, result = pcall(keys.around, function() return vim.system({ cmd[1], 'doctor' }, { text = true, timeout = 10000, env = config.options.env }):wait() end)
  if not ok then return health.error(t('it does not start: %s', visible.line(result))) end
  if not vim.startswith(result.stdout or '', 'agent-sidecar ') then
    -- Whatever was started, it is not this program, or not one that runs here.
    local said = (result.stderr or ''):match('%S[^\n]*')
    said = said and ': ' .. visible.short(said, 300) or ''
    local how = result.signal ~= 0 and t('signal %d', result.signal) or t('code %d', result.code)
    return health.error(t('it does not answer "doctor" as agent-sidecar does (%s)%s', how, said), { t('start it in a terminal: %s doctor', visible.line(cmd[1])) })
  end
  for line in (result.stdout or ''):gmatch('[^\n]+') do
    local word, rest = line:match('^(%a+)%s+(.*)$')
    rest = visible.line(rest or line)
    if word == 'ok' then
      health.ok(rest)
    elseif word == 'FAIL' then
      health.error(rest, vim.startswith(rest, 'model') and no_model or nil)
    elseif word == 'warn' then
      health.warn(rest)
    else
      health.info(visible.line(line))
    end
  end
end

local function running()
  health.start(t('agent-sidecar: projects'))
  local any = false
  for root, project in pairs(Project.all) do
    any = true
    local c = client.of(root)
    if not c then
      health.warn(project.why and t('%s: not running: %s', root, project.why) or t('%s: not running', root))
    elseif not c.initialized then
      health.error(t('%s: started, but it has not answered yet', root), { t(':AgentRestart starts it again') })
    elseif not project:capabilities().version then
      health.error(t('%s: the program there is not agent-sidecar, or is a very old version', root))
    else
      local capabilities = project:capabilities()
      health.ok(t('%s: running, protocol %s, positions in %s, %s', root, capabilities.version, c.offset_encoding, require('agent-sidecar.lines').count(#project.approvals.order, 'pending approval')))
      if capabilities.version ~= protocol.version then
        health.warn(t('the program speaks version %s of the protocol, the plugin version %d: update one of them', capabilities.version, protocol.version))
      end
      local sandbox = capabilities.sandbox
      if sandbox then health.info(t('sandbox: %s, network %s', visible.line(sandbox.level), visible.line(sandbox.network))) end
      model(project, c)
    end
  end
  if not any then health.info(t('none: opening a file of a project, or :Agent, starts one')) end
  local root, why = require('agent-sidecar.root').of(vim.api.nvim_get_current_buf())
  health.info(root and t('the agent would work in %s', root) or why)
end

function M.check()
  health.start('agent-sidecar: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then health.ok(('Neovim %s'):format(tostring(vim.version()))) else health.error(t('Neovim 0.10 or newer is needed')) end
  if vim.fn.exists(':Agent') == 2 then health.ok(t('setup() was called')) else health.warn(t('setup() was not called, so there are no commands'), { 'require("agent-sidecar").setup({})' }) end
  if vim.fn.has('nvim-0.12') == 1 and not pcall(vim.treesitter.language.inspect, 'markdown') then health.info(t('no parser for Markdown: the chat has no colours in texts')) end
  program()
  running()
end

return M
