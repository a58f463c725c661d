-- The words for a question and its answers, so that the chat, a review and a list of answers say the same.
local M = {}

local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

--- What is asked, in a line: on another machine that comes first.
function M.title(approval)
  local title = visible.line(approval.title)
  return approval.runner and approval.runner ~= '' and t('on %s: %s', visible.short(approval.runner, 40), title) or title
end

local risks = { read = t('reads'), write = t('writes'), execute = t('runs a command'), network = t('uses the network'), destructive = t('can destroy data'), loop = t('repeats itself') }

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
--- @param workspace string? the one that is open, where the rule may be of another
function M.rule(rule, domain, workspace)
  local what = visible.line(rule.pattern)
  if domain == 'read' or domain == 'edit' then what = table.concat(vim.tbl_map(M.object, vim.split(what, ' + ', { plain = true })), ' + ') end
  local here = not workspace or rule.workspace == workspace
  return t('%s, %s', what, rule.workspace and (here and t('in this folder') or t('in another folder (%s)', visible.short(rule.workspace, 40))) or t('in every folder'))
end

--- The word of the sidecar for an answer, where the usual one would mislead.
--- @param decision string
--- @return string?
function M.label(approval, decision)
  local label = type(approval.labels) == 'table' and approval.labels[decision]
  return type(label) == 'string' and label ~= '' and visible.line(label) or nil
end

local answers = { once = t('allowed once'), session = t('allowed for this session'), always = t('always allowed'), reject = t('rejected'), cancelled = t('withdrawn'), superseded = t('no longer needed'), restart = t('withdrawn by a restart') }

--- How a question ended.
function M.answered(approval, decision)
  local title = visible.short(M.title(approval), 160)
  local label = M.label(approval, decision)
  if label then return ('%s %s'):format(title, label) end
  return t('%s: %s', answers[decision] or visible.line(decision), title)
end

return M
