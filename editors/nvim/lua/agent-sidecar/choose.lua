-- Asks a person to choose, with vim.ui.select, whoever it is by. CTRL-C in Neovim's own is an error there; it is no choice.
--- @param items any[]
--- @param options table as vim.ui.select takes them
--- @param done fun(choice: any?)
return function(items, options, done)
  local answered
  local ok, err = pcall(vim.ui.select, items, options, function(choice)
    answered = true
    done(choice)
  end)
  if ok then return end
  if answered or not tostring(err):find('Keyboard interrupt', 1, true) then error(err, 0) end
  done(nil)
end
