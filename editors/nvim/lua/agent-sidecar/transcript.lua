-- The events of one session, folded into blocks: what there is to show, in order. It draws nothing and asks nothing; a view
-- takes what was touched since it last looked. Blocks are a list in which each knows its neighbours, because what a sub-agent
-- does goes below its call, wherever the end of the conversation is by then.
local lines = require('agent-sidecar.lines')
local locale = require('agent-sidecar.locale')

local Transcript = {}
Transcript.__index = Transcript

--- @class agent_sidecar.Block
--- @field kind string prompt, text, reasoning, call, question, plan, notice, ended, summary, more
--- @field depth integer 0: of the session itself
--- @field data table what it shows
--- @field tail string[] text that was added since a view last looked
--- @field prev agent_sidecar.Block?
--- @field next agent_sidecar.Block?
--- @field gap boolean an empty line stands before it
--- @field dirty boolean

function Transcript.new()
  local self = setmetatable({
    first = nil, --- @type agent_sidecar.Block?
    last = nil, --- @type agent_sidecar.Block?
    touched = {}, --- @type agent_sidecar.Block[]
    known = {}, --- @type table<string, agent_sidecar.Block> by kind and id
    seq = 0, -- the last durable event of the session itself
    state = 'idle', -- of the last run.state
    detail = nil, --- @type string?
    usage = nil, --- @type table?
    plan = nil, --- @type table[]?
    run = nil, --- @type string? the last run
    session = {}, -- what session.opened and session.changed said: title, agent, model, mode
    live = false, -- whether a run is at work
    spoken = 0, -- runs that ended, for whoever waits
  }, Transcript)
  return self
end

function Transcript:touch(block)
  if not block.dirty then
    block.dirty = true
    self.touched[#self.touched + 1] = block
  end
end

--- What was touched, in order; a view takes it once.
--- @return agent_sidecar.Block[]
function Transcript:take()
  local touched = self.touched
  self.touched = {}
  return touched
end

-- joined says that no empty line stands between two blocks: calls are a list.
local function joined(prev, kind)
  if not prev then return true end
  return (kind == 'call' or kind == 'notice') and (prev.kind == 'call' or prev.kind == 'notice')
end

--- Adds a block: at the end, or below everything of its parent.
--- @return agent_sidecar.Block
function Transcript:add(kind, key, data, parent)
  local block = { kind = kind, key = key, data = data, depth = parent and parent.depth + 1 or 0, tail = {}, parent = parent }
  local prev = self.last
  if parent then
    prev = parent.child or parent
    while prev.next and prev.next.depth > parent.depth do prev = prev.next end
    parent.child = block
  end
  block.prev, block.next = prev, prev and prev.next or nil
  if prev then prev.next = block else self.first = block end
  if block.next then block.next.prev = block else self.last = block end
  block.gap = block.depth == 0 and not joined(prev, kind)
  if key then self.known[kind .. ' ' .. key] = block end
  self:touch(block)
  return block
end

function Transcript:find(kind, key) return self.known[kind .. ' ' .. key] end

--- Takes a block away. It stays in the list without lines, so that its neighbours need not be told.
function Transcript:remove(block)
  block.removed = true
  self:touch(block)
end

--- The line at the top that says what was not read yet.
function Transcript:head() return self.first end

--- Puts the blocks of an older page behind the head, before everything else.
--- @param older agent_sidecar.Transcript
function Transcript:prepend(older)
  if not older.first then return end
  local head, rest = self.first, self.first.next
  head.next, older.first.prev = older.first, head
  older.last.next = rest
  if rest then rest.prev = older.last else self.last = older.last end
  for key, block in pairs(older.known) do
    if not self.known[key] then self.known[key] = block end
  end
  vim.list_extend(self.touched, older:take())
end

--- The block of an agent: nil for the session itself. A sub-agent that nobody introduced has no place.
function Transcript:owner(event)
  local path = event.agentPath
  if not path or #path == 0 then return nil, true end
  local block = self:find('agent', table.concat(path, '/'))
  return block, block ~= nil
end

--- The text of a prompt's content.
function Transcript.words(content)
  if type(content) == 'string' then return content end
  local words = {}
  for _, part in ipairs(content or {}) do
    if part.type == 'text' then
      words[#words + 1] = part.text
    elseif part.uri then
      words[#words + 1] = '@' .. part.uri:gsub('^.*/', '')
    elseif part.type == 'image' then
      words[#words + 1] = locale.t('[image]')
    elseif part.artifactId then
      words[#words + 1] = locale.t('[a text of %s]', lines.size(part.bytes))
    end
  end
  return table.concat(words, '\n')
end

--- What a person typed of a prompt, in order: words, and by its id a text that was too long for the log. nil where an
--- image went with it, or a text of more than a buffer is for.
--- @return (string|{artifactId: string})[]?
function Transcript.typed(content)
  if type(content) == 'string' then return { content } end
  local typed = {}
  for _, part in ipairs(content or {}) do
    if part.type == 'text' then
      typed[#typed + 1] = part.text
    elseif part.artifactId and (part.bytes or 0) <= 1024 * 1024 then
      typed[#typed + 1] = { artifactId = part.artifactId }
    elseif not part.uri or part.type == 'image' then
      return nil
    end
  end
  return typed
end

local on = require('agent-sidecar.events')

--- Takes one event, as agent/event or agent/events gives it. One that was taken before is left out.
--- @param event table
function Transcript:apply(event)
  local own = not event.agentPath or #event.agentPath == 0
  if own and event.seq then
    if event.seq <= self.seq then return end
    self.seq = event.seq
  end
  local owner, placed = self:owner(event)
  if not own then
    if not placed then return end
    -- What a sub-agent's log was read for may also have come live.
    if event.subSeq then
      if event.subSeq <= (owner.sub_seq or 0) then return end
      owner.sub_seq = event.subSeq
    end
  elseif event.runId then
    self.run = event.runId
  end
  local take = on[event.type]
  if take then take(self, event.data or {}, owner, event) end
end

return Transcript
