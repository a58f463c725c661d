-- Text that somebody else wrote, made safe to show in one line: titles, paths, questions, names. Nothing that cannot be seen
-- may change what a person believes to read, so control, bidirectional and zero-width characters appear as their codes.
local M = {}

local bit = require('bit')

-- Ranges of code points that show nothing, or turn the direction of what stands beside them.
local hidden = {
  { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x600, 0x605 }, { 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f }, { 0x890, 0x891 }, { 0x8e2, 0x8e2 }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
}

local function is_hidden(code)
  for _, range in ipairs(hidden) do
    if code < range[1] then return false end
    if code <= range[2] then return true end
  end
  return false
end

local function decode(char)
  local first = char:byte()
  if first < 0x80 then return first end
  local code = bit.band(first, first >= 0xf0 and 0x07 or first >= 0xe0 and 0x0f or 0x1f)
  for i = 2, #char do
    code = code * 64 + bit.band(char:byte(i), 0x3f)
  end
  return code
end

local function shown(char)
  local code = decode(char)
  return is_hidden(code) and ('<U+%04X>'):format(code) or char
end

--- The text with everything invisible as its code. Lines and tabs stay.
--- @param text string
--- @return string
function M.text(text)
  if not text:find('[%z\1-\8\11-\31\127\194-\244]') then return text end
  return (text:gsub('[%z\1-\8\11-\31\127]', shown):gsub('[\194-\244][\128-\191]*', shown))
end

--- The same as one line.
--- @param text any
--- @return string
function M.line(text)
  if text == nil or text == vim.NIL then return '' end
  text = tostring(text):gsub('\r?\n', ' ⏎ '):gsub('\t', ' ')
  return M.text(text)
end

--- One line of at most so many cells.
--- @param text any
--- @param width integer
--- @return string
function M.short(text, width)
  local line = M.line(text)
  if #line <= width or vim.fn.strdisplaywidth(line) <= width then return line end
  return vim.fn.strcharpart(line, 0, width - 1) .. '…'
end

--- For 'statusline' and the like, which read % as an instruction.
--- @param text any
--- @return string
function M.status(text) return (M.line(text):gsub('%%', '%%%%')) end

return M
