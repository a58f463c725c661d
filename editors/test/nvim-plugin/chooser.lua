-- A person who chooses from lists, for the specs: what they want, what they are offered and told, and a project without a process.
local Project = require('agent-sidecar.project')
local client = require('agent-sidecar.client')
local config = require('agent-sidecar.config')

local Chooser = {}
Chooser.__index = Chooser

-- want is the entry that they choose, or how its label begins; without one they close the list.
function Chooser.new()
  config.set({})
  local person = setmetatable({ told = {}, requests = {}, select = vim.ui.select, notify = vim.notify, request = client.request }, Chooser)
  vim.notify = function(text) person.told[#person.told + 1] = text end
  vim.ui.select = function(items, options, done)
    person.labels, person.prompt = vim.tbl_map(options.format_item, items), options.prompt
    for i, label in ipairs(person.labels) do
      if person.want and (items[i] == person.want or vim.startswith(label, person.want)) then return done(items[i]) end
    end
    done(nil)
  end
  return person
end

function Chooser:leave()
  vim.ui.select, vim.notify, client.request = self.select, self.notify, self.request
  vim.cmd('silent! only')
end

-- project is a real one: answer(method, params) is what the sidecar would say, nil for nothing.
function Chooser:project(answer)
  local p = Project.get('/chooser' .. vim.uv.hrtime())
  local function ask(method, params, done)
    self.requests[#self.requests + 1] = { method, params }
    local result = answer(method, params)
    if result and done then done(result) end
  end
  p.client = function() return { initialized = true } end
  p.ask = function(_, method, params, done) ask(method, params, done) end
  client.request = function(_, method, params, done)
    ask(method, params, function(result) done(nil, result) end)
  end
  return p
end

-- inside makes a session the one that is looked at.
function Chooser.inside(p, session)
  local conversation = p:conversation('0001')
  conversation:know(vim.tbl_extend('force', { id = '0001', runtimeMode = 'local' }, session or {}))
  p.current = '0001'
  return conversation
end

return Chooser
