local kept = require('agent-sidecar.kept')

local function write(text)
  vim.fn.mkdir(vim.fs.dirname(kept.file()), 'p')
  vim.fn.writefile(vim.split(text, '\n'), kept.file(), 'b')
  kept.forget()
end

describe('kept pieces', function()
  before_each(function()
    vim.fn.delete(kept.file())
    kept.forget()
  end)

  it('are known after a restart, by what they are against', function()
    kept.keep('one', 'a')
    kept.keep('one', 'b')
    kept.keep('two', 'c')
    kept.forget()
    assert.same({ a = true, b = true }, kept.of('one'))
    assert.same({ c = true }, kept.of('two'))
    assert.same({}, kept.of('three'))
  end)

  it('are of this person alone', function()
    kept.keep('one', 'a')
    assert.equal('rw-------', vim.fn.getfperm(kept.file()))
    assert.same({ 'kept.json' }, vim.fn.readdir(vim.fs.dirname(kept.file())))
  end)

  it('of a file that is broken, or another one, are none, and it is written anew', function()
    for _, text in ipairs({ '', '{', 'null', '7', '{"one": ["a"]}', '[null, 7, {}, {"under": 1, "pieces": []}, {"under": "one", "pieces": {"a": 1}}, {"under": "one", "pieces": [1]}]', ('['):rep(100000) }) do
      write(text)
      assert.same({}, kept.of('one'), text:sub(1, 100))
      kept.keep('one', 'a')
      kept.forget()
      assert.same({ a = true }, kept.of('one'), text:sub(1, 100))
    end
  end)

  it('of another Neovim stay', function()
    kept.keep('one', 'a')
    write('[{"under": "one", "pieces": ["a", "b"]}, {"under": "two", "pieces": ["c"]}]')
    kept.keep('one', 'd')
    kept.forget()
    assert.same({ a = true, b = true, d = true }, kept.of('one'))
    assert.same({ c = true }, kept.of('two'))
  end)

  it('are bounded: what was not touched longest goes first', function()
    for i = 1, 110 do kept.keep('file ' .. i, 'a') end
    for i = 1, 510 do kept.keep('file 50', 'p' .. i) end
    kept.forget()
    assert.same({}, kept.of('file 10'))
    assert.same({ a = true }, kept.of('file 11'))
    assert.equal(500, vim.tbl_count(kept.of('file 50')))
    assert.is_nil(kept.of('file 50').p10)
    assert.is_true(kept.of('file 50').p510)
  end)
end)
