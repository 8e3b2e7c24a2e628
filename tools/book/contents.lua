-- tools/book/contents.lua: the reading order (list.sh's lines) as a nested list,
-- seen from the page `here`: what hangs below a page is shown to who is there,
-- and below `here` itself its sections. And what is before, after and above it.

local where = require("where")

local function link(title, target, attributes)
  return pandoc.Plain({ pandoc.Link({ pandoc.Str(title) }, target, "",
                                    pandoc.Attr("", {}, attributes or {})) })
end

return function(doc, here)
  local sections, parts, like, at = {}, pandoc.List(), {}, {}
  for _, el in ipairs(doc.blocks) do
    if el.t == "Header" and el.level == 2 then
      sections[#sections + 1] = { link(pandoc.utils.stringify(el.content),
                                       "#" .. el.identifier) }
    end
  end
  for line in io.lines(os.getenv("BOOK_LIST")) do
    local page, title, above = line:match("^.-\t(.-)\t(.-)\t(.*)$")
    if page == "part" then
      parts:insert({ title = title, pages = pandoc.List() })
    else
      like[above] = like[above] or pandoc.List()
      at[page] = { page = page, title = title, above = above, n = #like[above] + 1 }
      like[above]:insert(at[page])
      if above == "" then parts[#parts].pages:insert(at[page]) end
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
      table.insert(blocks, pandoc.BulletList(like[entry.page]:map(item)))
    end
    return blocks
  end

  doc.meta.contents = pandoc.MetaBlocks({ pandoc.BulletList(parts:map(
    function(part)
      return { pandoc.Plain({ pandoc.Str(part.title) }),
               pandoc.BulletList(part.pages:map(item)) }
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
