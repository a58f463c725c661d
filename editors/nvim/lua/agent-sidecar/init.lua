-- agent-sidecar for Neovim: a coding agent as a language server, and what a person needs to work with it. The sidecar decides;
-- what is here shows and asks.
local M = {}

-- Links of the highlight groups; a colour scheme or a person may set them otherwise.
local groups = {
  AgentSidecarPrompt = 'Title',
  AgentSidecarThought = 'Comment',
  AgentSidecarCall = 'Function',
  AgentSidecarOutput = 'Comment',
  AgentSidecarPreview = 'Normal',
  AgentSidecarAdded = 'Added',
  AgentSidecarRemoved = 'Removed',
  AgentSidecarChange = 'Directory',
  AgentSidecarTruncated = 'WarningMsg',
  AgentSidecarQuestion = 'DiagnosticWarn',
  AgentSidecarPlan = 'Title',
  AgentSidecarRunning = 'DiagnosticInfo',
  AgentSidecarDone = 'DiagnosticOk',
  AgentSidecarFailed = 'DiagnosticError',
  AgentSidecarDim = 'NonText',
}
M.groups = groups

local function colours()
  for group, link in pairs(groups) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

-- opened starts the sidecar for a file of a project, and shows it every file of a project that has one.
local function opened(buf)
  local config = require('agent-sidecar.config')
  local Project = require('agent-sidecar.project')
  if not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then return end
  local root = require('agent-sidecar.root').of(buf, true)
  local project = root and Project.all[root]
  if project and project:client() then
    return require('agent-sidecar.documents').attach(project, project:client(), buf)
  end
  -- A file alone is in the Vault of a project that was started for its folder.
  if not root then
    for _, other in pairs(Project.all) do
      if other:client() then require('agent-sidecar.documents').attach(other, other:client(), buf) end
    end
    return
  end
  if not config.options.autostart or M.failed then return end
  project = Project.get(root)
  if not project:start(buf) then
    M.failed = true -- said once, not for every file
    Project.tell(project.why, vim.log.levels.WARN)
  end
end

local function diagnosed(buf)
  local documents = require('agent-sidecar.documents')
  local client = require('agent-sidecar.client')
  for root in pairs(require('agent-sidecar.project').all) do
    local c = client.of(root)
    local name = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_name(buf) or ''
    if c and c.initialized and vim.startswith(vim.fs.normalize(vim.uv.fs_realpath(name) or name), root .. '/') then documents.report(c, buf) end
  end
end

--- Starts the plugin. :help agent-sidecar-setup has the options.
--- @param options agent_sidecar.Options?
function M.setup(options)
  if vim.fn.has('nvim-0.10') == 0 then error(require('agent-sidecar.locale').t('agent-sidecar needs Neovim 0.10 or newer'), 0) end
  local config = require('agent-sidecar.config')
  config.set(options)
  colours()
  require('agent-sidecar.commands').create()
  require('agent-sidecar.approvals').watch_keys()

  local group = vim.api.nvim_create_augroup('agent-sidecar', {})
  local function on(event, callback) vim.api.nvim_create_autocmd(event, { group = group, callback = callback, desc = 'agent-sidecar' }) end
  on('ColorScheme', colours)
  on({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, function(event) opened(event.buf) end)
  if config.options.diagnostics then on('DiagnosticChanged', function(event)
    vim.schedule(function() diagnosed(event.buf) end)
  end) end
  assert(vim.lsp.get_clients) -- loads vim.lsp, whose own handler of VimLeavePre has to be the first
  on('VimLeavePre', function() require('agent-sidecar.client').leave() end)

  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then opened(buf) end
  end
end

--- What goes on, for a status line: `%{%v:lua.require'agent-sidecar'.statusline()%}`.
--- @return string
function M.statusline() return require('agent-sidecar.status').line() end

--- Gives a prompt, as :Agent does.
--- @param text string
--- @param options {fresh: boolean?, delivery: string?}?
function M.prompt(text, options)
  local project, why = require('agent-sidecar.project').here()
  if not project then return require('agent-sidecar.project').tell(why, vim.log.levels.WARN) end
  require('agent-sidecar.prompt').send(project, text, options)
end

--- The questions that are open in the project of the current buffer.
--- @return table[]
function M.questions()
  local project = require('agent-sidecar.project').here()
  return project and project.approvals:list() or {}
end

return M
