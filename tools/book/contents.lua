-- tools/book/contents.lua: the reading order (list.sh's lines) as a nested list,
-- seen from the page `here`: what hangs below a page is shown to who is there,
-- and below `here` itself its sections. And what is before, after and above it.

local where = require("where")

local function link(title, target, attributes)
  return pandoc.Plain({ pandoc.Link({ pandoc.Str(title) }, target, "",
                                    pandoc.Attr("", {}, attributes or {})) })
end

return function(doc, here)
  local sections, order, like, at = {}, {}, {}, {}
  for _, el in ipairs(doc.blocks) do
    if el.t == "Header" and el.level == 2 then
      sections[#sections + 1] = { link(pandoc.utils.stringify(el.content),
                                       "#" .. el.identifier) }
    end
  end
  for line in io.lines(os.getenv("BOOK_LIST")) do
    local page, title, above = line:match("^.-\t(.-)\t(.-)\t(.*)$")
    local entry = { page = page, title = title, above = above }
    order[#order + 1] = entry
    if page ~= "part" then
      like[above] = like[above] or {}
      table.insert(like[above], entry)
      entry.n = #like[above]
      at[page] = entry
    end
  end

  local me = at[here]
  local function item(entry)
    local current = entry.page == here
    local blocks = { link(entry.title, where.relative(here, entry.page),
                          current and { ["aria-current"] = "page" }) }
    if current and #sections > 0 then
      table.insert(blocks, pandoc.Div({ pandoc.BulletList(sections) },
                                      pandoc.Attr("", { "sections" })))
    end
    local family = me and me.above == entry.page or current
    if family and like[entry.page] then
      local below = pandoc.List(like[entry.page]):map(item)
      table.insert(blocks, pandoc.BulletList(below))
    end
    return blocks
  end

  local parts = pandoc.List()
  for _, entry in ipairs(order) do
    if entry.page == "part" then
      parts:insert({ title = entry.title, pages = {} })
    elseif entry.above == "" then
      table.insert(parts[#parts].pages, item(entry))
    end
  end
  doc.meta.contents = pandoc.MetaBlocks({ pandoc.BulletList(parts:map(
    function(part)
      return { pandoc.Plain({ pandoc.Str(part.title) }),
               pandoc.BulletList(part.pages) }
    end)) })
  local function neighbour(name, entry)
    if entry then
      doc.meta[name] = pandoc.MetaInlines(
        link(entry.title, where.relative(here, entry.page)).content)
    end
  end
  if me then
    neighbour("previous", like[me.above][me.n - 1])
    neighbour("next", like[me.above][me.n + 1])
    neighbour("above", at[me.above])
  end
end
