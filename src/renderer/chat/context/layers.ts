import type { Layer } from '#shared/contract/index.ts'

/** In the order in which the model reads them. */
export const layers: readonly Layer[] = ['system', 'project', 'logs', 'summary', 'conversation', 'tools', 'message']

export function layerColor(layer: Layer): string {
  return `var(--layer-${layer})`
}
