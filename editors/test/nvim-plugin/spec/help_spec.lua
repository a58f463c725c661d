local plugin = vim.env.PLUGIN

local function read(path) return table.concat(vim.fn.readfile(path), '\n') end

describe('the help', function()
  local help = read(plugin .. '/doc/agent-sidecar.txt')

  it('makes its tags', function()
    local copy = vim.fn.tempname()
    vim.fn.mkdir(copy .. '/doc', 'p')
    vim.fn.writefile(vim.fn.readfile(plugin .. '/doc/agent-sidecar.txt'), copy .. '/doc/agent-sidecar.txt')
    vim.cmd.helptags(copy .. '/doc')
    local tags = read(copy .. '/doc/tags')
    assert.truthy(tags:find('agent-sidecar-setup\t', 1, true))
    -- Every tag that it points to is one that it has, or Neovim's own.
    for tag in help:gmatch('|(agent%-sidecar[%w%-.()]*)|') do
      assert.truthy(tags:find(tag .. '\t', 1, true), tag)
    end
    for tag in help:gmatch('|(:Agent%a*)|') do
      assert.truthy(tags:find(tag .. '\t', 1, true), tag)
    end
  end)

  it('has every command, and no other', function()
    local names = require('agent-sidecar.commands').names()
    for _, name in ipairs(names) do
      assert.truthy(help:find('*:' .. name .. '*', 1, true), name)
    end
    for name in help:gmatch('%*:(Agent%a*)%*') do
      assert.truthy(vim.tbl_contains(names, name), name)
    end
  end)

  it('has every option with what holds', function()
    local config = require('agent-sidecar.config')
    local setup = help:match('require%("agent%-sidecar"%)%.setup%((%b{})%)\n<\ncmd')
    assert.truthy(setup)
    local shown = assert(loadstring('return ' .. setup))()
    local holds = vim.deepcopy(config.defaults)
    holds.mappings, shown.mappings = nil, nil
    assert.same(holds, shown)
    for _, part in ipairs({ 'chat', 'prompt' }) do
      for name, key in pairs(config.defaults.mappings[part]) do
        assert.truthy(help:find('\t' .. name .. '%s+' .. vim.pesc(key) .. '\t'), name .. ' ' .. key)
      end
    end
  end)

  it('has every highlight group', function()
    for group, link in pairs(require('agent-sidecar').groups) do
      assert.truthy(help:find('\t' .. group .. '%s+' .. link .. '\n'), group)
    end
  end)

  it('has lines of at most 78 columns', function()
    for line in help:gmatch('[^\n]+') do
      assert.is_true(vim.fn.strdisplaywidth(line) <= 78, line)
    end
  end)
end)

describe('the code', function()
  -- Text of others never becomes a command: commands are called with their arguments in a table or not at all.
  it('makes no command of a text', function()
    for _, path in ipairs(vim.fn.glob(plugin .. '/lua/**/*.lua', true, true)) do
      local code = read(path)
      assert.is_nil(code:match('vim%.cmd%s*%(%s*[^)\'"][^)]*%)') or code:match('vim%.cmd%([^)]*%.%.') or code:match('nvim_exec2?%(') or code:match('nvim_command'), path)
    end
  end)

  it('has no file over 400 lines that a person wrote', function()
    for _, path in ipairs(vim.fn.glob(plugin .. '/**/*.lua', true, true)) do
      if not path:find('protocol.lua', 1, true) then assert.is_true(#vim.fn.readfile(path) <= 400, path) end
    end
  end)
end)

describe(':checkhealth', function()
  -- The file that is open in this Neovim is of a project; nothing is to be started for it.
  local notify = vim.notify
  before_each(function() vim.notify = function() end end)
  after_each(function()
    vim.notify = notify
    vim.api.nvim_create_augroup('agent-sidecar', { clear = true })
  end)

  it('says what there is', function()
    require('agent-sidecar').setup({ cmd = { vim.env.AGENT_SIDECAR, 'serve' }, autostart = false })
    vim.opt.rtp:prepend(plugin)
    vim.cmd('silent checkhealth agent-sidecar')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    assert.truthy(text:find(vim.env.AGENT_SIDECAR, 1, true), text)
    assert.truthy(text:find('setup() was called', 1, true), text)
    assert.truthy(text:find('sandbox', 1, true), text)
    assert.falsy(text:find('Failed to run healthcheck', 1, true), text)
  end)

  it('says what is missing', function()
    require('agent-sidecar').setup({ cmd = { '/nowhere/agent-sidecar' }, autostart = false })
    vim.cmd('silent checkhealth agent-sidecar')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    assert.truthy(text:find('/nowhere/agent-sidecar, which cannot be started', 1, true), text)
    require('agent-sidecar').setup({ autostart = false })
  end)

  it('says that a program is another one, or does not run here', function()
    local program = vim.fn.tempname()
    for _, script in ipairs({ 'echo hello; cat > /dev/null', 'echo boom >&2; exit 3', 'exit 0' }) do
      vim.fn.writefile({ '#!/bin/sh', script }, program)
      vim.uv.fs_chmod(program, 493)
      require('agent-sidecar').setup({ cmd = { program, 'serve' }, autostart = false })
      vim.cmd('silent checkhealth agent-sidecar')
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      assert.truthy(text:find('does not answer "doctor" as agent-sidecar does', 1, true), text)
      if script:find('boom') then assert.truthy(text:find('(code 3): boom', 1, true), text) end
    end
    require('agent-sidecar').setup({ autostart = false })
  end)
end)
