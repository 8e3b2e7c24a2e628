-- tools/book/annotate.lua: a source file with its notes beside it. The notes
-- are docs/notes/NAME.md, in which a paragraph that begins with code belongs
-- to the next line of the file that holds this code:
--
--     `float alpha = exp_minus(m, m_new);` What the past is multiplied by.
--
-- Code that is no longer there is an error.

local languages = { c = "c", h = "c", cu = "cpp", cuh = "cpp", cpp = "cpp",
                    sh = "bash", awk = "awk", py = "python", mk = "makefile",
                    lua = "lua" }

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do
    lines[#lines + 1] = line:gsub("\t", "        ")
  end
  return lines
end

-- A comment of its own, right above, belongs to the line that it announces.
local function with_comment(lines, n, from)
  while n > from and lines[n - 1]:match("^%s*/%*.*%*/$") and
        not lines[n - 1]:match("ANCHOR") do
    n = n - 1
  end
  return n
end

-- Notes: { first line, blocks }; what stands above them: the introduction.
local function notes_of(blocks, lines, path)
  local notes, introduction, from = {}, pandoc.List(), 1
  for _, block in ipairs(blocks) do
    local first = block.t == "Para" and block.content[1]
    if block.t == "Header" then
      -- the page's title: the file has its own
    elseif first and first.t == "Code" then
      local n = from
      while lines[n] and not lines[n]:find(first.text, 1, true) do n = n + 1 end
      if not lines[n] then
        error(path .. ": has no line (left) with: " .. first.text)
      end
      block.content:remove(1)
      notes[#notes + 1] = { line = with_comment(lines, n, from),
                            blocks = pandoc.List({ block }) }
      from = n + 1
    elseif #notes > 0 then
      notes[#notes].blocks:insert(block)
    else
      introduction:insert(block)
    end
  end
  return notes, introduction
end

-- A blank last line would be left out; with a blank in it, it stays.
local function code(lines, first, last, language)
  lines[last] = lines[last] == "" and " " or lines[last]
  return pandoc.CodeBlock(table.concat(lines, "\n", first, last),
    { "", { language, "numberLines" }, { startFrom = tostring(first) } })
end

return function(doc, path)
  local lines = lines_of(path)
  local language = languages[path:match("%.(%w+)$") or ""] or "default"
  local notes, introduction = notes_of(doc.blocks, lines, path)
  local rows, from = pandoc.List(), 1
  for n = 0, #notes do
    local till = notes[n + 1] and notes[n + 1].line - 1 or #lines
    if till >= from then
      if notes[n] then
        rows:insert(pandoc.Div(notes[n].blocks, { class = "note" }))
      elseif #notes > 0 then -- else the next note would rise to these lines
        rows:insert(pandoc.RawBlock("html", '<div class="note"></div>'))
      end
      rows:insert(pandoc.Div(code(lines, from, till, language),
                             { class = "lines" }))
    end
    from = till + 1
  end
  introduction:insert(1, pandoc.Header(1, pandoc.Code(path)))
  introduction:insert(pandoc.Div(rows, { class = notes[1] and "annotated" }))
  return pandoc.Pandoc(introduction, doc.meta)
end
