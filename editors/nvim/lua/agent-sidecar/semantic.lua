-- What the language servers of this editor know, for the agent (agent/client/semantic): the other clients of a buffer are asked,
-- and answer in the shapes of LSP. Nothing is changed here, also by a rename: the agent has that judged, and makes it.
local M = {}

local new = vim.fn.has('nvim-0.11') == 1 -- methods of a client take the client

-- What is declared to the sidecar.
M.kinds = { definition = true, references = true, symbols = true, hover = true, rename = true }

local methods = {
  definition = 'textDocument/definition',
  references = 'textDocument/references',
  hover = 'textDocument/hover',
  rename = 'textDocument/rename',
  symbols = 'textDocument/documentSymbol',
}

local most = 2000 -- elements of a list; the sidecar takes no more
local patience = 25000 -- ms; the sidecar has given up by then
local starting = 5000 -- ms that a language server has to attach itself to a file that was opened for this

local function supports(c, method, buf)
  if new then return c:supports_method(method, buf) end
  return c.supports_method(method, { bufnr = buf })
end

--- The language servers that can be asked, and never the agent itself.
local function clients(own, method, buf)
  return vim.tbl_filter(function(c)
    return c.id ~= own.id and c.name ~= own.name and c.initialized and supports(c, method, buf)
  end, vim.lsp.get_clients({ bufnr = buf }))
end

local function lines_of(uri)
  local buf = vim.uri_to_bufnr(uri)
  if vim.api.nvim_buf_is_loaded(buf) then return vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
  local ok, lines = pcall(vim.fn.readfile, vim.uri_to_fname(uri))
  return ok and lines or {}
end

--- Bytes of a line that so many characters of an encoding are.
local function bytes(line, character, encoding)
  if encoding == 'utf-8' then return math.min(character, #line) end
  local ok, at = pcall(vim.str_byteindex, line, character, encoding ~= 'utf-32')
  return ok and at or #line
end

local function convert(lines, position, from, to)
  if from == to then return position end
  local line = lines[position.line + 1] or ''
  local at = bytes(line, position.character, from)
  if to == 'utf-8' then return { line = position.line, character = at } end
  local utf32, utf16 = vim.str_utfindex(line, at)
  return { line = position.line, character = to == 'utf-32' and utf32 or utf16 }
end

--- The edits of a rename with their places as the agent counts, and for no version: each client of Neovim counts its own.
local function renamed(edit, from, to)
  local function edits_of(uri, edits)
    if from == to then return edits end
    local lines = lines_of(uri)
    return vim.tbl_map(function(e)
      local range = { start = convert(lines, e.range.start, from, to), ['end'] = convert(lines, e.range['end'], from, to) }
      return { range = range, newText = e.newText }
    end, edits)
  end
  local changes = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind then return { documentChanges = { { kind = change.kind } } } end
    local uri = change.textDocument.uri
    changes[#changes + 1] = { textDocument = { uri = uri }, edits = edits_of(uri, change.edits) }
  end
  if not edit.documentChanges then
    for uri, edits in pairs(edit.changes or {}) do
      changes[#changes + 1] = { textDocument = { uri = uri }, edits = edits_of(uri, edits) }
    end
  end
  return { documentChanges = changes }
end

--- One answer of several: lists are put together, of a hover and a rename the first one that says something counts.
local function merged(kind, results, own)
  local list, answered = {}, false
  for _, one in ipairs(results) do
    local result = one.result
    if result ~= nil and result ~= vim.NIL then
      answered = true
      if kind == 'hover' then return result end
      if kind == 'rename' then return renamed(result, one.encoding, own.offset_encoding) end
      for _, element in ipairs(vim.islist(result) and result or { result }) do
        if #list < most then list[#list + 1] = element end
      end
    end
  end
  if not answered or kind == 'hover' or kind == 'rename' then return vim.NIL end
  return list
end

--- Waits, without stopping the editor, until done is called or the time is over.
local function await(ms, begin)
  local co = coroutine.running()
  local over = false
  local function done(...)
    if over then return end
    over = true
    local values = { ... }
    vim.schedule(function() coroutine.resume(co, unpack(values)) end)
  end
  vim.defer_fn(done, ms)
  begin(done)
  return coroutine.yield()
end

--- Asks them all; their answers, and why one failed.
local function ask(found, method, params, buf)
  if #found == 0 then return {} end
  local results, why = {}, nil
  await(patience, function(done)
    local open = #found
    for _, c in ipairs(found) do
      local function take(err, result)
        if err then why = why or err.message end
        results[#results + 1] = { result = result, encoding = c.offset_encoding }
        open = open - 1
        if open == 0 then done() end
      end
      local ok
      if new then ok = c:request(method, params(c), take, buf) else ok = c.request(method, params(c), take, buf) end
      if not ok then take({ message = 'server_stopped' }) end
    end
  end)
  return results, why
end

--- The buffer of a document; one that is not open is loaded, hidden, and its language server has a moment to come.
local function load(own, uri, method)
  local buf = vim.uri_to_bufnr(uri)
  if vim.api.nvim_buf_is_loaded(buf) then return buf end
  vim.fn.bufload(buf)
  if vim.bo[buf].filetype == '' then
    local filetype = vim.filetype.match({ buf = buf })
    if filetype then vim.bo[buf].filetype = filetype end
  end
  local group
  if #clients(own, method, buf) == 0 then
    await(starting, function(done)
      group = vim.api.nvim_create_autocmd('LspAttach', {
        buffer = buf,
        callback = function() if #clients(own, method, buf) > 0 then done() end end,
      })
    end)
    pcall(vim.api.nvim_del_autocmd, group)
  end
  return buf
end

--- Answers one question. It is called in a coroutine, as requests of a server are.
--- @param own vim.lsp.Client the agent
--- @param params agent-sidecar.SemanticParams
function M.answer(own, params)
  local kind, method, buf, lines = params.kind, methods[params.kind], nil, {}
  if kind == 'symbols' and not params.uri then
    method = 'workspace/symbol'
  elseif method then
    buf = load(own, params.uri, method)
    lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  end
  if not method then return nil, { code = -32602, message = 'unknown_kind' } end
  local results, why = ask(clients(own, method, buf), method, function(c)
    if not buf then return { query = params.query or '' } end
    return {
      textDocument = { uri = vim.uri_from_bufnr(buf) },
      position = params.position and convert(lines, params.position, own.offset_encoding, c.offset_encoding) or nil,
      context = kind == 'references' and { includeDeclaration = true } or nil,
      newName = params.newName,
    }
  end, buf or vim.api.nvim_get_current_buf())
  local result = merged(kind, results, own)
  if result == vim.NIL and why then return nil, { code = -32603, message = why } end
  return result
end

--- A file was changed by the agent. Language servers that have it not open do not see that by themselves: Neovim watches no
--- files for them on Linux.
--- @param uri string
--- @param kind string? created, modified, deleted or moved
function M.changed(uri, kind)
  local told = { changes = { { uri = uri, type = kind == 'created' and 1 or kind == 'deleted' and 3 or 2 } } }
  for _, c in ipairs(vim.lsp.get_clients()) do
    if c.name ~= 'agent-sidecar' and c.initialized then
      if new then c:notify('workspace/didChangeWatchedFiles', told) else c.notify('workspace/didChangeWatchedFiles', told) end
    end
  end
end

return M
