-- The words for a question and its answers, so that the chat, a review and a list of answers say the same.
local M = {}

local visible = require('agent-sidecar.visible')

local risks = { read = 'reads', write = 'writes', execute = 'runs a command', network = 'uses the network', destructive = 'can destroy data', loop = 'repeats itself' }

--- What a yes would do, in a word or two; empty for a question that is about no call.
function M.risk(approval) return approval.domain == 'config' and '' or risks[approval.risk] or visible.line(approval.risk) end

--- A file as a person knows it, as the sidecar's own sentences name it: by its path in the project, behind the name of a further
--- folder, or by where it is on the machine.
function M.object(text)
  local line = visible.line(text)
  if vim.startswith(line, 'fs:/') then return line:sub(4) end
  local name, path = line:match('^vault@([^:]*):/(.*)$')
  if name then return name .. ': ' .. path end
  path = line:match('^vault:/(.*)$')
  if not path then return line end
  return (path == '' or path:find(':', 1, true)) and './' .. path or path -- it could be taken for a folder's name
end

--- The rule that a lasting yes stores; of several each. A command is shown letter by letter.
--- @param domain string?
function M.rule(rule, domain)
  local what = visible.line(rule.pattern)
  if domain == 'read' or domain == 'edit' then what = table.concat(vim.tbl_map(M.object, vim.split(what, ' + ', { plain = true })), ' + ') end
  return ('%s, %s'):format(what, rule.workspace and 'in this folder' or 'in every folder')
end

--- The word of the sidecar for an answer, where the usual one would mislead.
--- @param decision string
--- @return string?
function M.label(approval, decision)
  local label = type(approval.labels) == 'table' and approval.labels[decision]
  return type(label) == 'string' and label ~= '' and visible.line(label) or nil
end

local answers = { once = 'allowed once', session = 'allowed for this session', always = 'always allowed', reject = 'rejected', cancelled = 'withdrawn', superseded = 'no longer needed', restart = 'withdrawn by a restart' }

--- How a question ended.
function M.answered(approval, decision)
  local title = visible.short(approval.title, 160)
  local label = M.label(approval, decision)
  if label then return ('%s %s'):format(title, label) end
  return ('%s: %s'):format(answers[decision] or visible.line(decision), title)
end

return M
