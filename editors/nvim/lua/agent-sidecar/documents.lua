-- What the editor and the agent tell each other about documents: which files the sidecar sees, what was changed under them, and
-- what is wrong in them.
local M = {}

local client = require('agent-sidecar.client')
local semantic = require('agent-sidecar.semantic')

--- A buffer that shows a file.
local function is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= '' and not vim.api.nvim_buf_get_name(buf):match('^%a[%w+.-]+://')
end

local function inside(buf, root)
  local name = vim.api.nvim_buf_get_name(buf)
  name = vim.fs.normalize(vim.uv.fs_realpath(name) or name)
  return vim.startswith(name, root .. '/')
end

--- Attaches every open file of the project, and tells what is known to be wrong in them.
function M.attach_all(project, c)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_file(buf) and inside(buf, project.root) then
      vim.lsp.buf_attach_client(buf, c.id)
      if #vim.diagnostic.get(buf) > 0 then M.report(c, buf) end
    end
  end
end

--- Attaches one file, if it is of the project.
function M.attach(project, c, buf)
  if is_file(buf) and inside(buf, project.root) then vim.lsp.buf_attach_client(buf, c.id) end
end

--- agent/client/reload: a file was changed on the disk. What was typed and not saved stays.
function M.reload(uri)
  local buf = vim.uri_to_bufnr(uri)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].modified then return end
  -- checktime loads without a question where 'autoread' is on. It is on for this one moment and this one buffer.
  vim.bo[buf].autoread = true
  vim.cmd.checktime(buf)
  vim.api.nvim_buf_call(buf, function() vim.cmd.setlocal('autoread<') end)
end

--- A file of the project was changed by the agent, also by a command or an undo, of which nobody sends a reload.
function M.changed(root, path, kind)
  local full = path:sub(1, 1) == '/' and path or root .. '/' .. path
  semantic.changed(vim.uri_from_fname(full), kind)
  if vim.fn.bufexists(full) == 1 then M.reload(vim.uri_from_fname(full)) end
end

--- A place in the units of the connection.
function M.position(buf, row, col, encoding)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  col = math.min(col, #line)
  if encoding == 'utf-8' then return { line = row, character = col } end
  local utf32, utf16 = vim.str_utfindex(line, col)
  return { line = row, character = encoding == 'utf-32' and utf32 or utf16 }
end

--- Sends what is wrong in a buffer, whole. The marks of open questions are the sidecar's own and are no news to it.
function M.report(c, buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.api.nvim_buf_get_name(buf) == '' then return end
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.source ~= 'agent' and #list < 100 then
      list[#list + 1] = {
        range = { start = M.position(buf, d.lnum, d.col, c.offset_encoding), ['end'] = M.position(buf, d.end_lnum or d.lnum, d.end_col or d.col, c.offset_encoding) },
        severity = d.severity,
        message = d.message,
        source = d.source,
        code = (type(d.code) == 'string' or type(d.code) == 'number') and d.code or nil,
      }
    end
  end
  -- The version is that of the text as it is now; that it was looked at is what 'DiagnosticChanged' says.
  local version = vim.lsp.buf_is_attached(buf, c.id) and vim.api.nvim_buf_get_changedtick(buf) or nil
  client.notify(c, 'agent/diagnostics', { uri = vim.uri_from_bufnr(buf), version = version, diagnostics = list })
end

return M
