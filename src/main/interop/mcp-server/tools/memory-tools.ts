import { fetchNote, search } from './connector.ts'
import { memoryExplain } from './memory-explain.ts'
import { memoryGet } from './memory-get.ts'
import { memoryRecent } from './memory-recent.ts'
import { memorySearch } from './memory-search.ts'
import { remember } from './remember.ts'
import type { MemoryTool } from './memory-tool.ts'

export const memoryTools = [
  memorySearch,
  memoryGet,
  memoryExplain,
  remember,
  memoryRecent,
  search,
  fetchNote,
] as unknown as readonly MemoryTool[]
