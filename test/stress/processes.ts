/** Shared by the storm tests: temporary memories, child processes with their output, and a count of lost notes. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { isLogSound } from '../support/log-integrity.ts'
import { logLines } from '../support/log-lines.ts'

export const mainFolder = new URL('../../src/main/', import.meta.url)

export interface Memory {
  readonly root: string
  readonly home: string
  readonly workspace: string
}

/** @param home location of the state folder; default: beside the workspace */
export function makeMemory(folders: { readonly home?: string; readonly workspace?: string } = {}): Memory {
  const root = mkdtempSync(join(tmpdir(), 'commonplace-storm-'))
  const { home = join(root, 'state'), workspace = join(root, 'workspace') } = folders
  for (const folder of [home, workspace]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(workspace, 'MEMORY.md'), '# Long-term memory\n')
  writeFileSync(join(home, 'config.yaml'), `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n`)
  return { root, home, workspace }
}

/** @returns the output and exit status of the process */
export async function runProcess(
  script: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  return { code, output }
}

export interface Losses {
  readonly lost: number
  readonly missingInHistory: number
  readonly isLogSound: boolean
}

/** Looks for every note as an entry of a daily log and as a line added by a change of cause `capture`. */
export async function countLosses({ home, workspace }: Memory, notes: readonly string[]): Promise<Losses> {
  const onDisk = new Set<string>()
  const recorded = new Set<string>()
  const app = await createApp({ mainFolder, env: {}, home })
  try {
    const { history } = await app.agents.get('main')
    for (const name of readdirSync(join(workspace, 'memory')).filter((file) => file.endsWith('.md'))) {
      const lines = logLines(readFileSync(join(workspace, 'memory', name), 'utf8'))
      const blamed = await history.blame(`memory/${name}`)
      for (const [index, line] of lines.entries()) {
        onDisk.add(line)
        if (blamed[index]?.cause === 'capture') recorded.add(line)
      }
    }
  } finally {
    await app.close()
  }
  return {
    lost: notes.filter((note) => !onDisk.has(note)).length,
    missingInHistory: notes.filter((note) => !recorded.has(note)).length,
    isLogSound: isLogSound(home, workspace),
  }
}
