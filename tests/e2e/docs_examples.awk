# Holds what a page of the manual prints against what its commands printed: awk -f docs_examples.awk PAGE-BLOCK OUTPUT.
# Every line of the block must be found, in order; other lines may stand between. Blanks count as one. Of numbers in a line:
#   a time (1.2ms) may be any time, since it is the machine's; a percentage must be equal;
#   a number with decimals (a rate) must be within a quarter;
#   a whole number must be equal, or the same share of it as the durations were shortened to (-v scale=N);
#   with -v about=1 (```text expect about) a whole number must be within a quarter of either.
# What thrum says of a machine that was busy with other things ("sent late: this machine woke thrum late; …") is taken out of verdicts first.
# Prints the first line that was not found.

function near(is, should) { return is >= should * 0.75 && is <= should * 1.25 }

# number(TEXT): the number at the start of TEXT with its unit; also sets value and kind.
function number(text,    digits) {
  match(text, /^[0-9]+(\.[0-9]+)?/)
  digits = substr(text, 1, RLENGTH)
  value = digits + 0
  kind = digits ~ /\./ ? "rate" : "count"
  text = substr(text, RLENGTH + 1)
  if (match(text, /^(ns|µs|ms|s|m|h)([^A-Za-z]|$)/)) {
    kind = "time"
    match(text, /^(ns|µs|ms|s|m|h)/)
    return digits substr(text, 1, RLENGTH)
  }
  if (text ~ /^%/) kind = "share"
  return digits
}

# A whole time, 1m2.5s, is one number.
function whole(text,    all, part) {
  all = part = number(text)
  while (kind == "time" && substr(text, length(all) + 1) ~ /^[0-9]/) all = all number(substr(text, length(all) + 1))
  return all
}

function same_number(    i) {
  if (doc_kind != kind) return 0
  if (kind == "time") return 1
  if (kind == "share") return value == doc_value
  if (kind == "rate") return near(value, doc_value)
  if (value == doc_value || value * scale == doc_value) return 1
  return about && (near(value, doc_value) || near(value * scale, doc_value))
}

function same(doc, is,    at) {
  while (match(doc, /[0-9]/)) {
    at = RSTART
    if (substr(is, 1, at - 1) != substr(doc, 1, at - 1)) return 0
    doc = substr(doc, at)
    is = substr(is, at)
    if (is !~ /^[0-9]/) return 0
    doc_text = whole(doc); doc_kind = kind; doc_value = value
    is_text = whole(is)
    if (!same_number()) return 0
    doc = substr(doc, length(doc_text) + 1)
    is = substr(is, length(is_text) + 1)
  }
  return open ? index(is, doc) == 1 : doc == is
}

# A documented line that ends with … is the beginning of a line.
function found(doc, is) {
  open = sub(/ …$/, " ", doc)
  return same(doc, is)
}

function squeeze(line,    late) {
  late = "sent late: (CPU|this machine woke thrum late); the busiest of [0-9]+ sending threads? was [0-9]+ % busy"
  gsub(late "; ", "", line)
  sub(late, "kept up", line)
  gsub(/[ \t]+/, " ", line)
  sub(/^ /, "", line)
  sub(/ $/, "", line)
  return line
}

FNR == NR { block[++blocks] = $0; next }
{ output[++outputs] = $0 }
END {
  for (b = 1; b <= blocks; b++) {
    for (o++; o <= outputs && !found(squeeze(block[b]), squeeze(output[o])); o++);
    if (o > outputs) { print block[b]; exit 1 }
  }
}
