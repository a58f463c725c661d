-- One sidecar for one project, as an LSP client: how it is started, told to leave, and asked. What it says of its own goes to
-- the listeners; nothing here knows about sessions.
local M = {}

local binary = require('agent-sidecar.binary')
local config = require('agent-sidecar.config')
local hosttools = require('agent-sidecar.hosttools')
local keys = require('agent-sidecar.keys')
local semantic = require('agent-sidecar.semantic')
local t = require('agent-sidecar.locale').t

M.name = 'agent-sidecar'
local new = vim.fn.has('nvim-0.11') == 1 -- methods of a client take the client

-- How long Neovim waits for the sidecar when it leaves. Everything is on the disk before `shutdown` is answered.
local exit_timeout = 2000

--- @class agent_sidecar.Listener
--- @field event fun(params: table) agent/event
--- @field reload fun(uri: string) agent/client/reload
--- @field ready fun(client: vim.lsp.Client) it answered initialize
--- @field exit fun(code: integer, signal: integer) the process is gone

local listeners = {} --- @type table<string, agent_sidecar.Listener> by root
local running = {} --- @type table<string, integer> client ids by root, from the start of the process on

function M.listen(root, listener) listeners[root] = listener end

-- plain takes the nulls out: an absent member and null mean the same to us, and Neovim 0.12 keeps them as a value that is true.
local function plain(value)
  if value == vim.NIL then return nil end
  if type(value) == 'table' then
    for key, inner in pairs(value) do
      if inner == vim.NIL then
        value[key] = nil
      elseif type(inner) == 'table' then
        plain(inner)
      end
    end
  end
  return value
end

