/** What a benchmark finds, and how many runs become one number. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The most that the design allows. */
  readonly budget?: number
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
