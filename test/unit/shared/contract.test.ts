import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRouter } from '../../../src/main/app/api/router.ts'
import { contract } from '../../../src/shared/contract/index.ts'
import { openTestApp } from '../../support/app.ts'

interface Definition {
  readonly inputSchema?: z.ZodType
  readonly handler?: unknown
}

/** Returns all procedures of a contract or router, sorted by path. */
function proceduresOf(tree: object, prefix = ''): { path: string; definition: Definition }[] {
  return Object.keys(tree)
    .sort()
    .flatMap((name) => {
      const value = (tree as Record<string, object>)[name] ?? {}
      const path = `${prefix}${name}`
      return '~orpc' in value ? [{ path, definition: value['~orpc'] as Definition }] : proceduresOf(value, `${path}.`)
    })
}

/** Returns paths in a schema where a string or an array has no maximum length. */
function endlessIn(schema: z.ZodType, name: string): string[] {
  const endless: string[] = []
  const look = (part: unknown, at: string): void => {
    if (typeof part !== 'object' || part === null) return
    const { type, enum: values, const: value, pattern } = part as Record<string, unknown>
    const isFixed = values !== undefined || value !== undefined || pattern !== undefined
    if (type === 'string' && !isFixed && !('maxLength' in part)) endless.push(at)
    if (type === 'array' && !('maxItems' in part)) endless.push(at)
    for (const [key, inner] of Object.entries(part)) look(inner, `${at}.${key}`)
  }
  look(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), name)
  return endless
}

describe('contract', () => {
  it('the router implements exactly the procedures of the contract', async () => {
    const { app } = await openTestApp({ watch: false })
    const handlers = proceduresOf(createRouter(app)).map(({ path, definition }) => [path, typeof definition.handler])
    expect(handlers).toEqual(proceduresOf(contract).map(({ path }) => [path, 'function']))
  })

  it('rejects invalid input before a handler runs', async () => {
    const { app } = await openTestApp({ watch: false })
    const router = createRouter(app)
    const refused = { code: 'input_invalid' }
    const query = 'x'.repeat(1_000_000)
    await expect(call(router.workspace.read, { agent: 'main', path: 5 as never })).rejects.toMatchObject(refused)
    await expect(call(router.workspace.read, { path: 'MEMORY.md' } as never)).rejects.toMatchObject(refused)
    await expect(call(router.search.query, { agent: 'main', query })).rejects.toMatchObject({ code: 'input_too_long' })
  })

  it('limits the length of every string and array in a request', () => {
    const schemas = proceduresOf(contract).flatMap(({ path, definition: { inputSchema } }) =>
      inputSchema ? [[path, inputSchema] as const] : [],
    )
    expect(schemas.length).toBeGreaterThan(60)
    expect(schemas.flatMap(([path, schema]) => endlessIn(schema, path))).toEqual([])
    const planted = z.object({
      texts: z.array(z.string().max(10)),
      deep: z.array(z.union([z.number(), z.object({ text: z.string() })])).max(3),
      fine: z.enum(['a', 'b']),
    })
    expect(endlessIn(planted, 'planted').map((at) => at.replace(/properties\.|anyOf\.|items\./g, ''))).toEqual([
      'planted.texts',
      'planted.deep.1.text',
    ])
  })
})
