# tools/book/mathml.sed: what browsers want otherwise than pandoc writes it.
# An accent is a character of its own, not one that combines.
s|<mo accent="true">̃</mo>|<mo accent="true" stretchy="false">˜</mo>|g
s|<mo accent="true">̂</mo>|<mo accent="true" stretchy="false">ˆ</mo>|g
