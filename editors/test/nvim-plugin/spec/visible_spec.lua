local visible = require('agent-sidecar.visible')

describe('text of others in one line', function()
  it('keeps what can be seen', function()
    for _, text in ipairs({ 'go test ./…', 'Grüße, 你好', 'a\u{301}', '→ x', '👍' }) do
      assert.equal(text, visible.line(text))
    end
  end)

  it('shows what cannot be seen as its code', function()
    assert.equal('rm <U+202E>fdp.exe', visible.line('rm \u{202e}fdp.exe'))
    assert.equal('a<U+200B>b', visible.line('a\u{200b}b'))
    assert.equal('<U+001B>[31mred', visible.line('\27[31mred'))
    assert.equal('x<U+0000>y', visible.line('x\0y'))
    assert.equal('<U+2066>a<U+2069>', visible.line('\u{2066}a\u{2069}'))
    assert.equal('<U+E0041>', visible.line('\u{e0041}'))
    assert.equal('<U+FEFF>a<U+00AD>b', visible.line('\u{feff}a\u{ad}b'))
  end)

  it('makes one line of many', function() assert.equal('one ⏎ two ⏎ three', visible.line('one\ntwo\r\nthree')) end)

  it('leaves line breaks in a text of many lines', function() assert.equal('one\n<U+202E>two', visible.text('one\n\u{202e}two')) end)

  it('cuts to a width', function()
    assert.equal('abcd…', visible.short('abcdefgh', 5))
    assert.equal('abcde', visible.short('abcde', 5))
  end)

  it('cannot be an instruction of a status line', function()
    local text = visible.status("%{system('touch /tmp/x')} 100%")
    assert.equal("%%{system('touch /tmp/x')} 100%%", text)
    assert.equal("%{system('touch /tmp/x')} 100%", vim.api.nvim_eval_statusline(text, {}).str)
  end)

  it('takes what is no text', function()
    assert.equal('', visible.line(nil))
    assert.equal('', visible.line(vim.NIL))
    assert.equal('12', visible.line(12))
  end)
end)
