-- Outputs that were too large for the conversation, as read-only buffers. They are read in pieces through the sidecar.
local M = {}

local lines = require('agent-sidecar.lines')
local output = require('agent-sidecar.output')
local scratch = require('agent-sidecar.scratch')
local t = require('agent-sidecar.locale').t
local visible = require('agent-sidecar.visible')

local most = 32 * 1024 * 1024 -- bytes that a buffer is filled with

--- Reads an artifact whole. which names it by artifactId, uri or path.
--- @param done fun(text: string, result: table)
--- @param failed fun()? a person was told why
function M.read(project, which, done, failed)
  local pieces, bytes = {}, 0
  local function piece(offset)
    project:ask('agent/artifact', vim.tbl_extend('force', { offset = offset, length = 262144 }, which), function(result)
      pieces[#pieces + 1] = result.data
      bytes = bytes + #(result.data or '')
      if result.nextOffset and not result.eof and bytes < most then return piece(result.nextOffset) end
      if result.nextOffset and not result.eof then pieces[#pieces + 1] = '\n' .. t('… %s of %s are shown', lines.size(bytes), lines.size(result.bytes)) end
      done(table.concat(pieces), result)
    end, failed and function(err)
      project.tell(err.message, vim.log.levels.ERROR)
      failed()
    end)
  end
  piece(0)
end

--- Opens an artifact in a split.
--- @param which table
function M.open(project, which)
  M.read(project, which, function(text, result)
    local list = vim.split(text, '\n', { plain = true })
    if list[#list] == '' then list[#list] = nil end
    scratch.split(scratch.buffer(project.root, result.uri or ('agent-artifact:/' .. result.artifactId), list))
  end)
end

--- The artifacts of a session, all pages.
function M.list(project, session, done)
  local items = {}
  local function page(cursor)
    project:ask('agent/artifact/list', { sessionId = session, cursor = cursor }, function(result)
      vim.list_extend(items, result.items or {})
      if result.nextCursor then return page(result.nextCursor) end
      done(items)
    end)
  end
  page(nil)
end

--- Lets a person choose one.
function M.choose(project, session)
  M.list(project, session, function(items)
    if #items == 0 then return project.tell(t('this session has no outputs that were too long')) end
    output.choose(items, {
      prompt = t('Open the full output'),
      kind = 'agent-sidecar.artifact',
      format_item = function(item) return ('%s  %s, %s  %s'):format(item.artifactId, lines.size(item.bytes), lines.count(item.lines, 'line'), visible.line(item.path)) end,
    }, function(item)
      if item then M.open(project, { artifactId = item.artifactId }) end
    end)
  end)
end

return M
