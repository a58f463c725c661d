-- What a block looks like: its lines, and the marks on them. A pure function of the block, so that a test can read it.
--
-- The lines of what a tool gave stand behind a bar, which no Markdown reads: a fence in an output does not swallow what follows.
-- What a block is can be told by its marks alone: a model can write a bar or a head, and makes no mark by it.
local M = {}

local config = require('agent-sidecar.config')
local failures = require('agent-sidecar.failures')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')
local wording = require('agent-sidecar.wording')

M.bar = '│ '
M.head = '▸ '
M.asked = '┃ '
M.person = '▌ '
M.thought = '┊ '

local states = {
  asked = { t('… checking'), 'AgentSidecarRunning' },
  running = { t('… running'), 'AgentSidecarRunning' },
  denied = { t('✗ denied'), 'AgentSidecarFailed' },
  completed = { '✓', 'AgentSidecarDone' },
  failed = { t('✗ failed'), 'AgentSidecarFailed' },
  rejected = { t('✗ rejected'), 'AgentSidecarFailed' },
  cancelled = { t('■ cancelled'), 'AgentSidecarFailed' },
  interrupted = { t('■ interrupted'), 'AgentSidecarFailed' },
}

--- A size for people.
function M.size(bytes)
  bytes = tonumber(bytes) or 0
  if bytes < 1024 then return ('%d B'):format(bytes) end
  if bytes < 1024 * 1024 then return ('%.0f KiB'):format(bytes / 1024) end
  return ('%.1f MiB'):format(bytes / 1024 / 1024)
end

--- A number of tokens for people.
function M.tokens(count)
  count = tonumber(count) or 0
  if count < 1000 then return ('%d'):format(count) end
  if count < 1e6 then return ('%.0fk'):format(count / 1000) end
  return ('%.1fM'):format(count / 1e6)
end

local counts = {
  call = { t('1 call'), t('%d calls') },
  citation = { t('1 citation'), t('%d citations') },
  file = { t('1 file'), t('%d files') },
  line = { t('1 line'), t('%d lines') },
  ['pending approval'] = { t('1 pending approval'), t('%d pending approvals') },
}

--- So many of something: `1 call`, `2 calls`.
--- @param one string a key of counts
function M.count(number, one)
  number = tonumber(number) or 0
  return number == 1 and counts[one][1] or counts[one][2]:format(number)
end

local function duration(ms)
  ms = tonumber(ms)
  if not ms or ms < 100 then return '' end
  if ms < 60000 then return t(' %.1f s', ms / 1000) end
  return t(' %d min', ms / 60000)
end

-- way is how long a call has waited for the way to its machine and back, where a person feels it.
local function way(ms)
  ms = tonumber(ms)
  return ms and ms >= 500 and ' · ' .. t('%.1f s on the way', ms / 1000) or ''
end

local longest = 4000 -- bytes of one line of an output: longer ones make every editor slow

-- Page collects lines and marks; `inside` is put before every line.
local Page = {}
Page.__index = Page

local function page(inside) return setmetatable({ lines = {}, marks = {}, inside = inside or '' }, Page) end

