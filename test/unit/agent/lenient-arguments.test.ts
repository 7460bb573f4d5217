import { expect, it } from 'vitest'
import { argumentsInWorkspace } from '../../../src/main/agent/tools/tool.ts'
import { memorySearchTool, readFileTool } from '../../../src/main/agent/tools/built-in-tools.ts'
import { writeFileTool } from '../../../src/main/agent/tools/write-file-tool.ts'

it.each([
  [memorySearchTool, { query: 'tea', maxResults: '5', minScore: null }, { query: 'tea', maxResults: 5 }],
  [memorySearchTool, { query: 'tea', maxResults: 500, minScore: -1 }, { query: 'tea', maxResults: 50, minScore: 0 }],
  [writeFileTool, { path: '/w/a.md', content: '5', append: 'True' }, { path: 'a.md', content: '5', append: true }],
  [readFileTool, { path: '/etc/passwd', from: 2.4 }, { path: '/etc/passwd', from: 2 }],
  [readFileTool, { path: '/w/../x.md', from: 'two' }, { path: '/w/../x.md', from: 'two' }],
  [memorySearchTool, { query: null }, { query: null }],
])('converts the arguments of a tool', ({ schema }, input, expected) =>
  expect(argumentsInWorkspace(schema, input, '/w')).toEqual(expected),
)
