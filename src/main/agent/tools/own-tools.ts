/** The tools that every agent has; those of other programs come beside them. */
import { hasMemoryTool, type ToolDefinition } from '#llm'
import { anthropicMemory } from './anthropic-memory.ts'
import { edit } from './edit-file.ts'
import { list } from './list-files.ts'
import { memoryGet } from './memory-get-tool.ts'
import { memorySearch } from './memory-search-tool.ts'
import { read } from './read-file-tool.ts'
import type { Tool } from './tool.ts'
import { write } from './write-file-tool.ts'

/** Those that every agent has, in the order in which a model is told of them. */
export const ownTools: readonly Tool[] = [memorySearch, memoryGet, read, write, edit, list]

/** Those that an agent of its own settings has with a model, beside the tools of other programs. */
export function toolsFor(model: Parameters<typeof hasMemoryTool>[0]): readonly Tool[] {
  return hasMemoryTool(model) ? [...ownTools, anthropicMemory] : ownTools
}

export function definitionsOf(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map(({ name, description, schema, native }) => ({
    name,
    description,
    parameters: schema,
    ...(native === undefined ? {} : { native }),
  }))
}
