/** Figures of the benchmarks, and statistics over several runs. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Upper limit of the design. */
  readonly budget?: number
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
