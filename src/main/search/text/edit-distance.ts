/**
 * Returns the optimal string alignment distance (Damerau–Levenshtein without edits within a swap), or a number greater
 * than `maxEdits` if the distance exceeds it.
 */
export function editDistance(one: string, other: string, maxEdits: number): number {
  // Most words differ in more letters: an edit changes at most two.
  const different = lettersOf(one) ^ lettersOf(other)
  if (Math.abs(one.length - other.length) > maxEdits || countBits(different) > 2 * maxEdits) return maxEdits + 1
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let fewestEdits = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) edits = Math.min(edits, (twoAbove[column - 2] ?? 0) + 1)
      current.push(edits)
      fewestEdits = Math.min(fewestEdits, edits)
    }
    if (fewestEdits > maxEdits) return maxEdits + 1
    twoAbove = above
    above = current
  }
  return above[other.length] ?? 0
}

function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}
