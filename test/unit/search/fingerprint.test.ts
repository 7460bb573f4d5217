import { expect, it } from 'vitest'
import { fingerprint } from '../../../src/main/search/indexing/index-schema.ts'

it('the fingerprint keeps its form, so that existing indexes are not rebuilt', () => {
  const version = '"schemaVersion":16,"tokenizerVersion":"[^"]+","transcriptVersion":5,"unitVersion":8'
  expect(fingerprint({ provider: '', model: '' })).toMatch(new RegExp(`^{${version},"provider":"","model":""}$`))
})
