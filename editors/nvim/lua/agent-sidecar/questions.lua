-- What the model asks the person of a project, and how it is answered here: from a list, or in one's own words. Nothing pops up: a
-- message and the chat say that there is a question. An answer is text for the model and allows nothing.
local Questions = {}
Questions.__index = Questions

local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')
local visible = require('agent-sidecar.visible')

function Questions.new(project) return setmetatable({ project = project, open = {}, order = {} }, Questions) end

function Questions:add(asked)
  local id = asked.questionId
  if self.open[id] then return end
  self.open[id] = asked
  self.order[#self.order + 1] = id
  vim.api.nvim_exec_autocmds('User', { pattern = 'AgentSidecarAsked', modeline = false, data = { questionId = id } })
  local first = asked.questions and asked.questions[1] or {}
  -- Short enough for one line: a message of two stops Neovim until a key is pressed.
  self.project.tell(visible.short(first.question or '', math.max(20, vim.o.columns - 50)) .. ' (:AgentAnswer)', vim.log.levels.WARN)
end

function Questions:resolve(data)
  if not self.open[data.questionId] then return end
  self.open[data.questionId] = nil
  self.order = vim.tbl_filter(function(other) return other ~= data.questionId end, self.order)
end

function Questions:clear()
  self.open, self.order = {}, {}
end

local function send(self, asked, params)
  if not self.open[asked.questionId] then return self.project.tell(t('these questions were answered elsewhere')) end
  params.questionId = asked.questionId
  self.project:ask('agent/answer', params, function(result)
    if result.status ~= 'applied' then self.project.tell(t('these questions were answered elsewhere')) end
  end)
end

-- choose asks one question; done gets its answer, or nil where the person has left it.
local function choose(asked, i, done)
  local question = asked.questions[i]
  local prompt = #asked.questions > 1 and ('(%d/%d) %s'):format(i, #asked.questions, question.question) or question.question
  local function words()
    output.input({ prompt = prompt .. ' ' }, function(text)
      if text == nil then return done(nil) end
      done({ choices = {}, text = vim.trim(text) })
    end)
  end
  if #(question.options or {}) == 0 then return words() end
  local chosen = {}
  local function pick()
    local items = {}
    for _, option in ipairs(question.options) do
      if not vim.tbl_contains(chosen, option.label) then
        items[#items + 1] = { label = option.label, text = option.description and ('%s: %s'):format(option.label, option.description) or option.label }
      end
    end
    if #chosen > 0 then table.insert(items, 1, { finished = true, text = t('Done: %s', table.concat(chosen, ', ')) }) end
    if #chosen == 0 then
      items[#items + 1] = { words = true, text = t('In your own words…') }
      items[#items + 1] = { skip = true, text = t('Skip this question') }
    end
    output.choose(items, { prompt = prompt, kind = 'agent-sidecar.question', format_item = function(item) return item.text end }, function(item)
      if not item then return done(nil) end
      if item.words then return words() end
      if item.skip then return done({ choices = {} }) end
      if item.label then chosen[#chosen + 1] = item.label end
      if item.label and question.multiple and #chosen < #question.options then return pick() end
      done({ choices = chosen })
    end)
  end
  pick()
end

--- Asks a person one question after the other. Leaving one leaves all of them open.
function Questions:ask(asked)
  local answers = {}
  local function next_one()
    local i = #answers + 1
    if i <= #asked.questions then
      return choose(asked, i, function(answer)
        if not answer then return end
        answers[i] = answer
        vim.schedule(next_one)
      end)
    end
    local some = vim.tbl_contains(vim.tbl_map(function(a) return #a.choices > 0 or (a.text or '') ~= '' end, answers), true)
    send(self, asked, some and { answers = answers } or { dismiss = true })
  end
  next_one()
end

--- `:AgentAnswer`: the questions with that id, or the oldest. With `!` they are closed without an answer.
function Questions:command(id, bang)
  local asked = self.open[id or self.order[1]]
  if not asked then return self.project.tell(t('the agent asks nothing')) end
  if bang then return send(self, asked, { dismiss = true }) end
  self:ask(asked)
end

return Questions
