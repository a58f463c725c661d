local proposal = require('agent-sidecar.proposal')

local function edit(before, now) return proposal.input({ tool = 'edit', input = { path = 'a', old = 'x', new = 'y', replaceAll = true } }, before, now) end

describe('a changed proposal', function()
  it('is of a tool whose arguments are the text of a file', function()
    local function asked(more) return vim.tbl_extend('force', { tool = 'edit', input = {}, editable = true, decisions = { 'once' } }, more) end
    assert.is_true(proposal.editable(asked({})))
    for _, more in ipairs({ { tool = 'bash' }, { editable = false }, { decisions = { 'reject' } }, { input = 'x' } }) do assert.is_false(proposal.editable(asked(more))) end
  end)

  it('replaces the lines that differ, and as many around as make them the only ones', function()
    assert.same({ path = 'a', old = 'b\n', new = 'B\n' }, edit('a\nb\nc\n', 'a\nB\nc\n'))
    assert.same({ path = 'a', old = 'x\nx\ny\n', new = 'x\nX\ny\n' }, edit('x\nx\ny\n', 'x\nX\ny\n'))
    assert.same({ path = 'a', old = 'a\nb\n', new = 'a\nnew\nb\n' }, edit('a\nb\n', 'a\nnew\nb\n'))
    assert.same({ path = 'a', old = 'b', new = 'B' }, edit('a\nb', 'a\nB'))
    assert.is_nil(edit('', 'new'))
  end)

  it('is a write of all of it, or a patch of the same file', function()
    assert.same({ path = 'a', content = 'mine\n' }, proposal.input({ tool = 'write', input = { path = 'a' } }, '', 'mine\n'))
    assert.same({ path = 'a', content = '', allowEmpty = true }, proposal.input({ tool = 'write', input = { path = 'a' } }, 'x', ''))
    local patch = '*** Begin Patch\n*** Update File: dir/a b.txt\n@@\n-b\n+c\n*** End Patch'
    assert.same({ patch = '*** Begin Patch\n*** Update File: dir/a b.txt\n@@\n-b\n+mine\n*** End Patch' }, proposal.input({ tool = 'apply_patch', input = { patch = patch } }, 'a\nb\n', 'a\nmine\n'))
    assert.is_nil(proposal.input({ tool = 'apply_patch', input = { patch = '--- a/x\n+++ b/x\n' } }, 'a\n', 'b\n'))
  end)
end)
