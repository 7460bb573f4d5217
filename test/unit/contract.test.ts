import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { contract, type ChatEvent, type ContractClient, type SearchResponse } from '../../src/shared/contract/index.ts'
import type { App } from '../../src/main/app.ts'
import { createRouter, type AppRouter } from '../../src/main/router/index.ts'

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
    const routes = createRouter({} as App)
    for (const [group, requests] of Object.entries(contract))
      expect(Object.keys(routes[group as keyof typeof routes] ?? {}).sort(), group).toEqual(
        Object.keys(requests).sort(),
      )
    expect(Object.keys(routes).sort()).toEqual(Object.keys(contract).sort())
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
