-- The whole of what a question asks about, in a split: the two sides of a changed file in diff mode where the sidecar gives them
-- as documents, else the text of the preview. It stays as long as its question is open; how to answer is written over it.
local M = {}

local client = require('agent-sidecar.client')
local config = require('agent-sidecar.config')
local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local scratch = require('agent-sidecar.scratch')
local visible = require('agent-sidecar.visible')
local wording = require('agent-sidecar.wording')

local open = {} --- @type table<string, {id: string, root: string, wins: table<integer, integer>}> by project and approval; a buffer by its window

local function key(project, id) return project.root .. ' ' .. id end

-- holds says whether a window still shows its part: somebody may have gone to another file in it.
local function holds(win, buf) return vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf end

--- Takes the windows of a review away. The last window of Neovim stays, with an empty buffer.
function M.close(project, id)
  local review = open[key(project, id)]
  open[key(project, id)] = nil
  for win, buf in pairs(review and review.wins or {}) do
    if holds(win, buf) then vim.api.nvim_win_call(win, scratch.leave) end
  end
end

--- The question whose review is on the screen in this tab, all of it.
--- @return string? id
--- @return string? root
function M.shown()
  local tab = vim.api.nvim_get_current_tabpage()
  for _, review in pairs(open) do
    local whole = true
    for win, buf in pairs(review.wins) do whole = whole and holds(win, buf) and vim.api.nvim_win_get_tabpage(win) == tab end
    if whole then return review.id, review.root end
  end
end

-- dress names the keys over the windows of a review and sets them. None of them is a yes: what answers opens the list of answers.
local function dress(project, approval, wins, names)
  local id, answer = approval.approvalId, config.options.mappings.chat.answer
  local review = { id = id, root = project.root, wins = {} }
  open[key(project, id)] = review
  for i, win in ipairs(wins) do
    local buf = vim.api.nvim_win_get_buf(win)
    review.wins[win] = buf
    local function map(lhs, what, desc) vim.keymap.set('n', lhs, what, { buffer = buf, nowait = true, desc = 'agent-sidecar: ' .. desc }) end
    map('q', function() M.close(project, id) end, t('close the review'))
    if answer then map(answer, function() project.approvals:command(id) end, t('answer')) end
    vim.b[buf].agent_sidecar_review = id
    output.bar(win, buf, t(' %s answers · q closes%s', answer or ':AgentApprove', names[i] ~= '' and ' · ' .. names[i] or ''))
    -- The next question has its turn when this one is out of the way, answered or not.
    vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = function()
      vim.schedule(function()
        for _, other in pairs(require('agent-sidecar.project').all) do other.approvals:popup() end
      end)
    end })
  end
end

-- text shows a preview as it came: a diff, a command with the verdict of each part, or words.
local function text(project, approval, whole, enter)
  local preview = approval.preview or {}
  local lines = { '# ' .. wording.title(approval), '# ' .. visible.line(approval.reason) }
  for _, target in ipairs(approval.targets or {}) do
    lines[#lines + 1] = '# ' .. wording.object(target)
  end
  lines[#lines + 1] = ''
  vim.list_extend(lines, vim.split(visible.text(whole or preview.text or ''), '\n', { plain = true }))
  for _, rule in ipairs(approval.always or {}) do
    lines[#lines + 1] = '# ' .. t('“Always” will allow: %s', wording.rule(rule, approval.domain))
  end
  local buf = scratch.buffer(project.root, 'agent-review:/' .. approval.approvalId, lines, { filetype = preview.kind == 'diff' and 'diff' or nil, wipe = true })
  local win = scratch.split(buf, { enter = enter, height = math.max(8, #lines + 2) })
  dress(project, approval, { win }, { wording.risk(approval) })
end

-- sides shows the documents before and after in diff mode.
local function sides(project, approval, document, before, after, enter)
  local function split(content) return vim.split((content:gsub('\n$', '')), '\n', { plain = true }) end
  local filetype = document.path and vim.filetype.match({ filename = document.path }) or nil
  local left = scratch.buffer(project.root, document.before or ('agent-diff:before/' .. approval.approvalId), split(before), { filetype = filetype, wipe = true })
  local right = scratch.buffer(project.root, document.after or ('agent-diff:after/' .. approval.approvalId), split(after), { filetype = filetype, wipe = true })
  local written = require('agent-sidecar.proposal').editable(approval) and not after:find('%z')
  local first = scratch.split(right, { enter = enter })
  local second = scratch.split(left, { where = 'left', win = first, enter = enter })
  for _, win in ipairs({ first, second }) do
    vim.api.nvim_win_call(win, function() vim.cmd.diffthis() end)
    vim.wo[win][0].foldenable = false
  end
  local names = { t('as it would be: %s', visible.line(document.path)), t('as it is') }
  if written then
    names[1] = t('as it would be, change it here: %s', visible.line(document.path))
    require('agent-sidecar.proposal').open(right, approval, before, after, function() project.approvals:command(approval.approvalId) end)
  end
  dress(project, approval, { first, second }, names)
end

local function content(project, uri, done)
  if not uri then return done('') end
  client.request(project:client(), 'workspace/textDocumentContent', { textDocument = { uri = uri }, uri = uri }, function(err, result)
    done(not err and result and result.text or nil)
  end)
end

--- Opens the review of a question, and calls done when that is over.
--- @param enter boolean whether the cursor goes there: a review that comes by itself takes no key from anybody
--- @param done fun()?
function M.open(project, approval, enter, done)
  local function show(how, ...)
    -- What it is about was read meanwhile, and the question may be answered.
    if project.approvals.open[approval.approvalId] then
      M.close(project, approval.approvalId)
      how(project, approval, ...)
    end
    if done then done() end
  end
  local preview = approval.preview or {}
  -- All of it, also where its event has only the beginning.
  local function words()
    if not preview.artifactId then return show(text, nil, enter) end
    require('agent-sidecar.artifacts').read(project, { artifactId = preview.artifactId }, function(whole) show(text, whole, enter) end, done)
  end
  local documents = preview.documents
  local document = type(documents) == 'table' and (vim.islist(documents) and documents[1] or documents)
  if preview.kind == 'diff' and document and (not vim.islist(documents) or #documents == 1) then
    return content(project, document.before, function(before)
      content(project, document.after, function(after)
        if not before or not after then return words() end
        show(sides, document, before, after, enter)
      end)
    end)
  end
  words()
end

return M
