local Approvals = require('agent-sidecar.approvals')
local chat = require('agent-sidecar.chat')
local config = require('agent-sidecar.config')

describe('a yes', function()
  local select, asked
  before_each(function()
    config.set({})
    select, asked = vim.ui.select, nil
    vim.ui.select = function(items, options, done) asked = { items = items, prompt = options.prompt, done = done } end
  end)
  after_each(function() vim.ui.select = select end)

  local function labels(approval)
    local base = { approvalId = 'a', reason = 'asks', risk = 'read', decisions = { 'once', 'always', 'reject' }, always = { { id = '1', pattern = '*' } }, targets = {}, digest = 'd' }
    local approvals = Approvals.new({ tell = function() end })
    approval = vim.tbl_extend('force', base, approval)
    approvals.open.a, approvals.order = approval, { 'a' }
    approvals:ask(approval, false)
    return vim.tbl_map(function(choice) return choice.label end, asked.items)
  end
  local function offers_yes(list)
    return vim.iter(list):any(function(label) return label:match('^A') ~= nil end)
  end

  it('is offered at once only where one line shows all of it', function()
    assert.is_true(offers_yes(labels({ title = 'read a.txt' })))
    assert.is_false(offers_yes(labels({ title = 'read ' .. ('x/'):rep(90) .. '…' })))
    assert.is_false(offers_yes(labels({ title = 'move', targets = { 'vault:/a', 'vault:/b' } })))
    assert.is_false(offers_yes(labels({ title = 'edit a.txt', preview = { kind = 'diff', text = '+x' } })))
    assert.is_false(offers_yes(labels({ title = 'bash: …', preview = { kind = 'command', text = ('x'):rep(300) } })))
    assert.is_false(offers_yes(labels({ title = 'text', preview = { kind = 'text', text = 'x', artifactId = 'art' } })))
  end)

  it('is never the first that is offered', function()
    for _, title in ipairs({ 'read a.txt', 'read ' .. ('x/'):rep(90) .. '…' }) do
      assert.equal('Review', labels({ title = title })[1])
    end
  end)

  it('comes before a file outside of the project is opened', function()
    local dir = vim.fs.normalize(vim.uv.fs_realpath(vim.fn.fnamemodify(vim.fn.tempname(), ':h')))
    local root, other = dir .. '/project', dir .. '/other.txt'
    vim.fn.mkdir(root, 'p')
    vim.fn.writefile({ 'secret' }, other)
    vim.fn.writefile({ 'mine' }, root .. '/a.txt')
    local conversation = { project = { root = root, tell = function() end } }
    local function follow(text)
      asked = nil
      vim.cmd.enew({ bang = true })
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { text })
      chat.act.follow(conversation, nil)
      return vim.api.nvim_buf_get_name(0)
    end
    assert.equal('', follow('see ../other.txt:1'))
    assert.equal('Cancel', asked.items[1])
    assert.equal('Open ' .. other, asked.items[2])
    asked.done('Cancel')
    assert.equal('', vim.api.nvim_buf_get_name(0))
    asked.done(asked.items[2])
    assert.equal(other, vim.api.nvim_buf_get_name(0))
    assert.equal(root .. '/a.txt', follow('see a.txt:1'))
    assert.is_nil(asked)
  end)
end)