-- raw adds a line of a text that is shown as it is.
function Page:raw(text) self.lines[#self.lines + 1] = self.inside .. text end

-- line adds a line that is made here; names of others that are in it are made visible.
function Page:line(text, group)
  self:raw(visible.line(text))
  if group then self:mark(group) end
end

-- mark colours the last line.
function Page:mark(group, from) self.marks[#self.marks + 1] = { row = #self.lines - 1, col = #self.inside + (from or 0), group = group } end

function Page:beside(text, group) self.marks[#self.marks + 1] = { row = #self.lines - 1, col = 0, beside = { { visible.line(text), group } } } end

-- text adds lines of somebody else, as they are; limit keeps the beginning and the end of many.
function Page:text(text, before, group, limit)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then lines[#lines] = nil end
  local left = #lines - (limit or math.huge)
  local from = #self.lines
  for i, line in ipairs(lines) do
    if left > 0 and i == math.floor(limit / 2) + 1 then self.lines[#self.lines + 1] = self.inside .. before .. t('… %s not shown here (%s opens all)', M.count(left, 'line'), config.options.mappings.chat.open or ':AgentArtifact') end
    if left <= 0 or i <= math.floor(limit / 2) or i > #lines - math.ceil(limit / 2) then
      if #line > longest then line = ('%s… (%s)'):format(vim.fn.strcharpart(line:sub(1, longest), 0, longest - 4), M.size(#line)) end
      self.lines[#self.lines + 1] = self.inside .. before .. line
    end
  end
  if group and #self.lines > from then self.marks[#self.marks + 1] = { row = from, last = #self.lines - 1, col = 0, group = group } end
  return left > 0
end

-- preview is what a person reads of a result that was cut: the model was given it wrapped in an object.
local function preview(data)
  if not data.truncated or data.text:sub(1, 1) ~= '{' then return data.text end
  local ok, object = pcall(vim.json.decode, data.text)
  return ok and type(object) == 'table' and type(object.preview) == 'string' and object.preview or data.text
end

local draw = {}

function draw.prompt(p, data)
  local note = data.queued and t('queued') or data.steering and t('sent to the running task') or nil
  local text = data.text ~= '' and data.text or t('(nothing)')
  p:text(text, M.person, 'AgentSidecarPrompt')
  if note then p:beside(note, 'AgentSidecarDim') end
end

function draw.text(p, data)
  local text = table.concat(data.text)
  -- While more can come the lines are what the stream has put there, to the last empty one.
  if data.done then text = text:gsub('\n+$', '') end
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    p:raw(line)
  end
  if data.cut then p:line(t('truncated: %s opens the full text', config.options.mappings.chat.open or ':AgentArtifact'), 'AgentSidecarTruncated') end
end

function draw.reasoning(p, data)
  p:line(t('✻ Thinking'), 'AgentSidecarThought')
  for _, line in ipairs(vim.split(table.concat(data.text), '\n', { plain = true })) do
    p:raw(M.thought .. line)
  end
end

local function argument(p, name, value)
  if type(value) ~= 'string' then value = vim.json.encode(value) end
  if value:find('\n', 1, true) then
    p:line(M.bar .. visible.line(name) .. ':', 'AgentSidecarDim')
    return p:text(value, M.bar .. '  ', 'AgentSidecarOutput', config.options.limits.lines)
  end
  p:line(M.bar .. visible.line(name) .. ': ' .. visible.line(value), 'AgentSidecarDim')
end

local function arguments(p, data)
  if type(data.input) ~= 'table' then return end
  local names = vim.tbl_keys(data.input)
  table.sort(names)
  for _, name in ipairs(names) do
    argument(p, name, data.input[name])
  end
end

local function change_line(change)
  local letter = ({ created = 'A', modified = 'M', deleted = 'D', moved = 'R' })[change.kind] or '?'
  local from = change.from and visible.line(change.from) .. ' → ' or ''
  return ('%s %s%s +%d −%d'):format(letter, from, visible.line(change.path), change.additions or 0, change.deletions or 0)
end

local function changes(p, list, before)
  for _, change in ipairs(list or {}) do
    p:line(before .. change_line(change), 'AgentSidecarChange')
  end
end

--- The changed file that a line of a block names.
function M.change_at(block, text)
  for _, change in ipairs(block and block.data.changes or {}) do
    local line = change_line(change)
    if vim.endswith(text, M.bar .. line) or text == '  ' .. line then return change end
  end
end

function draw.call(p, data, block)
  local state = states[data.status] or { tostring(data.status), 'AgentSidecarDim' }
  local words = state[1] .. (data.truncated and ' ' .. t('truncated') or '') .. duration(data.ms) .. way(data.way)
  if data.activity then words = '… ' .. visible.short(data.activity, 60) end
  if data.by == 'sandbox' then words = words .. ' · ' .. t('in the sandbox') end
  if data.exit and data.exit ~= 0 then words = words .. ' · ' .. t('exit %s', data.exit) end
  if data.ended and data.ended.citations then
    local ok, bad = data.ended.citations.ok or 0, data.ended.citations.bad or 0
    words = ('%s · %s'):format(words, M.count(data.ended.calls, 'call'))
    if ok + bad > 0 then words = words .. ' · ' .. t('%d of %s verified', ok, M.count(ok + bad, 'citation')) end
  end
  p:line(M.head .. visible.short(data.title ~= '' and data.title or data.tool, 200), 'AgentSidecarCall')
  p:beside(' ' .. words, state[2])
  arguments(p, data)
  if data.live then p:text(data.live, M.bar, 'AgentSidecarOutput', 20) end
  if data.text and data.text ~= '' and not (block.path and block.child) then
    p:text(preview(data), M.bar, 'AgentSidecarOutput', config.options.limits.lines)
  end
  changes(p, data.changes, M.bar)
  if data.truncated then
    local artifact = data.artifact
    local size = artifact and (' (%s, %s)'):format(M.size(artifact.bytes), M.count(artifact.lines, 'line')) or ''
    p:line(M.bar .. (artifact and t('truncated: %s opens the full output%s', config.options.mappings.chat.open or ':AgentArtifact', size) or t('truncated')), 'AgentSidecarTruncated')
  end
  if block.path and not block.child then p:line(M.bar .. t('%s shows what %s did', config.options.mappings.chat.follow or '', visible.line(block.path)), 'AgentSidecarDim') end
end

function draw.question(p, data)
  local approval, resolved = data.approval, data.resolved
  if resolved then
    local yes = resolved.decision == 'once' or resolved.decision == 'session' or resolved.decision == 'always'
    p:line(M.asked .. wording.answered(approval, resolved.decision), yes and 'AgentSidecarDone' or 'AgentSidecarDim')
    if resolved.feedback and resolved.feedback ~= '' then p:text(resolved.feedback, M.asked .. '  ', 'AgentSidecarDim', 20) end
    return
  end
  local keys = config.options.mappings.chat
  local risk = wording.risk(approval)
  p:line(M.asked .. (risk == '' and t('needs your answer') or t('needs approval · %s', risk)), 'AgentSidecarQuestion')
  p:line(M.asked .. wording.title(approval), 'AgentSidecarQuestion')
  p:line(M.asked .. visible.line(approval.reason), 'AgentSidecarDim')
  if approval.agentPath and #approval.agentPath > 0 then p:line(M.asked .. t('requested by %s', visible.line(table.concat(approval.agentPath, '/'))), 'AgentSidecarDim') end
  local preview = approval.preview
  if preview and preview.text and preview.text ~= '' then
    for _, line in ipairs(vim.split(visible.text(preview.text), '\n', { plain = true })) do
      local sign = preview.kind == 'diff' and line:sub(1, 1)
      p:line(M.asked .. '  ' .. line, sign == '+' and 'AgentSidecarAdded' or sign == '-' and 'AgentSidecarRemoved' or 'AgentSidecarPreview')
    end
    if preview.artifactId then p:line(M.asked .. '  ' .. t('… cut; %s has all of it', keys.review or ':AgentApprove'), 'AgentSidecarTruncated') end
  end
  for _, rule in ipairs(approval.always or {}) do
    p:line(M.asked .. t('“Always” will allow: %s', wording.rule(rule, approval.domain)), 'AgentSidecarDim')
  end
  p:line(M.asked .. t('%s answers · %s shows all of it · or use a code action in any file', keys.answer or ':AgentApprove', keys.review or ':AgentApprove'), 'AgentSidecarDim')
end

--- What the model asks, and what was answered.
function draw.asked(p, data)
  for i, question in ipairs(data.asked.questions or {}) do
    p:line(M.asked .. visible.line(question.question), data.answered and 'AgentSidecarDim' or 'AgentSidecarQuestion')
    local answer = data.answered and (data.answered.answers or {})[i]
    if answer then
      local words = vim.list_extend({}, answer.choices or {})
      if (answer.text or '') ~= '' then words[#words + 1] = answer.text end
      p:text(#words > 0 and table.concat(words, ', ') or t('not answered'), M.asked .. '  ', 'AgentSidecarDone', 20)
    elseif not data.answered then
      for _, option in ipairs(question.options or {}) do
        p:line(M.asked .. '  ' .. visible.line(option.description and ('%s: %s'):format(option.label, option.description) or option.label), 'AgentSidecarPreview')
      end
    end
  end
  if data.answered then
    if #(data.answered.answers or {}) == 0 then p:line(M.asked .. '  ' .. t('not answered'), 'AgentSidecarDim') end
    return
  end
  p:line(M.asked .. t('%s answers', config.options.mappings.chat.answer or ':AgentAnswer'), 'AgentSidecarDim')
end

local boxes = { completed = '[x]', done = '[x]', in_progress = '[>]', active = '[>]', cancelled = '[-]' }

function draw.plan(p, data)
  p:line(M.plan(data.items), 'AgentSidecarPlan')
  for _, item in ipairs(data.items or {}) do
    p:line(('  %s %s'):format(boxes[item.status] or '[ ]', visible.line(item.text)))
  end
end

--- A plan in a few words.
function M.plan(items)
  local done = 0
  for _, item in ipairs(items or {}) do
    if boxes[item.status] == '[x]' then done = done + 1 end
  end
  return t('Plan %d/%d', done, #(items or {}))
end

function draw.notice(p, data)
  local group = data.severity == 'error' and 'AgentSidecarFailed' or data.severity == 'warning' and 'AgentSidecarQuestion' or 'AgentSidecarDim'
  p:line('· ' .. visible.line(data.text), group)
end

local ends = { end_turn = t('done'), cancelled = t('stopped'), error = t('failed'), max_turns = t('stopped at the turn limit'), max_tokens = t('the answer was cut'), limit = t('stopped at a limit'), doom_loop = t('stopped: it kept repeating itself'), interrupted = t('interrupted'), refusal = t('the model refused') }

function draw.ended(p, data)
  local failed, cause = data.stopReason ~= 'end_turn', failures.cause(data)
  local ending = ends[data.stopReason] or visible.line(data.stopReason)
  -- A stop that comes with a sentence in the person's language says itself that it is one.
  local words = { cause == '' and ending or vim.startswith(cause, t('Stopped')) and cause or t('%s: %s', ending, cause) }
  local files = #(data.changes or {})
  if files > 0 then words[#words + 1] = M.count(files, 'file') end
  if data.usage and (data.usage.inputTokens or 0) + (data.usage.outputTokens or 0) > 0 then words[#words + 1] = t('%s in, %s out', M.tokens(data.usage.inputTokens), M.tokens(data.usage.outputTokens)) end
  local cached, cost = data.usage and data.usage.cachedTokens or 0, data.usage and data.usage.cost
  if cached > 0 and data.usage.inputTokens > 0 then words[#words + 1] = t('%d %% cached', math.floor(100 * cached / data.usage.inputTokens)) end
  if cost then words[#words + 1] = ('%s%.4g %s'):format(cost.estimated and '~' or '', cost.amount, visible.line(cost.currency)) end
  p:line('— ' .. table.concat(words, ' · '), failed and 'AgentSidecarFailed' or 'AgentSidecarDim')
  for _, way in ipairs(failures.ways(data)) do
    p:line('  ' .. way, 'AgentSidecarDim')
  end
  changes(p, data.changes, '  ')
  local detail = failures.detail(data)
  if detail ~= '' then
    local first = #p.lines
    p:line(M.head .. t('details'), 'AgentSidecarDim')
    p:text(visible.text(detail), M.bar, 'AgentSidecarOutput', config.options.limits.lines)
    p.folded = { first, #p.lines - 1 }
  end
end

function draw.summary(p, data)
  if data.ok == false then
    p:line('· ' .. t('The conversation could not be summarised: %s', visible.line(data.reason)), 'AgentSidecarFailed')
  else
    p:line('· ' .. t('The conversation was summarised: %s → %s tokens', M.tokens(data.before), M.tokens(data.after)), 'AgentSidecarDim')
    p:text(data.summary or '', M.bar, 'AgentSidecarOutput', config.options.limits.lines)
  end
end

function draw.more(p, data)
  local left, key = tonumber(data.left) or 0, config.options.mappings.chat.follow or ''
  local words = left == 1 and t('… 1 earlier event: %s reads it', key) or t('… %d earlier events: %s reads them', left, key)
  p:line(data.loading and t('… reading the earlier conversation') or words, 'AgentSidecarTruncated')
end

--- @param block agent_sidecar.Block
--- @return string[] lines
--- @return table[] marks
function M.of(block)
  if block.removed then return {}, {} end
  local p = page(M.bar:rep(block.depth))
  if block.gap then p.lines[1] = '' end
  local before = #p.lines
  draw[block.kind](p, block.data, block)
  if #p.lines == before then p:line('') end
  block.folded = p.folded
  for i, line in ipairs(p.lines) do
    -- A line cannot hold a line break; everything else is shown as Neovim shows it.
    if line:find('\n', 1, true) then p.lines[i] = line:gsub('\n', ' ') end
  end
  return p.lines, p.marks
end

--- How deep a line of a block is folded: 0 is not at all, '>1' begins a fold. The block has been drawn.
--- @param block agent_sidecar.Block
--- @param offset integer of the line in its block
function M.fold(block, offset)
  local kind, depth = block.kind, block.depth
  if block.gap and offset == 0 then return 0 end
  local first = offset == (block.gap and 1 or 0)
  local folded = block.folded
  if folded and offset >= folded[1] and offset <= folded[2] then return offset == folded[1] and '>' .. (depth + 1) or depth + 1 end
  if kind == 'call' or kind == 'reasoning' or kind == 'summary' then return first and '>' .. (depth + 1) or depth + 1 end
  return depth
end

return M
