const maxDigits = 6

/** Returns the decimals (at most 6) with which a score just below a limit does not look equal to it. */
export function distinguishingDigits(value: number, limit: number, minDigits = 2): number {
  const isDistinguishable = (digits: number) => value === limit || value.toFixed(digits) !== limit.toFixed(digits)
  let digits = minDigits
  while (digits < maxDigits && !isDistinguishable(digits)) digits += 1
  return digits
}

/** Rounds so that the parts add up to their rounded sum (largest remainder method). */
export function roundToSum(parts: readonly number[], digits: number): number[] {
  const unit = 10 ** digits
  const scaled = parts.map((part) => part * unit)
  const rounded = scaled.map(Math.floor)
  const total = Math.round(scaled.reduce((sum, part) => sum + part, 0))
  const remaining = total - rounded.reduce((sum, part) => sum + part, 0)
  const byRemainder = scaled
    .map((part, index) => ({ index, remainder: part - Math.floor(part) }))
    .sort((one, other) => other.remainder - one.remainder || one.index - other.index)
  for (const { index } of byRemainder.slice(0, Math.max(0, remaining))) rounded[index] = (rounded[index] ?? 0) + 1
  return rounded.map((part) => part / unit)
}
