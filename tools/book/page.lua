-- tools/book/page.lua: what pandoc must know to make a page of the book of one
-- of docs/. Given as metadata: `path`, where the page lies in the project. All
-- of the book is one folder: docs/05_flash1.md is 05_flash1.html there, a
-- picture keeps its name, and any other file a/b.c that is linked to is
-- a-b.c.html. Those are written to $BOOK_LINKED, with their page.

local path, linked

-- The file that a link on this page leads to, from the top of the project.
local function file_of(target)
  local parts = {}
  for part in ((path:match("^(.*/)") or "") .. target):gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

local function page_of(file)
  if file:match("%.svg$") then return file:match("[^/]*$") end
  return file:gsub("^docs/", ""):gsub("%.md$", ""):gsub("/", "-") .. ".html"
end

local function in_book(target)
  if target:match("^%a+:") or target:match("^#") then return target end
  local name, anchor = target:match("^([^#]*)(#?.*)$")
  local file = file_of(name)
  linked:write(file, "\t", page_of(file), "\n")
  return page_of(file) .. anchor
end

-- Words in a formula stand upright; a long one scrolls by itself.
local function formula(el)
  el.text = el.text:gsub("\\mathrm(%b{})", "\\text%1")
  local wide = el.mathtype == "DisplayMath" and "display" or
               #el.text > 60 and "long"
  return wide and pandoc.Span({ el }, { class = wide }) or el
end

-- Below code that was woven from a file: where the rest of it is.
local function blocks(list)
  local out, from = pandoc.List(), nil
  for _, el in ipairs(list) do
    local comment = el.t == "RawBlock" and el.text:match("^<!%-%- (.*) %-%->")
    if comment then
      from = comment:match("^weave code (%S+)") or comment:match("^weave bite (%S+)")
    elseif el.t == "Table" or
           el.t == "Para" and #el.content == 1 and el.content[1].t == "Image" then
      out:insert(pandoc.Div({ el }, { class = "scroll" }))
    else
      out:insert(el)
    end
    if from and el.t == "CodeBlock" then
      local page = page_of(from)
      linked:write(from, "\t", page, "\n")
      out:insert(pandoc.Div(pandoc.Plain(pandoc.Link(from, page)),
                            { class = "from" }))
    end
  end
  return out
end

return {
  { Meta = function(meta)
      path = pandoc.utils.stringify(meta.path)
      linked = assert(io.open(os.getenv("BOOK_LINKED"), "a"))
    end },
  { Link = function(el) el.target = in_book(el.target) return el end,
    Image = function(el) el.src = in_book(el.src) return el end,
    CodeBlock = function(el)
      if el.classes[1] == "cuda" then el.classes[1] = "cpp" end
      return el
    end,
    Math = formula },
  { Blocks = blocks },
  { Pandoc = function() linked:close() end },
}
