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

/** An agent's settings and those of all are the same; so are those of one provider and another. */
function shortened(key: string): string {
  return key.replace(/^agents\.(defaults|list)\./, '').replace(/^providers\.[^.]+\./, 'providers.<name>.')
}

describe('M50 every setting takes effect when it is saved', () => {
  it('M50: of each setting it is known how', () => {
    const keys = new Set(keysOf(configJsonSchema()).map(shortened))
    expect(Object.keys(settingEffects).sort()).toEqual([...keys].sort())
  })
})
