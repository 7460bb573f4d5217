import { expect, it } from 'vitest'
import { fingerprint } from '../../../src/main/search/indexing/index-schema.ts'

it('the fingerprint keeps its form, so that existing indexes with 400 and 80 tokens are not rebuilt', () => {
  const version = '"schemaVersion":11,"tokenizerVersion":"[^"]+","transcriptVersion":1,"chunk":\\[400,80\\]'
  expect(fingerprint({ provider: '', model: '', dimensions: 0 })).toMatch(
    new RegExp(`^{${version},"provider":"","model":"","dimensions":0}$`),
  )
})
