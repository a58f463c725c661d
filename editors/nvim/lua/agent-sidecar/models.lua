-- Which model works: the list of those that can be had, a name that is typed, and a server of one's own. The sidecar asks the
-- providers; what is chosen is for a session, and for new ones too where a person says so.
local M = {}

local client = require('agent-sidecar.client')
local failures = require('agent-sidecar.failures')
local lines = require('agent-sidecar.lines')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local scratch = require('agent-sidecar.scratch')
local visible = require('agent-sidecar.visible')

-- store makes a model that of new sessions.
local function store(project, model, told)
  project:ask('agent/config', { op = 'set', key = 'model', value = model }, function() project.tell(t('model: %s, for new sessions too%s', model, told)) end)
end

-- offer asks whether new sessions get the model too, unless they do already.
local function offer(project, model, told)
  project:ask('agent/config', { op = 'get', key = 'model' }, function(result)
    if (result.effective or {}).model == model then return project.tell(t('model: %s%s', model, told)) end
    local here, always = t('Only here'), t('For new sessions too')
    output.choose({ here, always }, { prompt = t('Use %s for new sessions too? It is saved in your configuration file.', model), kind = 'agent-sidecar.default' }, function(choice)
      if choice == always then return store(project, model, told) end
      project.tell(t('model: %s%s', model, told))
    end)
  end, function() project.tell(t('model: %s%s', model, told)) end)
end

--- Uses a model in the conversation, or in the next one where there is none yet.
--- @param project agent_sidecar.Project
--- @param model string
function M.use(project, model)
  model = vim.trim(model)
  if model == '' then return end
  local conversation = project:here_conversation()
  if not conversation then
    project.model = model
    return offer(project, model, '')
  end
  project:ask('agent/session/update', { sessionId = conversation.id, model = model }, function(result)
    conversation:know(result.session)
    local told = vim.tbl_contains(vim.tbl_values(result.applied or {}), 'queued-change') and t(' from the next run on') or ''
    local last = conversation.transcript.ended
    if last and not conversation.transcript.live and failures.retries(last) then told = told .. t(' (:AgentRetry runs the prompt again)') end
    offer(project, model, told)
  end)
end

local function typed(project)
  output.input({ prompt = t('Model, as provider/name: ') }, function(text)
    if text then M.use(project, text) end
  end)
end

local busy = t('… asking the providers that have a key, and servers on this machine')

