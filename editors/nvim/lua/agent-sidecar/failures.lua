-- What a run that failed says: its cause first, what a person can do about it here, and the rest to unfold.
local M = {}

local config = require('agent-sidecar.config')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local other_model = t(':AgentModel chooses another model')
local other_key = t(':AgentKey takes another key')

-- By the kind of the error; the lines are shown one below the other.
local ways = {
  model_not_set = {
    t(':AgentModel lists the models of each provider that has a key, and of servers on this machine'),
    t(':AgentKey takes a key and says how to keep it'),
    t(':AgentServer uses your own server'),
  },
  model_auth = { other_key, other_model },
  model_quota = { other_model, other_key },
  model_not_found = { other_model },
  model_rejected = { other_model },
  content_filter = { other_model },
  model_unreachable = { other_model, t(':AgentServer uses a server at another address') },
  model_rate_limited = { other_model },
  model_overloaded = { other_model },
  model_server_error = { other_model },
  MODEL_UNAVAILABLE = { other_model, other_key },
}

--- Whether a run that ended so can be run again.
function M.retries(data) return data.stopReason == 'error' or data.stopReason == 'cancelled' or data.stopReason == 'interrupted' end

--- The cause in one line.
--- @param data table of run.ended
--- @return string
function M.cause(data)
  local error = data.error or {}
  local said = error.message and error.message ~= '' and error.message or data.message or ''
  return visible.line(vim.trim(said))
end

--- What can be done about it.
--- @return string[]
function M.ways(data)
  local list = {}
  if data.stopReason == 'error' or data.stopReason == 'refusal' then
    vim.list_extend(list, ways[data.error and data.error.kind or data.stopReason == 'refusal' and 'content_filter' or ''] or {})
  end
  if M.retries(data) then
    local key = config.options.mappings.chat.retry
    list[#list + 1] = key and t('%s or :AgentRetry runs the prompt again', key) or t(':AgentRetry runs the prompt again')
  end
  return list
end

--- What is unfolded: the request, its status, what each model of a chain said.
--- @return string
function M.detail(data)
  local error = data.error or {}
  local list = {}
  if error.detail and vim.trim(error.detail) ~= '' then list[1] = vim.trim(error.detail) end
  for _, attempt in ipairs(error.attempts or {}) do
    list[#list + 1] = ('%s: %s'):format(attempt.model, attempt.message)
  end
  return table.concat(list, '\n')
end

return M
