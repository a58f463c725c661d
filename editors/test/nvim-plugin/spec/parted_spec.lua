local client = require('agent-sidecar.client')
local Project = require('agent-sidecar.project')

describe('a session that has gone on on another machine, too', function()
  local select, request
  before_each(function()
    select, request = vim.ui.select, client.request
  end)
  after_each(function()
    vim.ui.select, client.request = select, request
  end)

  it('is read anew, and its fork is offered', function()
    local asked, resumed = {}, {}
    local p = Project.get('/parted' .. vim.uv.hrtime())
    p.client = function() return { initialized = true } end
    p.with = function(_, done) done(p:client()) end
    client.request = function(_, method, params) resumed[#resumed + 1] = method .. ' ' .. (params.sessionId or '') end
    vim.ui.select = function(items, options, done)
      asked[#asked + 1] = options.prompt
      done(items[2])
    end
    local old = p:conversation('0001')
    p:event({ type = 'session.sync', sessionId = '0001', data = { syncState = 'syncing' } })
    assert.same({}, asked)
    assert.equal(old, p.conversations['0001'])

    p:event({ type = 'session.sync', sessionId = '0001', data = { syncState = 'conflict', fork = '0002' } })
    assert.same({ 'The session 0001 has also gone on on another machine. What was done here is now a fork of it.' }, asked)
    assert.is_nil(p.conversations['0001'])
    assert.is_not_nil(p.conversations['0002'])
    assert.equal('agent/session/resume 0002', resumed[#resumed])
  end)
end)
