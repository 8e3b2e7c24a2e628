-- tools/book/page.lua: what a Markdown page needs to be a page of the book.
-- Given as metadata: `path`, the page's own path in the project.
--   links     to a .md page become .html, to any other file its source page
--   plots     stand in a figure that scrolls by itself
--   code      woven from a file is numbered as there and names the file
--   long code and diffs are folded
--   tables, displayed formulas   scroll by themselves
--   <!-- book stepper ... -->    becomes a stepper, in place of the fence
--                                that follows
--   <!-- outside the book -->    is left out, up to <!-- end -->
-- Every file that is linked to is written, with its page, to $BOOK_LINKED.

local where = require("where")
local annotate = require("annotate")
local index = require("index")
local contents = require("contents")

local path, linked, has_stepper

local function html(s)
  return pandoc.RawBlock("html", s)
end

local function to_book(target)
  if target:match("^%a+:") or target:match("^#") then return target end
  local file, anchor = target:match("^([^#]*)(#?.*)$")
  -- On the page of a source file only its notes have links.
  local here = path:match("%.md$") and where.folder(path) or "docs/notes"
  local from_top = where.file(where.join(here, file))
  local page = where.page(from_top)
  linked:write(from_top, "\t", page, "\n")
  return where.relative(where.page(path), page) .. anchor
end

local function link(el)
  el.target = to_book(el.target)
  return el
end

local function picture(el)
  local caption = pandoc.utils.stringify(el.caption)
  el.src = to_book(el.src)
  return { html('<figure class="plot"><div class="scroll">'),
           pandoc.Plain({ pandoc.Image(caption, el.src, "", el.attr) }),
           html('</div><figcaption aria-hidden="true">'),
           pandoc.Plain(el.caption), html("</figcaption></figure>") }
end

-- The number of the first line that has the text.
local function line_with(file, text)
  local n = 0
  for line in io.lines(file) do
    n = n + 1
    if line:find(text, 1, true) then return n end
  end
end

local function woven_code(file, first, block)
  local page = to_book(where.relative(path, file))
  block.attr = { "", { block.classes[1], "numberLines" },
                 { startFrom = tostring(first) } }
  return { block, html('<p class="from"><a href="' .. page .. "#L" .. first ..
                       '">' .. file .. "</a></p>") }
end

local LONG = 25

-- Folded if long, but not in what is folded already.
local function folded(what, text, block, open)
  local _, ends = text:gsub("\n", "")
  if open > 0 or ends < LONG then return { block } end
  return { html(("<details class=\"fold\"><summary>%s, %d lines</summary>"):format(
                  what, ends + 1)), block, html("</details>") }
end

local function stepper(kind, words)
  local arguments = { kind, "all" }
  for word in words:gmatch("%S+") do arguments[#arguments + 1] = word end
  return html(('<div class="stepper" data-kind="%s" data-words="%s">'):format(
                kind, words) ..
              pandoc.pipe(os.getenv("BOOK_STEPS"), arguments, "") .. "</div>")
end

local function blocks(list)
  local out, i, open = pandoc.List(), 1, 0 -- open: how many details
  while i <= #list do
    local el, next_el = list[i], list[i + 1]
    local comment = el.t == "RawBlock" and el.text or ""
    local weave, file, text = comment:match("^<!%-%- weave (%a+) (%S+) (.+) %-%->")
    local kind, words = comment:match("^<!%-%- book stepper (%S+) ?(.-) ?%-%->")
    if comment:match("^<details") then open = open + 1 end
    if comment:match("^</details") then open = open - 1 end
    if kind then
      has_stepper = true
      out:insert(stepper(kind, words))
    end
    if kind or comment:match("^<!%-%- outside the book %-%->") then
      repeat i = i + 1 until list[i].t == "RawBlock" and
                             list[i].text:match("^<!%-%- end %-%->")
    elseif weave == "code" then
      local first = line_with(file, "ANCHOR: " .. text) + 1
      local woven = pandoc.Div(woven_code(file, first, next_el))
      out:extend(folded("<code>" .. file .. "</code>", next_el.text, woven, open))
      i = i + 1
    elseif weave == "bite" then -- | its first line | its last
      local first = line_with(file, text:sub(3):gsub(" | .*", ""))
      out:extend(woven_code(file, first, next_el))
      i = i + 1
    elseif comment:match("^<!%-%-") then
      -- nothing: comments are for those who write
    elseif el.t == "CodeBlock" and el.classes[1] == "diff" then
      out:extend(folded("What changed", el.text, el, open))
    elseif el.t == "Table" then
      out:extend({ html('<div class="scroll">'), el, html("</div>") })
    elseif el.t == "Para" and #el.content == 1 and el.content[1].t == "Image" then
      out:extend(picture(el.content[1]))
    else
      out:insert(el)
    end
    i = i + 1
  end
  return out
end

-- Words in a formula stand upright, as one word.
local function formula(el)
  el.text = el.text:gsub("\\mathrm(%b{})", "\\text%1")
  if el.mathtype == "DisplayMath" then
    return pandoc.Span({ el }, { class = "display" })
  end
  if #el.text > 60 then return pandoc.Span({ el }, { class = "long" }) end
  return el
end

-- A point or comma stays on the line of its formula, and 1e-6 in one piece; so
-- does a short `make lab-row`, which a browser would break at its hyphen.
local function glue(list)
  for i = #list, 1, -1 do
    local el, rest = list[i], list[i + 1]
    local mark = el.t == "Math" and el.mathtype == "InlineMath" and rest and
                 rest.t == "Str" and rest.text:match("^[.,:;)]+")
    local short_code = el.t == "Code" and #el.text <= 24 and
                       el.text:match("%-%w")
    if el.t == "Str" and el.text:match("%de%-%d") or short_code then
      list[i] = pandoc.Span({ el }, { class = "glued" })
    elseif mark then
      rest.text = rest.text:sub(#mark + 1)
      list[i] = pandoc.Span({ el, pandoc.Str(mark) }, { class = "glued" })
    end
  end
  return list
end

return {
  { Meta = function(meta)
      path = pandoc.utils.stringify(meta.path)
      linked = assert(io.open(os.getenv("BOOK_LINKED"), "a"))
    end },
  { Pandoc = function(doc)
      local page = path:match("%.md$")
      doc.meta.kind = page and "page" or "source"
      doc.meta.root = where.relative(where.page(path), "")
      doc.meta.pagetitle = page and pandoc.utils.stringify(doc.blocks[1]) or path
      index(doc, path)
      return page and doc or annotate(doc, path)
    end },
  { Link = link, Math = formula },
  { Inlines = glue },
  { Blocks = blocks },
  { Pandoc = function(doc)
      linked:close()
      doc.meta.stepper = has_stepper
      contents(doc, where.page(path))
      return doc
    end },
}
