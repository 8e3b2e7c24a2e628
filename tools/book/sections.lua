-- tools/book/sections.lua: a page's headings link to themselves; `sections`,
-- for the contents, is the list of them; and a long page begins with that list,
-- for a screen that has no room for it beside the text.

local MANY = 5

local function html(s)
  return pandoc.RawBlock("html", s)
end

local function listed(doc)
  local sections = pandoc.List()
  for _, el in ipairs(doc.blocks) do
    if el.t == "Header" and el.level == 2 then
      sections:insert({ id = el.identifier,
                        title = pandoc.utils.stringify(el.content) })
    end
  end
  return sections
end

local function linked(el)
  if el.level > 1 and el.identifier ~= "" then
    local title = pandoc.utils.stringify(el.content)
    el.content:insert(pandoc.Link("#", "#" .. el.identifier, "",
      { "", { "anchor" }, { ["aria-label"] = "Link to: " .. title } }))
  end
  return el
end

local function own_contents(blocks, sections)
  local items = pandoc.List()
  for _, one in ipairs(sections) do
    items:insert({ pandoc.Plain(pandoc.Link(one.title, "#" .. one.id)) })
  end
  local first = 1
  while blocks[first] and blocks[first].t ~= "Header" do first = first + 1 end
  blocks:insert(first + 1, html('<details class="on-this-page"><summary>' ..
                                "On this page</summary>"))
  blocks:insert(first + 2, pandoc.BulletList(items))
  blocks:insert(first + 3, html("</details>"))
end

return function(doc)
  local sections = listed(doc)
  doc.meta.sections = sections:map(function(one)
    return { id = one.id, title = pandoc.MetaInlines({ pandoc.Str(one.title) }) }
  end)
  doc = doc:walk({ Header = linked })
  if #sections >= MANY then own_contents(doc.blocks, sections) end
  return doc
end
