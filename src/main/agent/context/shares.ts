/** Whole numbers that sum to a whole. Pure. */

/** Shares `total` out by the largest remainder. @param exact what each would get, summing to about `total` */
export function sharesOf(exact: readonly number[], total: number): number[] {
  const whole = exact.map(Math.floor)
  let left = total - whole.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share % 1 }))
    .sort((one, other) => other.remainder - one.remainder)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    whole[index] = (whole[index] ?? 0) + 1
    left -= 1
  }
  return whole
}
