# tools/book/pandoc.sed: what browsers want otherwise than pandoc writes it.
# An accent is a character of its own, not one that combines.
s|<mo accent="true">̃</mo>|<mo accent="true" stretchy="false">˜</mo>|g
s|<mo accent="true">̂</mo>|<mo accent="true" stretchy="false">ˆ</mo>|g
# A line's number is no stop for the Tab key.
s|\(<span id="\([^"]*\)"><a href="#\2"\)></a>|\1 tabindex="-1" aria-hidden="true"></a>|g
# A heading links to itself.
s|<h\([2-4]\) id="\([^"]*\)">\(.*\)</h|<h\1 id="\2">\3<a href="#\2" class="anchor" aria-label="Link to this section">#</a></h|
