/** The shapes of the timeline: layers on top of each other, one step after another, in a field 1000 wide. Pure. */
import type { ContextStep, Layer } from '#shared/contract/index.ts'
import { layers } from './layers.ts'

const width = 1000
/** Room above the fullest request. */
const headroom = 1.15

/** Tokens that the whole height stands for. */
export function scaleOf(steps: readonly ContextStep[]): number {
  return Math.max(1, ...steps.map(({ estimatedTokens }) => estimatedTokens)) * headroom
}

/** Where a step's middle is. */
export function xOf(index: number, count: number): number {
  return ((index + 0.5) / Math.max(1, count)) * width
}

/** Polygons, the first layer at the bottom. Each step is as wide as the others. */
export function areas(
  steps: readonly ContextStep[],
  height: number,
  scale: number,
): { readonly layer: Layer; readonly points: string }[] {
  const below = steps.map(() => 0)
  const y = (tokens: number) => (height - (tokens / scale) * height).toFixed(1)
  const left = (index: number) => ((index / steps.length) * width).toFixed(1)
  return layers.flatMap((layer) => {
    const lower: string[] = []
    const upper: string[] = []
    let isThere = false
    for (const [index, step] of steps.entries()) {
      const tokens = step.layers[layer] ?? 0
      const from = below[index] ?? 0
      isThere ||= tokens > 0
      lower.push(`${left(index)},${y(from)}`, `${left(index + 1)},${y(from)}`)
      upper.push(`${left(index)},${y(from + tokens)}`, `${left(index + 1)},${y(from + tokens)}`)
      below[index] = from + tokens
    }
    return isThere ? [{ layer, points: [...lower, ...upper.reverse()].join(' ') }] : []
  })
}
