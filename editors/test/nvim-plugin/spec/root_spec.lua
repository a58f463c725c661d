local config = require('agent-sidecar.config')
local root = require('agent-sidecar.root')

-- The home of the test is $HOME of this process: a directory of its own.
local home = vim.uv.fs_realpath(vim.uv.os_homedir())

local function file(path)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  vim.fn.writefile({ 'x' }, path)
  local buf = vim.fn.bufadd(path)
  vim.fn.bufload(buf)
  return buf
end

describe('the folder that the agent may work in', function()
  before_each(function() config.set({}) end)

  it('is the project of the file', function()
    vim.fn.mkdir(home .. '/p/.git', 'p')
    assert.equal(home .. '/p', root.of(file(home .. '/p/deep/er/a.txt')))
    assert.equal(home .. '/p', root.of(file(home .. '/p/b.txt'), true))
  end)

  it('is the directory of a file alone, and only when somebody asks', function()
    local buf = file(home .. '/alone/a.txt')
    assert.equal(home .. '/alone', root.of(buf))
    assert.is_nil(root.of(buf, true))
  end)

  it('is never the home directory', function()
    local dir, why = root.of(file(home .. '/.bashrc'))
    assert.is_nil(dir)
    assert.truthy(why:find('home directory', 1, true))
  end)

  it('is never above it', function()
    local above = vim.fs.dirname(home)
    local buf = vim.fn.bufadd(above .. '/of-all.txt')
    assert.is_nil((root.of(buf)))
    assert.is_true(root.holds_home('/'))
    assert.is_true(root.holds_home(above))
    assert.is_false(root.holds_home(home .. 'x'))
    assert.is_false(root.holds_home(home .. '/p'))
  end)

  it('is not the home directory where that is a repository', function()
    vim.fn.mkdir(home .. '/.git', 'p')
    assert.is_nil((root.of(file(home .. '/.profile'))))
    -- A folder below it without a project of its own is alone.
    assert.equal(home .. '/notes', root.of(file(home .. '/notes/a.txt')))
    vim.fn.delete(home .. '/.git', 'rf')
  end)

  it('is not reached through a link either', function()
    vim.uv.fs_symlink(home, home .. '/me')
    vim.fn.writefile({ 'x' }, home .. '/linked.txt')
    assert.is_nil((root.of(vim.fn.bufadd(home .. '/me/linked.txt'))))
    vim.uv.fs_unlink(home .. '/me')
  end)

  it('is what a person said', function()
    config.set({ root_dir = function() return home .. '/given' end })
    assert.equal(home .. '/given', root.of(vim.api.nvim_create_buf(true, false)))
  end)
end)
