-- What goes on, in a few words: the bar over the chat and the text for a status line. Names come from a model's provider or a
-- log, so they are made plain before a status line reads them.
local M = {}

local effort = require('agent-sidecar.effort')
local lines = require('agent-sidecar.lines')
local locale = require('agent-sidecar.locale')
local modes = require('agent-sidecar.modes')
local runners = require('agent-sidecar.runners')
local visible = require('agent-sidecar.visible')

local words = {
  idle = locale.t('ready'), thinking = locale.t('thinking…'), tool_calling = locale.t('running'), waiting_approval = locale.t('needs approval'), retrying = locale.t('asking again'),
  compacting = locale.t('summarising…'), writing = locale.t('writing'), error = locale.t('failed'), finished = locale.t('ready'),
}

--- What a conversation does now.
function M.activity(conversation)
  local t = conversation.transcript
  local project = conversation.project
  if not project:client() then return project.died and locale.t('starting again…') or locale.t('not running') end
  if conversation.following then return locale.t('open in another editor') end
  if #project.approvals.order > 0 then return words.waiting_approval end
  if #project.questions.order > 0 then return locale.t('asks you') end
  local word = words[t.state] or visible.line(t.state)
  if t.detail and t.detail ~= '' and t.state ~= 'idle' then word = locale.t('%s: %s', word, visible.short(t.detail, 60)) end
  return word
end

--- How full the context is.
function M.context(conversation)
  local usage = conversation.transcript.usage
  local context = usage and usage.context
  if not context or not context.used then return '' end
  if not context.window then return locale.t('%s tokens', lines.tokens(context.used)) end
  local percent = context.percent or (100 * context.used / context.window)
  return ('%s/%s %d%%'):format(lines.tokens(context.used), lines.tokens(context.window), math.floor(percent + 0.5))
end

local function parts(conversation)
  local t = conversation.transcript
  local list = { M.activity(conversation) }
  local place = runners.place(conversation)
  if place ~= '' then table.insert(list, 1, place) end
  local mode = modes.label(t.session)
  if t.session.mode == 'full_access' then
    table.insert(list, 1, locale.t('FULL ACCESS'))
  elseif mode ~= '' then
    list[#list + 1] = mode
  end
  local model, level = conversation:model(), effort.now(conversation)
  if model ~= '' then list[#list + 1] = visible.short(model, 40) .. (level ~= '' and (' (%s)'):format(visible.short(level, 20)) or '') end
  local context = M.context(conversation)
  if context ~= '' then list[#list + 1] = context end
  if t.plan and t.live then list[#list + 1] = lines.plan(t.plan) end
  return list
end

--- The bar over a chat, as plain text: 'winbar' shows it by %{}, which reads nothing in it.
function M.bar(buf)
  local view = require('agent-sidecar.view').of[buf]
  if not view then return '' end
  local conversation = view.conversation
  local title = conversation.transcript.session.title
  local list = parts(conversation)
  if title and title ~= '' then table.insert(list, 1, visible.short(title, 40)) end
  return visible.line(' ' .. table.concat(list, ' · '))
end

--- For 'statusline', by %{%…%} or a plugin: empty where no sidecar runs for the buffer.
--- @return string
function M.line()
  local Project = require('agent-sidecar.project')
  local own = vim.b.agent_sidecar_root
  local attached = vim.lsp.get_clients({ bufnr = 0, name = 'agent-sidecar' })[1]
  local project = Project.all[own or attached and attached.config.root_dir or ''] or Project.last
  if not project or not project:client() then return '' end
  local conversation = project:here_conversation()
  if not conversation then
    local open = #project.approvals.order
    if open > 0 then return locale.t('agent: %s', words.waiting_approval) end
    local c = project:client()
    return c and c.initialized and #project:models() == 0 and locale.t('agent: no model (:AgentModel)') or locale.t('agent: %s', words.idle)
  end
  return visible.status(locale.t('agent: %s', table.concat(parts(conversation), ' · ')))
end

return M
