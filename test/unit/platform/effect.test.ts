import { describe, expect, it } from 'vitest'
import { configJsonSchema } from '../../../src/main/platform/config/config-schema.ts'
import { settingEffects } from '../../support/setting-effects.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
}

function keysOf(schema: Schema, path: readonly string[] = []): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const here = [...path, key]
    const { additionalProperties, items } = inner
    if (inner.properties) return keysOf(inner, here)
    if (typeof additionalProperties === 'object' && additionalProperties.properties)
      return keysOf(additionalProperties, [...here, '<name>'])
    return items?.properties ? keysOf(items, here) : [here.join('.')]
  })
}

/** Maps the settings of one agent, of all agents, and of all providers to the same key. */
function shortened(key: string): string {
  return key.replace(/^agents\.(defaults|list)\./, '').replace(/^providers\.[^.]+\./, 'providers.<name>.')
}

describe('settings take effect when saved', () => {
  it('declares the effect of every setting', () => {
    const keys = new Set(keysOf(configJsonSchema()).map(shortened))
    expect(Object.keys(settingEffects).sort()).toEqual([...keys].sort())
  })
})
