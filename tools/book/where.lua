-- tools/book/where.lua: where a file of the project stands in the book.
--   docs/x.md -> x.html, a/b.md -> a/b.html; plots and other pictures keep
--   their name; any other file f becomes the source page f.html. What lies in
--   docs/ lies at the top. Notes stand on the page of the file they are about.

local where = {}

function where.folder(path)
  return path:match("^(.*)/") or ""
end

-- Both joined, with . and .. worked out.
function where.join(folder, path)
  local parts = {}
  for part in (folder .. "/" .. path):gmatch("[^/]+") do
    if part == ".." and #parts > 0 and parts[#parts] ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

-- A folder stands for its README.md, or for the list of its files; notes, which
-- begin with a title that links to their file, for that file.
function where.file(path)
  if path:match("^docs/notes/") and path ~= "docs/notes/index.md" then
    return io.lines(path)():match("%(%.%./%.%./(.-)%)")
  end
  local folder = io.open(path .. "/.")
  if not folder then return path end
  folder:close()
  local readme = io.open(path .. "/README.md")
  if not readme then return path .. "/index.md" end
  readme:close()
  return path .. "/README.md"
end

function where.page(path)
  path = path:gsub("^docs/", "")
  if path:match("%.svg$") or path:match("%.png$") then return path end
  return path:gsub("%.md$", "") .. ".html"
end

-- The way from the file `from` to the file `to`.
function where.relative(from, to)
  local up = where.folder(from):gsub("[^/]+", "..")
  return up == "" and to or up .. "/" .. to
end

return where
