const maxDigits = 6

/**
 * Returns the number of decimals (at most 6) at which `value` and `limit` print differently, so that a score just below
 * a threshold does not look equal to it.
 * @param least minimum number of decimals
 */
export function distinguishingDigits(value: number, limit: number, least = 2): number {
  const isDistinguishable = (digits: number) => value === limit || value.toFixed(digits) !== limit.toFixed(digits)
  let digits = least
  while (digits < maxDigits && !isDistinguishable(digits)) digits += 1
  return digits
}

/**
 * Rounds `parts` to `digits` decimals so that the rounded parts add up to their rounded sum (largest remainder method).
 */
export function roundToSum(parts: readonly number[], digits: number): number[] {
  const unit = 10 ** digits
  const scaled = parts.map((part) => part * unit)
  const rounded = scaled.map(Math.floor)
  const total = Math.round(scaled.reduce((sum, part) => sum + part, 0))
  let left = total - rounded.reduce((sum, part) => sum + part, 0)
  const byRemainder = scaled
    .map((part, index) => ({ index, remainder: part - Math.floor(part) }))
    .sort((one, other) => other.remainder - one.remainder || one.index - other.index)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    rounded[index] = (rounded[index] ?? 0) + 1
    left -= 1
  }
  return rounded.map((part) => part / unit)
}
