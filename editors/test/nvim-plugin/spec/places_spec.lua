local places = require('agent-sidecar.places')

describe('places in a text', function()
  local dir
  before_each(function()
    dir = vim.fs.normalize(vim.fn.tempname())
    vim.fn.mkdir(dir .. '/src', 'p')
    vim.fn.writefile({ 'x' }, dir .. '/src/a.go')
    vim.fn.writefile({ 'x' }, dir .. '/100%.txt')
  end)

  local function at(text, col) return places.at(dir, text, col) end

  it('are a file with a line', function()
    assert.same({ path = dir .. '/src/a.go', line = 12 }, at('It is in src/a.go:12.'))
    assert.same({ path = dir .. '/src/a.go', line = 12, last = 20 }, at('see `src/a.go:12-20`'))
    assert.same({ path = dir .. '/src/a.go', line = 3 }, at('(src/a.go:3:7)'))
  end)

  it('are a file alone', function()
    assert.same({ path = dir .. '/src/a.go' }, at('│ M src/a.go +1 −1'))
    assert.same({ path = dir .. '/100%.txt' }, at('100%.txt'))
  end)

  it('are an address of the web, and no other', function()
    assert.same({ url = 'https://example.com/a?b=c' }, at('see https://example.com/a?b=c.'))
    for _, text in ipairs({ 'file:///etc/passwd', 'javascript:alert(1)', 'vim://x', 'command:x', 'https://' }) do
      assert.is_nil(at(text))
    end
  end)

  it('are what is under the cursor', function()
    local text = 'src/a.go:1 and https://example.com/'
    assert.equal(1, at(text, 2).line)
    assert.equal('https://example.com/', at(text, 20).url)
    assert.is_nil(at(text, 12))
  end)

  it('say where they really are when that is outside', function()
    local other = vim.fs.normalize(vim.uv.fs_realpath(vim.fs.dirname(dir))) .. '/other-' .. vim.fs.basename(dir) .. '.txt'
    vim.fn.writefile({ 'x' }, other)
    local name = vim.fs.basename(other)
    assert.equal(other, at('../' .. name .. ':1').outside)
    assert.equal(other, at(other).outside)
    assert.equal(other, at('src/../../' .. name).outside)
    vim.uv.fs_symlink(other, dir .. '/src/link.go')
    assert.equal(other, at('src/link.go:1').outside)
    assert.is_nil(at(dir .. '/src/a.go').outside)
    assert.is_nil(at('src/../src/a.go').outside)
  end)

  it('are on no share of another machine', function()
    -- On this machine // is /, so the file is there: it is not looked at all the same.
    assert.is_nil(at('/' .. dir .. '/src/a.go'))
    assert.is_nil(at('\\\\host\\share\\a.go'))
  end)

  it('are nothing that does not exist', function()
    assert.is_nil(at('src/b.go:12'))
    assert.is_nil(at('src:1'))
    assert.is_nil(at('Nothing: here 12:30'))
  end)
end)