local function listener_of(ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  return client and listeners[client.config.root_dir]
end

--- What the client says that it can. `events` makes it a marker client; `approvals` without `request` says that questions
--- come as events and are answered with agent/approve.
function M.capabilities()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = vim.tbl_extend('force', capabilities.experimental or {}, {
    agentSidecar = {
      versions = { 1 }, events = vim.empty_dict(), approvals = { editInput = vim.empty_dict() }, questions = vim.empty_dict(), semantic = semantic.kinds,
      tools = hosttools.declared(),
    },
  })
  return capabilities
end

function M.handlers()
  return {
    ['agent/event'] = function(_, params, ctx)
      local listener = listener_of(ctx)
      if listener then listener.event(plain(params)) end
    end,
    ['agent/client/reload'] = function(_, params, ctx)
      local listener = listener_of(ctx)
      if listener then listener.reload(params.uri) end
    end,
    ['agent/client/semantic'] = function(_, params, ctx)
      return semantic.answer(assert(vim.lsp.get_client_by_id(ctx.client_id)), plain(params))
    end,
    ['agent/client/tool'] = function(_, params) return hosttools.answer(plain(params)) end,
  }
end

--- The configuration of the client for a project; also what vim.lsp.config is given.
--- @param root string?
--- @return vim.lsp.ClientConfig
function M.config(root, cmd)
  local settings = vim.deepcopy(config.options.settings)
  settings.surfaces = vim.tbl_extend('keep', settings.surfaces or {}, { diagnostics = config.options.marks })
  return {
    name = M.name,
    cmd = cmd,
    cmd_cwd = root,
    cmd_env = next(config.options.env) and config.options.env or nil,
    root_dir = root,
    workspace_folders = root and { { uri = vim.uri_from_fname(root), name = root } } or nil,
    capabilities = M.capabilities(),
    init_options = settings,
    handlers = M.handlers(),
    exit_timeout = exit_timeout, -- of Neovim 0.11; M.leave does it for 0.10
    flags = { debounce_text_changes = 100 },
    on_init = function(client)
      running[client.config.root_dir] = client.id
      local listener = listeners[client.config.root_dir]
      if listener then listener.ready(client) end
    end,
    on_exit = function(code, signal, id)
      vim.schedule(function()
        local of = root
        for known, its in pairs(running) do
          if its == id then of = known end
        end
        if of and running[of] == id then running[of] = nil end
        local listener = of and listeners[of]
        if listener and vim.v.exiting == vim.NIL then listener.exit(code, signal) end
      end)
    end,
  }
end

local function stopped(client)
  if new then return client:is_stopped() end
  return client.is_stopped()
end

--- The client of a project, if its process runs; it may not have answered initialize yet.
--- @return vim.lsp.Client?
function M.of(root)
  local client = running[root] and vim.lsp.get_client_by_id(running[root])
  if client and not stopped(client) then return client end
end

--- Starts the sidecar of a project, or attaches a buffer to the one that runs. bufnr nil: no buffer is attached.
--- @param root string
--- @param bufnr integer?
--- @return vim.lsp.Client?
--- @return string? why
function M.start(root, bufnr)
  local there = M.of(root)
  if there then
    if bufnr and not vim.lsp.buf_is_attached(bufnr, there.id) then vim.lsp.buf_attach_client(bufnr, there.id) end
    return there
  end
  local cmd, why = binary.command()
  if not cmd then return nil, why end
  -- vim.lsp.start attaches a buffer always; one that shows a file of the project is a document for the agent, others are not.
  local id = keys.around(function()
    if bufnr then return vim.lsp.start(M.config(root, cmd), { bufnr = bufnr, reuse_client = function() return false end }) end
    if new then return vim.lsp.start(M.config(root, cmd), { attach = false, reuse_client = function() return false end }) end
    return vim.lsp.start_client(M.config(root, cmd))
  end)
  local client = id and vim.lsp.get_client_by_id(id)
  if not client then return nil, t('%s did not start', cmd[1]) end
  running[root] = id
  return client
end

--- Asks the sidecar. done gets err and result on the main loop; without a client err says so.
--- @param client vim.lsp.Client?
--- @param method string
--- @param params table
--- @param done fun(err: table?, result: any)?
--- @return integer? request_id
function M.request(client, method, params, done)
  done = done or function() end
  if not client then
    vim.schedule(function() done({ message = t('agent-sidecar is not running'), data = { kind = 'not_running' } }) end)
    return
  end
  if next(params) == nil then params = vim.empty_dict() end
  local function take(err, result) done(plain(err), plain(result)) end
  local ok, id
  if new then
    ok, id = client:request(method, params, take)
  else
    ok, id = client.request(method, params, take)
  end
  if not ok then
    vim.schedule(function() done({ message = t('agent-sidecar has stopped'), data = { kind = 'not_running' } }) end)
    return
  end
  return id
end

--- Takes a request back.
function M.cancel(client, id)
  if new then client:cancel_request(id) else client.cancel_request(id) end
end

--- @param client vim.lsp.Client?
function M.notify(client, method, params)
  if not client then return end
  if new then client:notify(method, params) else client.notify(method, params) end
end

local function kill(id)
  local client = vim.lsp.get_client_by_id(id)
  if client and new then client:stop(true) elseif client then client.stop(true) end
end

--- Asks the sidecar to leave. One that does not answer is ended.
--- @param client vim.lsp.Client
function M.stop(client)
  if new then client:stop() else client.stop() end
  vim.defer_fn(function() kill(client.id) end, exit_timeout)
end

--- Waits when Neovim leaves until all of them are gone. Neovim itself has told them to leave: its own handler of VimLeavePre
--- stands before ours, and a second `shutdown` would be refused and the process killed. Neovim 0.10 does not wait, or with its
--- exit_timeout the whole time even where nothing is left to wait for.
function M.leave()
  local function gone()
    for _, id in pairs(running) do
      if vim.lsp.get_client_by_id(id) then return false end
    end
    return true
  end
  if vim.wait(exit_timeout, gone, 10) then return end
  for _, id in pairs(running) do kill(id) end
end

return M
