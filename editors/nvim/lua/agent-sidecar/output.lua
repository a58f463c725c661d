-- What a person is shown outside of the lines of a chat: messages, lists to choose from, questions for a line of text, names of
-- buffers, bars. Any of it can have a piece that a model, a server, a file or a session has named, so it is made visible here, once,
-- and no other file calls Neovim's own functions for it.
local M = {}

local visible = require('agent-sidecar.visible')

local longest = 2000 -- cells of a message

--- A message.
--- @param text any
--- @param level integer? of vim.log.levels
function M.tell(text, level) vim.notify('agent-sidecar: ' .. visible.short(text, longest), level or vim.log.levels.INFO) end

--- Asks a person to choose, with vim.ui.select, whoever it is by. CTRL-C in Neovim's own is an error there; it is no choice.
--- @param items any[]
--- @param options table as vim.ui.select takes them
--- @param done fun(choice: any?)
function M.choose(items, options, done)
  local answered
  local label = options.format_item or tostring
  local shown = vim.tbl_extend('force', options, {
    prompt = visible.line(options.prompt),
    format_item = function(item) return visible.line(label(item)) end,
  })
  local ok, err = pcall(vim.ui.select, items, shown, function(choice)
    answered = true
    done(choice)
  end)
  if ok then return end
  if answered or not tostring(err):find('Keyboard interrupt', 1, true) then error(err, 0) end
  done(nil)
end

--- Asks a person for a line of text; done gets nil where there is none.
--- @param options {prompt: string, default: string?}
--- @param done fun(text: string?)
function M.input(options, done) vim.ui.input({ prompt = visible.line(options.prompt), default = options.default and visible.line(options.default) or nil }, done) end

--- Asks for a word that is not shown while it is typed, and not remembered; nil where there is none.
--- @return string?
function M.secret(prompt)
  local ok, text = pcall(vim.fn.inputsecret, visible.line(prompt))
  return ok and text or nil
end

--- Names a buffer; false where another one has the name.
--- @return boolean
function M.name(buf, name) return (pcall(vim.api.nvim_buf_set_name, buf, visible.line(name))) end

--- Sets the bar over a window that shows a buffer. The text is read by %{}, which finds no instruction in it.
function M.bar(win, buf, text)
  vim.b[buf].agent_sidecar_bar = visible.line(text)
  vim.wo[win][0].winbar = "%{get(b:,'agent_sidecar_bar','')}%<"
end

--- Those of some names that can be completed: what is not shown as it is, is not offered.
--- @param names string[]
--- @param lead string what they begin with
--- @return string[]
function M.completions(names, lead)
  return vim.tbl_filter(function(name) return vim.startswith(name, lead) and visible.line(name) == name end, names)
end

return M
