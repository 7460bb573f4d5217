import { z } from 'zod'
import type { ToolDefinition } from '../../models/index.ts'
import { edit } from './edit.ts'
import { list } from './list.ts'
import { memoryGet } from './memory-get.ts'
import { memorySearch } from './memory-search.ts'
import { read } from './read.ts'
import type { Tool } from './tool.ts'
import { write } from './write.ts'

export type { Tool, ToolContext } from './tool.ts'

/** In the order in which a model is told of them. */
export const tools: readonly Tool[] = [memorySearch, memoryGet, read, write, edit, list]

export const toolDefinitions: readonly ToolDefinition[] = tools.map(({ name, description, parameters }) => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: 'input' })
  return { name, description, parameters: schema }
})
