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

  it('is for the question that was named, and for no other', function()
    local told
    local project = { root = '/p', tell = function(text) told = text end }
    local approvals = Approvals.new(project)
    project.approvals = approvals
    approvals.open.a, approvals.order = { approvalId = 'a', title = 'read a.txt', decisions = { 'once', 'reject' } }, { 'a' }
    -- A question in the chat that is answered: the one that is open is another.
    chat.act.answer({ project = project }, { kind = 'question', data = { approval = { approvalId = 'gone' } } })
    assert.is_nil(asked)
    assert.equal('there is no such pending approval', told)
    chat.act.answer({ project = project }, nil)
    assert.truthy(asked.prompt:find('read a.txt', 1, true))
  end)

  -- Two projects have the same numbers: each of them begins with session 0001.
  it('is for what its own project shows', function()
    local function project(root, text)
      local p = { root = root, tell = error }
      p.approvals = Approvals.new(p)
      p.approvals.open.a1 = { approvalId = 'a1', title = 'do', risk = 'execute', decisions = { 'once', 'reject' }, targets = { '1', '2' }, preview = { kind = 'text', text = text .. '\n1\n2\n3' } }
      p.approvals.order = { 'a1' }
      p.approvals:command()
      local win = vim.api.nvim_get_current_win()
      return p, win, function() return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n') end
    end
    local one, win, shown = project('/one', 'the first')
    vim.cmd.tabnew()
    local two, other, its = project('/two', 'the second')
    assert.truthy(shown():find('the first', 1, true) and its():find('the second', 1, true))
    one.approvals:command() -- its review is in another tab
    assert.is_nil(asked)
    two.approvals:resolve({ approvalId = 'a1' })
    assert.is_false(vim.api.nvim_win_is_valid(other))
    one.approvals:command()
    assert.truthy(asked)
    assert.is_true(#vim.api.nvim_list_wins() > 1 and not vim.api.nvim_win_is_valid(win))
    one.approvals:clear()
    vim.cmd('silent! tabonly | silent! only')
  end)

  it('needs its review on the screen, all of it', function()
    local project = { root = '/three', tell = function() end }
    project.approvals = Approvals.new(project)
    project.approvals.open.a1 = { approvalId = 'a1', title = 'do', risk = 'execute', decisions = { 'once', 'reject' }, targets = { '1' }, preview = { kind = 'text', text = '1\n2\n3\n4' } }
    project.approvals.order = { 'a1' }
    project.approvals:command()
    assert.is_nil(asked)
    vim.cmd.edit({ vim.fn.tempname(), bang = true }) -- somebody goes to another file in its window
    project.approvals:command()
    assert.is_nil(asked)
    vim.cmd.only() -- and it is the only window when the question is answered elsewhere
    project.approvals:resolve({ approvalId = 'a1' })
    assert.is_nil((require('agent-sidecar.review').shown()))
    assert.equal('', vim.api.nvim_buf_get_name(0))
    project.approvals.open.a2 = vim.tbl_extend('force', { approvalId = 'a2', title = 'read', decisions = { 'once' } }, {})
    project.approvals.order = { 'a2' }
    project.approvals:command()
    assert.truthy(asked)
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
