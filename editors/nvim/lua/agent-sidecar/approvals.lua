-- The questions of a project that are open, and how a person answers them here. The sidecar says what is asked, in which words,
-- and which answers there are; an answer goes with the digest of what was shown. Nothing but a choice of a person is a yes.
local Approvals = {}
Approvals.__index = Approvals

local config = require('agent-sidecar.config')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local review = require('agent-sidecar.review')
local visible = require('agent-sidecar.visible')
local wording = require('agent-sidecar.wording')

local last_key = 0

--- Notes when a key was pressed: a question does not pop up under somebody's fingers.
function Approvals.watch_keys()
  vim.on_key(function() last_key = vim.uv.now() end, vim.api.nvim_create_namespace('agent-sidecar.keys'))
end

function Approvals.new(project) return setmetatable({ project = project, open = {}, order = {} }, Approvals) end

function Approvals:list()
  return vim.tbl_map(function(id) return self.open[id] end, self.order)
end

function Approvals:add(approval)
  local id = approval.approvalId
  if self.open[id] then return end
  self.open[id] = approval
  self.order[#self.order + 1] = id
  vim.api.nvim_exec_autocmds('User', { pattern = 'AgentSidecarQuestion', modeline = false, data = { approvalId = id, title = approval.title } })
  if config.options.approvals.popup then
    self:popup()
  else
    -- Short enough for one line: a message of two stops Neovim until a key is pressed.
    self.project.tell(visible.short(wording.title(approval), math.max(20, vim.o.columns - 50)) .. ' (:AgentApprove)', vim.log.levels.WARN)
  end
end

function Approvals:resolve(data)
  local id = data.approvalId
  if not self.open[id] then return end
  self.open[id] = nil
  self.order = vim.tbl_filter(function(other) return other ~= id end, self.order)
  if self.asking == id then self.asking = nil end
  review.close(self.project, id)
end

function Approvals:clear()
  local order = self.order
  self.open, self.order, self.asking = {}, {}, nil
  for _, id in ipairs(order) do
    review.close(self.project, id)
  end
end

-- popup shows the oldest question that was not shown yet, when nobody types. It asks nothing: the review opens beside what somebody
-- works on, takes no key from there and hides nothing of itself, as Neovim's own list of choices would. Answering is going there.
function Approvals:popup()
  if not config.options.approvals.popup or self.asking or self.timer or review.shown() then return end
  local idle = config.options.approvals.idle_ms - (vim.uv.now() - last_key)
  local calm = idle <= 0 and vim.fn.mode(1) == 'n' and vim.fn.getcmdwintype() == ''
  local approval
  for _, each in ipairs(self:list()) do
    if not each.shown then
      approval = each
      break
    end
  end
  if not approval then return end
  if not calm then
    self.timer = true
    vim.defer_fn(function()
      self.timer = nil
      self:popup()
    end, math.max(idle, 250))
    return
  end
  self:review(approval, false)
end

--- Opens the review of a question.
--- @param enter boolean whether the cursor goes there
function Approvals:review(approval, enter)
  approval.shown = true
  self.asking = approval.approvalId
  review.open(self.project, approval, enter, function()
    if self.asking == approval.approvalId then self.asking = nil end
  end)
end

-- small says that the title of a select can show all that a yes allows.
local function small(approval)
  local preview = approval.preview or {}
  local text = preview.text or ''
  -- A title is cut where it is long, and names one thing.
  if text == '' and (vim.endswith(approval.title or '', '…') or #(approval.targets or {}) > 1) then return false end
  return preview.kind ~= 'diff' and #text <= 240 and not vim.trim(text):find('\n.*\n') and not preview.artifactId
end

local function has(approval, decision) return vim.tbl_contains(approval.decisions or {}, decision) end

local usual = { reject = t('Reject'), once = t('Allow once'), session = t('Allow for this session'), always = t('Always allow') }

-- planned are the answers to a plan: sent back with words, or carried out in one of two modes once it was seen.
local function planned(approval, reviewed)
  local list = { { label = t('Keep planning…'), decision = 'reject', reason = true } }
  if not reviewed then
    table.insert(list, 1, { label = t('Show all of it'), review = true })
  elseif has(approval, 'once') then
    list[#list + 1] = { label = t('Accept the plan'), decision = 'once', mode = 'agent' }
    list[#list + 1] = { label = t('Accept it, and ask before each edit'), decision = 'once', mode = 'ask' }
  end
  return list
end

-- named are the answers of a question that brings its own words for them: a no first, and nothing that those words do not say.
local function named(approval, reviewed)
  local list = {}
  for _, decision in ipairs({ 'reject', 'once', 'session', 'always' }) do
    if has(approval, decision) and (reviewed or decision == 'reject') then
      list[#list + 1] = { label = wording.label(approval, decision) or usual[decision], decision = decision }
    end
  end
  if not reviewed then table.insert(list, 1, { label = t('Show all of it'), review = true }) end
  return list
end

-- choices are what can be answered; the first is never a yes.
local function choices(approval, reviewed)
  if approval.domain == 'plan' then return planned(approval, reviewed) end
  for _, decision in ipairs(approval.decisions or {}) do
    if wording.label(approval, decision) then return named(approval, reviewed) end
  end
  local list = { { label = t('Review'), review = true } }
  if has(approval, 'reject') then
    list[#list + 1] = { label = usual.reject, decision = 'reject' }
    if approval.domain ~= 'config' then list[#list + 1] = { label = t('Reject with a reason…'), decision = 'reject', reason = true } end -- no model reads it there
    if approval.runId and approval.runId ~= '' then list[#list + 1] = { label = t('Reject and stop the run'), decision = 'reject', interrupt = true } end
  end
  if not reviewed then return list end
  local input, why = require('agent-sidecar.proposal').changed(approval)
  if input or why then -- what is stored by another yes is the model's own text
    list[#list + 1] = { label = t('Allow once, with your changes'), decision = 'once', editedInput = input, why = why }
    list[#list + 1] = { label = t('Allow once, as the agent wrote it'), decision = 'once' }
    return list
  end
  if has(approval, 'once') then list[#list + 1] = { label = usual.once, decision = 'once' } end
  if has(approval, 'session') then list[#list + 1] = { label = usual.session, decision = 'session' } end
  if has(approval, 'always') then
    for _, rule in ipairs(approval.always or {}) do
      list[#list + 1] = { label = t('Always allow: %s', wording.rule(rule, approval.domain)), decision = 'always', always = rule.id }
    end
    if #(approval.always or {}) == 0 then list[#list + 1] = { label = usual.always, decision = 'always' } end
  end
  return list
end

local function question(approval)
  local words = { wording.title(approval), visible.line(approval.reason), wording.risk(approval) }
  local preview = approval.preview
  local text = preview and preview.text and visible.line(vim.trim(preview.text)) or ''
  if small(approval) and not words[1]:find(text, 1, true) then table.insert(words, 2, text) end
  return t('Agent: %s', table.concat(vim.tbl_filter(function(word) return word ~= '' end, words), ' · '))
end

--- Asks a person with vim.ui.select. `reviewed` says that the whole is on the screen already.
function Approvals:ask(approval, reviewed)
  approval.shown = true
  self.asking = approval.approvalId
  local list = choices(approval, reviewed or small(approval))
  output.choose(list, {
    prompt = question(approval),
    kind = 'agent-sidecar.approval',
    format_item = function(choice) return choice.label end,
  }, function(choice)
    self.asking = nil
    vim.schedule(function() self:popup() end)
    if not choice then return end
    if not self.open[approval.approvalId] then return self.project.tell(t('this approval was answered elsewhere')) end
    if choice.why then return self.project.tell(choice.why, vim.log.levels.WARN) end
    if choice.review then
      self:review(approval, true)
    elseif choice.reason then
      output.input({ prompt = t('Why not? (the agent reads it) ') }, function(text)
        if text ~= nil then self:answer(approval, { decision = 'reject', feedback = text }) end
      end)
    else
      self:answer(approval, choice)
    end
  end)
end

--- Answers a question. What is answered is what was shown: the digest says so.
function Approvals:answer(approval, choice, done)
  local params = {
    approvalId = approval.approvalId,
    decision = choice.decision,
    digest = approval.digest,
    always = choice.always,
    mode = choice.mode,
    feedback = choice.feedback,
    interrupt = choice.interrupt,
    editedInput = choice.editedInput,
  }
  local proposal = require('agent-sidecar.proposal')
  if choice.editedInput then proposal.sending(approval) end
  self.project:ask('agent/approve', params, function(result)
    local tell = self.project.tell
    if result.status ~= 'stale' then proposal.taken(approval) end
    if result.status == 'already_resolved' then tell(t('this approval was answered elsewhere')) end
    if result.status == 'not_found' then tell(t('this approval is no longer pending')) end
    if result.status == 'stale' then tell(t('what was asked about has changed: nothing ran, and there is a new question'), vim.log.levels.WARN) end
    if result.rule then tell(t('always allowed from now on: %s', result.rule.pattern and wording.rule(result.rule, result.rule.domain) or choice.label)) end
    if done then done(result) end
  end)
end

--- `:AgentApprove`: the question with that id, the one whose review is on the screen, or the oldest. What does not fit into a line
--- is shown first; asked again, it is answered.
function Approvals:command(id)
  local shown, root = review.shown()
  if root ~= self.project.root then shown = nil end
  local approval = self.open[id or shown or self.order[1]]
  if not approval then return self.project.tell(id and t('there is no such pending approval') or t('no approvals are pending')) end
  if small(approval) or shown == approval.approvalId then return self:ask(approval, true) end
  self:review(approval, true)
end

return Approvals
