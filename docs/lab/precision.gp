# Pictures of the precision lab, from the table that docs/lab/precision.sh prints. loss.gp
# draws them. docs/precision.md explains them.

random = '$1 == "attention" && $2 == "normal:1" && '
fp32 = '$3 == "fp32" && '

part = 'length'
head = 'Summing each tile separately loses fewer bits'
which = random.fp32.'$7 == 64 && $4 ~ /^(three|two|one)_pass|^flash[12]$/'
options = '-v x=5'
load 'docs/lab/loss.gp'

part = 'tile'
head = 'The best tile is neither one key nor all of them'
which = random.fp32.'$5 == 4096 && $4 ~ /^three_pass|^flash[12]$/'
options = '-v x=7'
load 'docs/lab/loss.gp'

part = 'spread'
head = 'Leaving out the scale has the effect of a larger deviation'
which = '$2 ~ /^(normal|unscaled):/ && $5 == 4096 && $7 == 64 && '.fp32. \
    '$4 ~ /^three_pass|^flash2$/'
options = '-v x=2'
load 'docs/lab/loss.gp'

part = 'rising'
head = 'A rescale at every key adds error, one at every tile does not'
measure = 'error of O / error of three pass'
which = '$2 == "sorted:1" && '.fp32.'($4 ~ /^(two|three)_pass/ && $7 == 1 || $4 == "flash2")'
options = '-v x=5 -v over=three_pass_attention'
load 'docs/lab/loss.gp'

part = 'state'
head = 'FlashAttention rounds O once per tile, FlashAttention-2 once'
measure = 'relative error of O, stored in bf16'
which = random.'($3 == "bf16:PO" || $3 == "bf16:POml" && $4 == "flash1")'
options = '-v x=7'
load 'docs/lab/loss.gp'
