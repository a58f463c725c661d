-- Makes a page of a terminal's screen: `tmux capture-pane -e -p | nvim -l screen.lua`. Text is escaped; only colours, bold, italic
-- and underline are taken from the escape sequences.
local basic = { [0] = '#14161b', '#ffc0b9', '#b3f6c0', '#fce094', '#a6dbff', '#ffcaff', '#8cf8f7', '#eef1f8' }
local front, back = '#e0e2ea', '#14161b'

local function cube(n)
  if n < 16 then return basic[n % 8] end
  if n >= 232 then
    local v = 8 + (n - 232) * 10
    return ('#%02x%02x%02x'):format(v, v, v)
  end
  n = n - 16
  local function level(v) return v == 0 and 0 or 55 + v * 40 end
  return ('#%02x%02x%02x'):format(level(math.floor(n / 36)), level(math.floor(n / 6) % 6), level(n % 6))
end

local style = {}

local function apply(codes)
  local list = vim.tbl_map(tonumber, vim.split(codes, '[;:]'))
  if #list == 0 then list = { 0 } end
  local i = 1
  while i <= #list do
    local code = list[i] or 0
    if code == 0 then
      style = {}
    elseif code == 1 then style.bold = true
    elseif code == 3 then style.italic = true
    elseif code == 4 then style.line = true
    elseif code == 7 then style.swap = true
    elseif code == 22 then style.bold = nil
    elseif code == 23 then style.italic = nil
    elseif code == 24 then style.line = nil
    elseif code == 27 then style.swap = nil
    elseif code == 39 then style.front = nil
    elseif code == 49 then style.back = nil
    elseif code == 38 or code == 48 then
      local color
      if list[i + 1] == 2 then
        color = ('#%02x%02x%02x'):format(list[i + 2], list[i + 3], list[i + 4])
        i = i + 4
      else
        color = cube(list[i + 2] or 0)
        i = i + 2
      end
      style[code == 38 and 'front' or 'back'] = color
    elseif code >= 30 and code <= 37 then style.front = basic[code - 30]
    elseif code >= 40 and code <= 47 then style.back = basic[code - 40]
    elseif code >= 90 and code <= 97 then style.front = basic[code - 90]
    elseif code >= 100 and code <= 107 then style.back = basic[code - 100] end
    i = i + 1
  end
end

local function span(text)
  if text == '' then return '' end
  local f, b = style.front or front, style.back or back
  if style.swap then f, b = b, f end
  text = text:gsub('&', '&amp;'):gsub('<', '&lt;')
  return ('<span style="color:%s;background:%s%s%s%s">%s</span>'):format(f, b, style.bold and ';font-weight:bold' or '', style.italic and ';font-style:italic' or '', style.line and ';text-decoration:underline' or '', text)
end

local rows = {}
for line in io.stdin:lines() do
  local row, at = {}, 1
  while true do
    local from, to, codes, kind = line:find('\27%[([%d;:]*)(%a)', at)
    row[#row + 1] = span(line:sub(at, (from or 0) - 1))
    if not from then break end
    if kind == 'm' then apply(codes) end
    at = to + 1
  end
  rows[#rows + 1] = '<div>' .. table.concat(row) .. ' </div>'
end
io.stdout:write('<!doctype html><meta charset="utf-8"><style>body{margin:14px;background:' .. back .. ';color:' .. front ..
  ';font:14px/18px "DejaVu Sans Mono","Liberation Mono","Noto Sans Mono",monospace}div{white-space:pre;height:18px}span{display:inline-block;height:18px;vertical-align:top}</style>' .. table.concat(rows, '\n') .. '\n')
