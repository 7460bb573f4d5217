import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { contract, type ChatEvent, type ContractClient, type SearchResponse } from '../../src/shared/contract/index.ts'
import type { AppRouter } from '../../src/main/router.ts'

describe('contract', () => {
  it('M49: types what goes in and what comes out', () => {
    expectTypeOf<ContractClient['search']['query']>().parameter(0).toHaveProperty('query').toEqualTypeOf<string>()
    expectTypeOf<Awaited<ReturnType<ContractClient['search']['query']>>>().toEqualTypeOf<SearchResponse>()
    expectTypeOf<Awaited<ReturnType<ContractClient['chat']['watch']>>>().toExtend<AsyncIterable<ChatEvent>>()
    expectTypeOf<ContractClient['workspace']['write']>()
      .parameter(0)
      .toHaveProperty('expectedHash')
      .toEqualTypeOf<string | null>()
  })

  it('M49: the router implements every request of the contract, and no other', () => {
    expectTypeOf<keyof AppRouter>().toEqualTypeOf<keyof typeof contract>()
    expectTypeOf<keyof AppRouter['workspace']>().toEqualTypeOf<keyof (typeof contract)['workspace']>()
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

  it('M56: every text and every list that a request may carry has a most', () => {
    const endless: string[] = []
    const look = (schema: unknown, at: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { type, enum: values, const: value, pattern } = schema as Record<string, unknown>
      const isFixed = values !== undefined || value !== undefined || pattern !== undefined
      if (type === 'string' && !isFixed && !('maxLength' in schema)) endless.push(at)
      if (type === 'array' && !('maxItems' in schema)) endless.push(at)
      for (const [key, inner] of Object.entries(schema)) look(inner, `${at}.${key}`)
    }
    for (const [group, requests] of Object.entries(contract)) {
      for (const [name, request] of Object.entries(requests)) {
        const { inputSchema } = (request as { '~orpc': { inputSchema?: z.ZodType } })['~orpc']
        if (inputSchema) look(z.toJSONSchema(inputSchema, { io: 'input', unrepresentable: 'any' }), `${group}.${name}`)
      }
    }
    expect(endless).toEqual([])
  })
})
