import type { Layer } from '#shared/contract/index.ts'

/** The layers in the order of the request. */
export const layers: readonly Layer[] = ['system', 'project', 'logs', 'summary', 'conversation', 'tools', 'message']

export function layerColor(layer: Layer): string {
  return `var(--layer-${layer})`
}