-- drawn makes the lines of a list, and what each of them offers by its number.
local function drawn(list)
  local text, offers = { t('<CR> chooses · / searches · R asks again · q closes'), '' }, {}
  local function line(words, what)
    text[#text + 1] = visible.line(words)
    offers[#text] = what
  end
  if list.note then line(list.note) line('') end
  line(t('type a name…'), { typed = true })
  line(t('use a server at another address…'), { server = true })
  local result, shown = list.result or {}, {}
  for _, provider in ipairs(result.providers or {}) do
    for _, model in ipairs(provider.models or {}) do shown[model.name] = true end
  end
  local configured = vim.tbl_filter(function(name) return not shown[name] end, list.project:models())
  if #configured > 0 then line('') line(t('already configured')) end
  for _, name in ipairs(configured) do line('  ' .. name, { model = name }) end
  if list.busy then line('') line(busy) end
  if list.failed then line('') line(t('the providers could not be asked: %s', list.failed)) end
  local none = true
  for _, provider in ipairs(result.providers or {}) do
    none = none and #(provider.models or {}) == 0
    line('')
    line(('%s · %s'):format(provider.name or '', provider.baseUrl or ''))
    if provider.error then line('  ' .. t('could not be asked: %s', provider.error.message or provider.error.kind)) end
    for _, model in ipairs(provider.models or {}) do
      line(('  %s%s'):format(model.name, model.window and ' · ' .. t('%s tokens', lines.tokens(model.window)) or ''), { model = model.name })
    end
  end
  if list.result and none then
    line('')
    line(t('No provider has listed a model. :AgentKey takes a key, :AgentServer asks your own server.'))
  end
  local keyless = vim.tbl_filter(function(provider) return not provider.hasKey and #(provider.keyEnv or {}) > 0 end, list.providers or {})
  if #keyless > 0 then line('') line(t('without a key: <CR> takes one')) end
  for _, provider in ipairs(keyless) do line('  ' .. provider.name, { key = provider.name }) end
  return text, offers
end

local function fill(list)
  if not vim.api.nvim_buf_is_valid(list.buf) then return end
  local text
  text, list.offers = drawn(list)
  vim.bo[list.buf].modifiable = true
  vim.api.nvim_buf_set_lines(list.buf, 0, -1, false, text)
  vim.bo[list.buf].modifiable = false
end

-- ask_keys asks for which providers there are keys.
local function ask_keys(list)
  client.request(list.project:client(), 'agent/status', {}, function(_, result)
    list.providers = result and result.providers or {}
    fill(list)
  end)
end

local function load(list)
  list.busy, list.failed = true, nil
  fill(list)
  local c = list.project:client()
  client.request(c, 'agent/models', {}, function(err, result)
    list.busy, list.result, list.failed = false, result or list.result, err and err.message
    local names = {}
    for _, provider in ipairs(result and result.providers or {}) do
      for _, model in ipairs(provider.models or {}) do names[#names + 1] = model.name end
    end
    if result then list.project.listed = names end
    fill(list)
  end)
  ask_keys(list)
end

local function chosen(list, what)
  if not what then return end
  scratch.leave()
  if what.typed then return typed(list.project) end
  if what.server then return M.server(list.project) end
  if what.key then return require('agent-sidecar.keys').ask(list.project, what.key) end
  M.use(list.project, what.model)
end

--- `:AgentModel`: the models that can be had, with a line that says that the providers are being asked.
--- @param note string? said above them
function M.list(project, note)
  local buf = scratch.buffer(project.root, ('agent-models:/%s'):format(vim.fs.basename(project.root)), {}, { wipe = true })
  local list = { project = project, buf = buf, offers = {}, note = note }
  local function map(key, what, desc) vim.keymap.set('n', key, what, { buffer = buf, nowait = true, desc = 'agent-sidecar: ' .. desc }) end
  map('<CR>', function() chosen(list, list.offers[vim.api.nvim_win_get_cursor(0)[1]]) end, t('choose'))
  map('R', function() load(list) end, t('ask again'))
  project.models_shown = list
  load(list)
  local win = vim.iter(vim.fn.win_findbuf(buf)):find(function(each) return vim.api.nvim_win_get_tabpage(each) == vim.api.nvim_get_current_tabpage() end)
  if win then vim.api.nvim_set_current_win(win) else scratch.split(buf) end
  return list
end

--- The configuration has changed: what is set up, and which providers have keys, is drawn anew. No provider is asked for that.
function M.changed(project)
  local list = project.models_shown
  if not list or not vim.api.nvim_buf_is_valid(list.buf) then return end
  fill(list)
  ask_keys(list)
end

--- The names that :AgentModel completes.
function M.names(project)
  local names, seen = {}, {}
  for _, name in ipairs(vim.list_extend(vim.list_extend({}, project:models()), project.listed or {})) do
    if not seen[name] then names[#names + 1] = name end
    seen[name] = true
  end
  return names
end

--- An address as a person may type it; nil where it is none.
function M.address(text)
  text = vim.trim(text):gsub('/+$', '')
  if not text:find('://', 1, true) and text:match('^[%w%-%.]+:%d+') then text = 'http://' .. text end
  return text:match('^https?://[^%s/]+[^%s]*$') and text or nil
end

-- keep stores the address as a provider, if there is none with it yet, and uses the model.
local function keep(project, base, model)
  project:ask('agent/config', { op = 'get', key = 'providers' }, function(result)
    local providers = (result.effective or {}).providers or {}
    for name, provider in pairs(providers) do
      if type(provider) == 'table' and tostring(provider.baseUrl):gsub('/+$', '') == base then return M.use(project, name .. '/' .. model) end
    end
    local name, number = 'local', 1
    while providers[name] do
      number = number + 1
      name = 'local' .. number
    end
    project:ask('agent/config', { op = 'set', key = ('providers.%s.baseUrl'):format(name), value = base }, function() M.use(project, name .. '/' .. model) end)
  end)
end

local function answered(project, provider)
  local base, other = provider.baseUrl, t('type a name…')
  local function name()
    output.input({ prompt = t('Model, as the server names it: ') }, function(text)
      if text and vim.trim(text) ~= '' then keep(project, base, vim.trim(text)) end
    end)
  end
  local items = vim.tbl_map(function(model) return model.name end, provider.models or {})
  if #items == 0 then
    project.tell(t('%s answers, and lists no models', base))
    return name()
  end
  items[#items + 1] = other
  output.choose(items, { prompt = t('Model of %s', base), kind = 'agent-sidecar.model' }, function(model)
    if model == other then return name() end
    if model then keep(project, base, model) end
  end)
end

-- asked is one server, which is not stored before it has answered and a model of it was chosen.
local function asked(project, base)
  project.tell(t('asking %s for its models…', base))
  project:ask('agent/models', { baseUrl = base }, function(result)
    local provider = (result.providers or {})[1] or {}
    provider.baseUrl = provider.baseUrl or base
    local err = provider.error
    if not err or err.kind == 'no_list' then return answered(project, provider) end
    local why = err.kind == 'model_auth' and t('needs a key: add the server under `providers` in your configuration, with the variable that has the key (:help agent-sidecar-models)') or t('does not answer')
    if err.message and err.message ~= '' then why = ('%s (%s)'):format(why, err.message) end
    project.tell(t('%s %s. Nothing was stored.', base, why), vim.log.levels.WARN)
  end)
end

--- `:AgentServer`: a server of one's own.
--- @param text string? its address
function M.server(project, text)
  if not text then
    return output.input({ prompt = t('Address of the server: '), default = 'http://127.0.0.1:' }, function(answer)
      if answer and vim.trim(answer) ~= '' then M.server(project, answer) end
    end)
  end
  local base = M.address(text)
  if not base then return project.tell(t('%s is not an address: it must start with http:// or https://', text), vim.log.levels.WARN) end
  asked(project, base)
end

return M
