-- The whole of what a question asks about, in a split: the two sides of a changed file in diff mode where the sidecar gives them
-- as documents, else the text of the preview.
local M = {}

local client = require('agent-sidecar.client')
local scratch = require('agent-sidecar.scratch')
local visible = require('agent-sidecar.visible')

local open = {} --- @type table<string, integer[]> windows by approval

local function remember(id, wins)
  open[id] = wins
  for _, win in ipairs(wins) do
    vim.w[win].agent_sidecar_review = id
  end
end

--- Takes the windows of a review away: its question is not open any more.
function M.close(id)
  for _, win in ipairs(open[id] or {}) do
    if vim.api.nvim_win_is_valid(win) and vim.w[win].agent_sidecar_review == id and #vim.api.nvim_list_wins() > 1 then
      pcall(vim.api.nvim_win_close, win, true)
    end
  end
  open[id] = nil
end

-- text shows a preview as it came: a diff, a command with the verdict of each part, or words.
local function text(approval, whole)
  local preview = approval.preview or {}
  local lines = { '# ' .. visible.line(approval.title), '# ' .. visible.line(approval.reason) }
  for _, target in ipairs(approval.targets or {}) do
    lines[#lines + 1] = '# ' .. visible.line(target)
  end
  lines[#lines + 1] = ''
  vim.list_extend(lines, vim.split(visible.text(whole or preview.text or ''), '\n', { plain = true }))
  for _, rule in ipairs(approval.always or {}) do
    lines[#lines + 1] = ('# always would store: %s'):format(visible.line(rule.pattern))
  end
  local buf = scratch.buffer('agent-review:/' .. approval.approvalId, lines, { filetype = preview.kind == 'diff' and 'diff' or nil, wipe = true })
  local win = scratch.split(buf)
  remember(approval.approvalId, { win })
end

-- sides shows the documents before and after in diff mode.
local function sides(approval, document, before, after)
  local function split(content) return vim.split((content:gsub('\n$', '')), '\n', { plain = true }) end
  local filetype = document.path and vim.filetype.match({ filename = document.path }) or nil
  local left = scratch.buffer(document.before or ('agent-diff:before/' .. approval.approvalId), split(before), { filetype = filetype, wipe = true })
  local right = scratch.buffer(document.after or ('agent-diff:after/' .. approval.approvalId), split(after), { filetype = filetype, wipe = true })
  local first = scratch.split(right)
  local second = scratch.split(left, 'left', first)
  for _, win in ipairs({ first, second }) do
    vim.api.nvim_win_call(win, function() vim.cmd.diffthis() end)
    vim.wo[win][0].foldenable = false
  end
  remember(approval.approvalId, { first, second })
end

local function content(project, uri, done)
  if not uri then return done('') end
  client.request(project:client(), 'workspace/textDocumentContent', { textDocument = { uri = uri }, uri = uri }, function(err, result)
    done(not err and result and result.text or nil)
  end)
end

--- Opens the review of a question, and calls done when it is on the screen.
--- @param done fun()
function M.open(project, approval, done)
  M.close(approval.approvalId)
  local preview = approval.preview or {}
  local function shown()
    vim.cmd.redraw()
    vim.schedule(done)
  end
  -- All of it, also where its event has only the beginning.
  local function words()
    if not preview.artifactId then
      text(approval)
      return shown()
    end
    require('agent-sidecar.artifacts').read(project, { artifactId = preview.artifactId }, function(whole)
      text(approval, whole)
      shown()
    end)
  end
  local documents = preview.documents
  local document = type(documents) == 'table' and (vim.islist(documents) and documents[1] or documents)
  if preview.kind == 'diff' and document and (not vim.islist(documents) or #documents == 1) then
    return content(project, document.before, function(before)
      content(project, document.after, function(after)
        if not before or not after then return words() end
        sides(approval, document, before, after)
        shown()
      end)
    end)
  end
  words()
end

return M
