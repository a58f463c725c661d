-- Every text that a person reads is in English and in Simplified Chinese.
local locale = require('agent-sidecar.locale')

-- strings gives the literals of a source in order: {text, before}, before being the code in front of it. Comments are left out.
local function strings(code)
  local list, at, from = {}, 1, 1
  while true do
    local i = code:find('[\'"%-%[]', at)
    if not i then return list end
    local mark = code:sub(i, i)
    if code:sub(i, i + 1) == '--' then
      local stop = code:find('\n', i, true) or #code
      code = code:sub(1, i - 1) .. code:sub(stop)
      at = i
    elseif mark == "'" or mark == '"' then
      local stop = i + 1
      while code:sub(stop, stop) ~= mark do stop = stop + (code:sub(stop, stop) == '\\' and 2 or 1) end
      list[#list + 1] = { text = assert(loadstring('return ' .. code:sub(i, stop)))(), before = code:sub(from, i - 1), line = code:sub(1, i - 1):match('[^\n]*$') }
      at, from = stop + 1, stop + 1
    else
      assert(not code:sub(i):find('^%[=*%['), 'the spec reads no long strings')
      at = i + 1
    end
  end
end

local function sources()
  local list = {}
  for _, path in ipairs(vim.list_extend(vim.fn.glob(vim.env.PLUGIN .. '/lua/**/*.lua', true, true), vim.fn.glob(vim.env.PLUGIN .. '/lsp/*.lua', true, true))) do
    local name = vim.fs.basename(path)
    -- The table itself with its parts, and what the schema writes, in which nothing is for a person.
    if not vim.startswith(name, 'locale') and name ~= 'protocol.lua' then list[name] = strings(table.concat(vim.fn.readfile(path), '\n') .. '\n') end
  end
  return list
end

-- translates says that a literal is the text of a call of t.
local function translates(literal) return literal.before:find('%f[%w_]t%(%s*$') ~= nil and not literal.before:find(':t%(%s*$') end

local function places(text)
  local list = {}
  for place in text:gsub('%%%%', ''):gmatch('%%[%d.]*%a') do list[#list + 1] = place end
  return list
end

-- A line that has one of these before a literal shows the literal to a person, even where it is one word.
local shown = {
  'tell%(', 'notify%(', '%f[%w]error%(', ':say%(', 'warn%(', 'health%.%a+%(', 'prompt = ', 'label = ', 'desc = ', ' text = ', 'message = ', 'title = ',
  'virt_text = ', 'winbar = ', ':beside%(', 'p:line%(', 'output%.bar%(', 'output%.choose%(', 'output%.input%(', 'vim%.ui%.%a+%(',
}

-- A literal behind one of these is a word of the code or of the protocol, not of a sentence.
local coded = { '[=~]= $', '%f[%w]kind = $', 'decision = $', 'status = $', ':say%($', 'has%(%w+, $', 'ipairs%({ $', 'startswith%([^,]*, $', 'count%(.*, $' }

-- name says that a literal is a name whatever is around it: of a group, a module, a command, a key, an address.
local function name(text) return text:find('^AgentSidecar%a+$') or text:find('^agent%-sidecar%.%a+$') or text:find('^ ?%(?:Agent%a+%)?$') or text:find('^[%w./:-]*/[%w./:-]+$') or text:find('^%a+_%a+$') end

-- Other literals that are no text for a person: what Neovim, Lua, a program or the sidecar reads.
local machine = {
  ['fold: '] = true, -- 'fillchars'
  ['ask'] = true, ['agent'] = true, -- modes of the protocol
  ['run'] = true, ['call'] = true, -- what :AgentUndo completes
  ['This is an edit at one place of a file: change what is asked, at the lines that are linked and where it is needed for that,'] = true, -- for the model
  ['with as few calls as possible. Answer in one short sentence.'] = true, ['Fix this problem in line %d.'] = true, ['%s %s'] = true,
  ['\n[the tool gave more, which was cut off]'] = true, -- for the model
  ['\n%*%*%* Update File: ([^\n]+)'] = true, ['*** Move to: '] = true, ['*** Begin Patch'] = true, ['*** Update File: '] = true, ['*** End Patch'] = true, -- of a patch
  ['keep'] = true, ['next'] = true, ['prev'] = true, ['undo'] = true, -- what :AgentHunk completes
  ['day'] = true, ['model'] = true, ['session'] = true, -- what :AgentUsage completes
  ['tab split'] = true, ['agent '] = true, ['agent-sidecar '] = true, ['nvim-%d-%d'] = true,
  ["%{get(b:,'agent_sidecar_bar','')}%<"] = true, ['Keyboard interrupt'] = true,
  ['local ok, message = dofile(%q).now({ to = %q }) io.stdout:write(message) os.exit(ok and 0 or 1)'] = true,
  ['setup({ cmd = { "/path/to/agent-sidecar", "serve" } })'] = true, -- to be written so in every language
  ['require("agent-sidecar").setup({})'] = true,
  ['%d B'] = true, ['%.0f KiB'] = true, ['%.1f MiB'] = true, ['http://'] = true, ['pending approval'] = true, -- units; an address; a key of lines.count
  ['agent-sidecar: '] = true, ['agent-sidecar: Neovim'] = true, ['agent-sidecar'] = true, ['Neovim %s'] = true, -- names
  ["%{v:lua.require'agent-sidecar.chat'.bar()}%<"] = true, ["v:lua.require'agent-sidecar.chat'.fold()"] = true, ["v:lua.require'agent-sidecar.chat'.foldtext()"] = true,
}

describe('the texts of the plugin', function()
  it('are each in the table, and the table has no others', function()
    local used, missing, unused, count = {}, {}, {}, 0
    for name, literals in pairs(sources()) do
      for _, literal in ipairs(literals) do
        if translates(literal) then
          used[literal.text], count = true, count + 1
          if not locale.zh[literal.text] then missing[#missing + 1] = name .. ': ' .. literal.text end
        end
      end
    end
    for text in pairs(locale.zh) do
      if not used[text] then unused[#unused + 1] = text end
    end
    assert.same({}, missing)
    assert.same({}, unused)
    assert.truthy(count > 300, count)
  end)

  it('have the same places in both languages', function()
    for english, chinese in pairs(locale.zh) do assert.same(places(english), places(chinese), english) end
  end)

  it('are literals in every call of t', function()
    for _, path in ipairs(vim.fn.glob(vim.env.PLUGIN .. '/lua/**/*.lua', true, true)) do
      local code = table.concat(vim.fn.readfile(path), '\n'):gsub('%-%-[^\n]*', '')
      for before, after in code:gmatch('([^\n]?)%f[%w_]t(%b())') do
        local call = before ~= ':' and not code:find('function M.t' .. after, 1, true)
        if call then assert.truthy(after:find('^%(%s*\''), path .. ': t' .. after) end
      end
    end
  end)

  it('reach nobody without t', function()
    local past = {}
    for file, literals in pairs(sources()) do
      for _, literal in ipairs(literals) do
        local text, bare = literal.text, not translates(literal) and not machine[literal.text]
        local sentence = text:find('%a[%a%-]*[,:;]? %a') -- more than one word
        local read = text:find('%a%a') and vim.iter(shown):any(function(pattern) return literal.line:find(pattern) end)
        local code = name(text) or vim.iter(coded):any(function(pattern) return literal.line:find(pattern) end)
        if bare and not code and (sentence or read) then past[#past + 1] = file .. ': ' .. text end
      end
    end
    assert.same({}, past)
  end)
end)

describe('the language', function()
  local names = { 'LC_ALL', 'LC_MESSAGES', 'LANG', 'LANGUAGE' }
  local env, loaded
  before_each(function()
    env, loaded = {}, {}
    vim.cmd.language({ 'messages', 'C' })
    for _, name in ipairs(names) do
      env[name] = vim.env[name] or false
      vim.env[name] = nil
    end
    for name, module in pairs(package.loaded) do
      if vim.startswith(name, 'agent-sidecar.') then loaded[name] = module end
    end
    for name in pairs(loaded) do package.loaded[name] = nil end
  end)
  after_each(function()
    for name, value in pairs(env) do vim.env[name] = value or nil end
    for name in pairs(package.loaded) do
      if vim.startswith(name, 'agent-sidecar.') then package.loaded[name] = nil end
    end
    for name, module in pairs(loaded) do package.loaded[name] = module end
  end)

  -- stop is the word for it in the language of an environment.
  local function stop(environment)
    package.loaded['agent-sidecar.locale'] = nil
    for _, name in ipairs(names) do vim.env[name] = environment[name] end
    return require('agent-sidecar.locale').t('stop')
  end

  it('is that of the messages, else that of the environment, in its order', function()
    assert.equal('stop', stop({}))
    assert.equal('停止', stop({ LANG = 'zh_CN.UTF-8' }))
    assert.equal('停止', stop({ LC_MESSAGES = 'zh_TW', LANG = 'de_DE.UTF-8' }))
    assert.equal('stop', stop({ LC_ALL = 'de_DE.UTF-8', LC_MESSAGES = 'zh_CN', LANG = 'zh_CN' }))
    assert.equal('停止', stop({ LC_ALL = '', LANG = 'zh' }))
    assert.equal('stop', stop({ LANG = 'zha' }))
    assert.equal('stop', stop({ LC_ALL = 'C.UTF-8', LANG = 'zh_CN' }))
  end)

  it('is Chinese in the chat, a message and a question', function()
    vim.env.LC_ALL = 'zh_CN.UTF-8'
    require('agent-sidecar.config').set({})
    local lines = require('agent-sidecar.lines')
    local approval = { approvalId = 'c', domain = 'bash', risk = 'execute', title = 'bash: ls', reason = '', decisions = { 'once', 'reject' }, preview = { text = '$ ls' } }
    local question = lines.of({ kind = 'question', depth = 0, data = { approval = approval } })
    assert.equal('┃ 等待你的批准 · 运行命令', question[1])
    local ended = lines.of({ kind = 'ended', depth = 0, data = { stopReason = 'error', message = 'gone', changes = { { path = 'a', kind = 'created' } } } })
    assert.equal('— 失败：gone · 1 个文件', ended[1])
    -- The log is in English: what it says of a stop is headed by a Chinese word.
    assert.equal('— 已停止：达到限制：Stopped: x', lines.of({ kind = 'ended', depth = 0, data = { stopReason = 'limit', message = 'Stopped: x' } })[1])
    local select, notify, prompt, labels, told = vim.ui.select, vim.notify, nil, nil, nil
    vim.ui.select = function(items, options) prompt, labels = options.prompt, vim.tbl_map(options.format_item, items) end
    vim.notify = function(text) told = text end
    local project = { root = '/p', tell = require('agent-sidecar.output').tell }
    require('agent-sidecar.approvals').new(project):ask(approval, true)
    require('agent-sidecar.approvals').new(project):command(nil)
    vim.ui.select, vim.notify = select, notify
    assert.equal('代理：bash: ls · $ ls · 运行命令', prompt)
    assert.same({ '审阅', '拒绝', '拒绝并说明原因…', '允许一次' }, labels)
    assert.equal('agent-sidecar: 现在没有待批准的操作', told)
  end)

  it('is Chinese where install.lua is loaded alone', function()
    vim.env.LC_ALL = 'zh_CN.UTF-8'
    local to = vim.fn.tempname()
    local path = vim.env.PATH
    vim.env.PATH = to -- no curl and no go
    local _, message = dofile(vim.env.PLUGIN .. '/lua/agent-sidecar/install.lua').now({ to = to })
    vim.env.PATH = path
    assert.truthy(message:find('^未安装：'), message)
    vim.fn.delete(to, 'rf')
  end)
end)
