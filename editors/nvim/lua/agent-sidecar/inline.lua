-- An edit at the cursor: some lines and some words are one run of a session of its own. A mark says that it is at work; what came of
-- it is marked piece by piece. Its calls are judged like any others.
local M = {}

local documents = require('agent-sidecar.documents')
local output = require('agent-sidecar.output')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local space = vim.api.nvim_create_namespace('agent-sidecar-inline')
local most = 64 * 1024 -- bytes of the lines: more than the sidecar ever shows

-- For the model, beside its usual words.
local rules = table.concat({
  'This is an edit at one place of a file: change what is asked, at the lines that are linked and where it is needed for that,',
  'with as few calls as possible. Answer in one short sentence.',
}, ' ')

local going = {} --- @type table[] {project, buf, mark, session}

local function over(g)
  going = vim.tbl_filter(function(other) return other ~= g end, going)
  if vim.api.nvim_buf_is_valid(g.buf) then vim.api.nvim_buf_del_extmark(g.buf, space, g.mark) end
end

local function run(g, words, first, last, report)
  local project, buf = g.project, g.buf
  local client = project:client()
  local encoding = client and client.offset_encoding or 'utf-16'
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), '\n'):sub(1, most)
  local place = { type = 'resource_link', uri = vim.uri_from_bufnr(buf), text = text ~= '' and text or nil, range = {
    start = documents.position(buf, first - 1, 0, encoding), ['end'] = documents.position(buf, last - 1, math.huge, encoding),
  } }
  local function failed(err)
    over(g)
    project.tell(err.message, vim.log.levels.ERROR)
  end
  local mode = (project.mode == 'ask' or project.mode == 'agent') and project.mode or nil
  local wanted = { agent = 'build', mode = mode, model = project.model }
  wanted.title = t('Edit: %s', visible.short(words, 60))
  local asked = { type = 'text' }
  asked.text = words
  project:ask('agent/session/new', wanted, function(made)
    g.session = made.session.id
    require('agent-sidecar.hunks').follow(project, g.session)
    if g.stopped then return over(g) end
    project:ask('agent/run', { sessionId = g.session, prompt = { asked, place, report }, system = rules, await = true }, function(done)
      over(g)
      local said = visible.short(done.message or done.text or '', 300)
      if done.stopReason == 'end_turn' or done.stopReason == 'cancelled' then
        if #(done.changes or {}) == 0 and done.stopReason == 'end_turn' then project.tell(said ~= '' and said or t('the agent has changed nothing')) end
      else
        project.tell(t('the edit did not come to its end: %s', said), vim.log.levels.WARN)
      end
    end, failed)
  end, failed)
end

--- Gives lines of the current buffer to the agent with some words; without words they are asked for.
--- @param words string
--- @param first integer
--- @param last integer
--- @param report? table what goes along that somebody else has written
function M.edit(project, words, first, last, report)
  local buf = vim.api.nvim_get_current_buf()
  if vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then return project.tell(t('open a file first')) end
  local function go(text)
    text = vim.trim(text or '')
    if text == '' or not vim.api.nvim_buf_is_loaded(buf) then return end
    last = math.min(last, vim.api.nvim_buf_line_count(buf))
    first = math.min(first, last)
    local mark = vim.api.nvim_buf_set_extmark(buf, space, first - 1, 0, { end_row = last - 1, line_hl_group = 'Visual', virt_text = { { '  ' .. t('the agent is editing… :AgentStop stops it'), 'AgentSidecarRunning' } } })
    local g = { project = project, buf = buf, mark = mark }
    going[#going + 1] = g
    run(g, text, first, last, report)
  end
  if words ~= '' then return go(words) end
  output.input({ prompt = t('What should change here? ') }, go)
end

--- Gives the first problem of a line to the agent. Its words come from others: they go beside the prompt and are no part of it.
function M.fix(project, line)
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = line - 1 })) do
    if d.source ~= 'agent' then
      local by = vim.trim(('%s %s'):format(d.source or '', d.code or ''))
      local report = { type = 'resource_link', uri = 'editor:/problem.txt', text = ((by ~= '' and by .. ': ' or '') .. d.message):sub(1, 2000) }
      return M.edit(project, ('Fix this problem in line %d.'):format(line), d.lnum + 1, math.max(d.end_lnum or d.lnum, d.lnum) + 1, report)
    end
  end
  project.tell(t('this line has no problem'))
end

--- Stops the edits of the current buffer.
--- @return boolean whether there was one
function M.stop()
  local found = false
  for _, g in ipairs(going) do
    if g.buf == vim.api.nvim_get_current_buf() then
      found, g.stopped = true, true
      if g.session then g.project:ask('agent/cancel', { sessionId = g.session }) end
    end
  end
  return found
end

return M
