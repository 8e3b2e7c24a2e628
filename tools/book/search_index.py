"""search_index.py BOOK: improves the search index of the built book. Formulas are left
out, since their TeX is unreadable in a result. Each term of the glossary becomes an item
with the term as its title, so that a search for the term finds its definition first.
"""
import json
import re
import sys

BOOK = sys.argv[1]
TEX = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]", re.S)
# A term of docs/glossary.md: - <a id="gqa"></a>**Grouped-query attention** (GQA): text
TERM = re.compile(r'^- <a id="([^"]+)"></a>(.*?)\*\*(.*?)\*\*([^:]*):(.*?)(?=^- |^#|\Z)',
                  re.S | re.M)
# A row of its table of symbols that names another word: | scale | ... `softmax_scale` |
ROW = re.compile(r"^\| (\S+) \| (.*elsewhere `(\w+)`.*) \|$", re.M)


def plain(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`$]|<[^>]*>", "", text).split())


with open("docs/glossary.md", encoding="utf-8") as f:
    glossary = f.read()
terms = [(at, f"{before}{name}{more}", text) for at, before, name, more, text in
         TERM.findall(glossary)]
terms += [("symbols", f"{name}, {other}", text) for name, text, other in
          ROW.findall(glossary)]
with open(f"{BOOK}/search.json", encoding="utf-8") as f:
    index = json.load(f)
for item in index["items"]:
    item["text"] = TEX.sub("", item["text"])
path = next(item["path"] for item in index["items"]
            if item["location"] == "glossary.html")
index["items"] = [{"location": f"glossary.html#{at}", "level": 1, "title": plain(title),
                   "text": f"<p>{plain(text)}</p>", "path": path, "tags": []}
                  for at, title, text in terms] + index["items"]
text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
for name, before in ("search.json", ""), ("search.js", "var __index = "):
    with open(f"{BOOK}/{name}", "w", encoding="utf-8") as f:
        f.write(before + text)
print(f"  made    search index: {len(terms)} terms")
