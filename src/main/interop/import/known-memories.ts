import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { KnownMemory } from '#shared/contract/index.ts'
import { walkMarkdown } from '#workspace'

const knownFolders: readonly (readonly [kind: KnownMemory['kind'], ...segments: string[]])[] = [
  ['openclaw', '.openclaw', 'workspace'],
  ['openclaw', 'clawd'],
  ['claude-code', '.claude'],
  ['codex', '.codex'],
]

/** Finds folders of other programs below the home folder that contain Markdown. Returns absolute paths. */
export async function findMemories(home: string = homedir()): Promise<KnownMemory[]> {
  const memories: KnownMemory[] = []
  for (const [kind, ...segments] of knownFolders) {
    const path = join(home, ...segments)
    if (!existsSync(path)) continue
    const { files } = await walkMarkdown(path)
    if (files.length > 0) memories.push({ kind, path, files: files.length })
  }
  return memories
}
