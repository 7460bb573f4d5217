import { describe, expect, expectTypeOf, it } from 'vitest'
import { contract, type ChatEvent, type ContractClient, type SearchResponse } from '../../src/shared/contract/index.ts'
import type { AppRouter } from '../../src/main/router.ts'

describe('contract', () => {
  it('M49: types what goes in and what comes out', () => {
    expectTypeOf<ContractClient['search']['query']>().parameter(0).toHaveProperty('query').toEqualTypeOf<string>()
    expectTypeOf<Awaited<ReturnType<ContractClient['search']['query']>>>().toEqualTypeOf<SearchResponse>()
    expectTypeOf<Awaited<ReturnType<ContractClient['chat']['watch']>>>().toExtend<AsyncIterable<ChatEvent>>()
    expectTypeOf<ContractClient['files']['write']>()
      .parameter(0)
      .toHaveProperty('expectedHash')
      .toEqualTypeOf<string | null>()
  })

  it('M49: the router implements every request of the contract, and no other', () => {
    expectTypeOf<keyof AppRouter>().toEqualTypeOf<keyof typeof contract>()
    expectTypeOf<keyof AppRouter['files']>().toEqualTypeOf<keyof (typeof contract)['files']>()
    expect(Object.keys(contract).sort()).toEqual([
      'agents',
      'chat',
      'checks',
      'context',
      'events',
      'files',
      'health',
      'history',
      'imports',
      'search',
      'sessions',
      'settings',
      'survey',
    ])
  })
})
