-- The build step, on copies of the plugin. What stands for the net is a curl that the test brings: the address, the flags and
-- what is done with what came are the plugin's own.
local function copy(top)
  local dir = (top or vim.fn.tempname()) .. '/editors/nvim'
  vim.fn.mkdir(dir .. '/lua/agent-sidecar', 'p')
  for _, name in ipairs({ 'build.lua', 'lua/agent-sidecar/install.lua', 'lua/agent-sidecar/locale.lua' }) do
    vim.fn.writefile(vim.fn.readfile(vim.env.PLUGIN .. '/' .. name), dir .. '/' .. name)
  end
  return dir
end

local function program(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  vim.fn.writefile({ '#!/bin/sh', text }, path)
  vim.uv.fs_chmod(path, 493)
end

-- build runs the step as a plugin manager does, with only these programs in PATH besides the system's.
local function build(dir, bin)
  local result = vim.system({ vim.v.progpath, '--clean', '-l', dir .. '/build.lua' }, { text = true, env = { PATH = bin .. ':/usr/bin:/bin', LUA_PATH = '', LUA_CPATH = '' } }):wait()
  return result.code, (result.stdout or '') .. (result.stderr or '')
end

local platform = vim.uv.os_uname().machine == 'x86_64' and 'linux-amd64' or 'linux-arm64'

local function release(dir, asset) vim.fn.writefile({ vim.json.encode({ version = '1', assets = { [platform] = asset } }) }, dir .. '/release.json') end

describe('the build step', function()
  local bin, dir, sum
  before_each(function()
    bin = vim.fn.tempname()
    dir = copy()
    program(bin .. '/released', 'echo agent-sidecar 9.9')
    program(bin .. '/curl', 'echo "$@" > ' .. bin .. '/asked; while [ "$1" != --output ]; do shift; done; cp ' .. bin .. '/released "$2"')
    sum = vim.system({ 'sha256sum', bin .. '/released' }, { text = true }):wait().stdout:match('^%x+')
  end)

  it('fetches what the release names, over https only', function()
    release(dir, { url = 'https://example.com/agent-sidecar', sha256 = sum })
    local code, out = build(dir, bin)
    assert.equal(0, code, out)
    assert.truthy(out:find('agent-sidecar 9.9: fetched https://example.com/agent-sidecar', 1, true), out)
    assert.equal(1, vim.fn.executable(dir .. '/bin/agent-sidecar'))
    assert.truthy(vim.fn.readfile(bin .. '/asked')[1]:find('--proto =https --proto-redir =https', 1, true))
  end)

  it('does not keep, or start, what is not the release', function()
    program(bin .. '/released', 'touch ' .. bin .. '/ran; echo agent-sidecar 9.9')
    release(dir, { url = 'https://example.com/agent-sidecar', sha256 = sum })
    local code, out = build(dir, bin)
    assert.equal(1, code, out)
    assert.truthy(out:find('is not the release', 1, true), out)
    assert.is_nil(vim.uv.fs_stat(bin .. '/ran'))
    assert.same({}, vim.fn.readdir(dir .. '/bin'))
  end)

  it('fetches nothing without https or without a sum', function()
    for _, asset in ipairs({ { url = 'http://example.com/x', sha256 = sum }, { url = 'https://example.com/x' }, { url = 'https://example.com/x', sha256 = 'abc' } }) do
      release(dir, asset)
      local code, out = build(dir, bin)
      assert.equal(1, code, out)
      assert.truthy(out:find('is not fetched', 1, true), out)
      assert.is_nil(vim.uv.fs_stat(bin .. '/asked'))
    end
  end)

  it('builds from the checkout where Go is there', function()
    local top = vim.fn.tempname()
    dir = copy(top)
    vim.fn.mkdir(top .. '/cmd/agent-sidecar', 'p')
    vim.fn.writefile({ 'module x' }, top .. '/go.mod')
    program(bin .. '/go', 'pwd > ' .. bin .. '/built; while [ "$1" != -o ]; do shift; done; cp ' .. bin .. '/released "$2"')
    local code, out = build(dir, bin)
    assert.equal(0, code, out)
    assert.equal(vim.uv.fs_realpath(top), vim.fn.readfile(bin .. '/built')[1])
  end)

  it('says what is missing', function()
    local code, out = build(dir, bin)
    assert.equal(1, code, out)
    assert.truthy(out:find('names no release to download', 1, true), out)
    assert.truthy(out:find('not in a checkout', 1, true), out)
    assert.truthy(out:find('Put agent-sidecar into PATH', 1, true), out)
  end)
end)
