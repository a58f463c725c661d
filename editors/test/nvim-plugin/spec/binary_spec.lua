local binary = require('agent-sidecar.binary')
local config = require('agent-sidecar.config')

describe('the program', function()
  local before, path, project
  local own = binary.own

  before_each(function()
    before, path = vim.uv.cwd(), vim.env.PATH
    project = vim.fn.tempname()
    vim.fn.mkdir(project .. '/bin', 'p')
    for _, file in ipairs({ project .. '/agent-sidecar', project .. '/bin/agent-sidecar' }) do
      vim.fn.writefile({ '#!/bin/sh' }, file)
      vim.uv.fs_chmod(file, 493)
    end
    vim.uv.chdir(project)
    binary.own = function() return project .. '/none/agent-sidecar' end
    config.set({})
  end)
  after_each(function()
    vim.uv.chdir(before)
    vim.env.PATH, binary.own = path, own
    config.set({})
  end)

  it('never comes with a project that was opened', function()
    for _, relative in ipairs({ '.', 'bin', './bin', '', ':', '~/bin' }) do
      vim.env.PATH = relative .. ':/nowhere'
      assert.is_nil((binary.command()), relative)
      config.set({ cmd = { 'agent-sidecar', 'serve' } })
      assert.is_nil((binary.command()), 'cmd, ' .. relative)
      config.set({})
    end
  end)

  it('is found in an absolute folder of PATH', function()
    vim.env.PATH = '.:' .. project .. '/bin'
    assert.same({ project .. '/bin/agent-sidecar', 'serve' }, (binary.command()))
    config.set({ cmd = { 'agent-sidecar', 'serve', '--log', 'x' } })
    assert.same({ project .. '/bin/agent-sidecar', 'serve', '--log', 'x' }, (binary.command()))
    config.set({ cmd = { project .. '/agent-sidecar', 'serve' } })
    assert.same({ project .. '/agent-sidecar', 'serve' }, (binary.command()))
  end)
end)
