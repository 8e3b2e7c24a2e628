-- tools/book/index.lua: what the search finds. Each section of a page, and each
-- term of the glossary, is a line of $BOOK_INDEX, as JavaScript:
--   ["page#anchor", "title of the page", "title of the section", "text"],

local where = require("where")

-- Of a formula, its letters.
local function plain(blocks)
  local doc = pandoc.Pandoc(blocks):walk({
    Math = function(el) return pandoc.Str((el.text:gsub("\\%a+", " "))) end })
  local text = pandoc.write(doc, "plain")
  return (text:gsub("%-%-%-+", " "):gsub("%s+", " "))
end

local function quoted(s)
  return '"' .. s:gsub('[\\"]', "\\%0"):gsub("%c", " ") .. '"'
end

-- A list's items that have a name of their own, as in the glossary.
local function terms(list, add)
  for _, item in ipairs(list.content) do
    local inlines = item[1] and item[1].content or {}
    local raw, strong = inlines[1], inlines[3]
    local id = raw and raw.t == "RawInline" and raw.text:match('id="(.-)"')
    if id and strong and strong.t == "Strong" then
      add(id, pandoc.utils.stringify(strong), item)
    end
  end
end

-- The comment with which a source file begins.
local function opening(path)
  local text = ""
  for line in io.lines(path) do
    if line:match("^#include") or #text > 2000 then break end
    text = text .. " " .. line:gsub("^%s*[/*#%-]+", "")
  end
  return text:gsub("%s+", " ")
end

return function(doc, path)
  local out = assert(io.open(os.getenv("BOOK_INDEX"), "a"))
  local page, title = where.page(path), pandoc.utils.stringify(doc.meta.pagetitle)
  local anchor, section, blocks = "", "", pandoc.List()

  local function add(id, name, of, text)
    out:write("[", quoted(page .. (id ~= "" and "#" .. id or "")), ",",
              quoted(title), ",", quoted(name), ",",
              quoted(text or plain(of)), "],\n")
  end

  if not path:match("%.md$") then
    add("", "", nil, opening(path) .. " " .. plain(doc.blocks))
    out:close()
    return
  end
  for _, el in ipairs(doc.blocks) do
    if el.t == "Header" and el.level > 1 then
      add(anchor, section, blocks)
      anchor, section = el.identifier, pandoc.utils.stringify(el.content)
      blocks = pandoc.List()
    elseif el.t ~= "CodeBlock" and el.t ~= "RawBlock" and el.t ~= "Header" then
      if el.t == "BulletList" then terms(el, add) end
      blocks:insert(el)
    end
  end
  add(anchor, section, blocks)
  out:close()
end
