/**
 * Full disks: `node test/stress/full-disk.ts`. An app writes until a disk is full, and continues after space is freed:
 * with several disk sizes, for the workspace, the state folder and both. Needs permission to mount. Prints one line of
 * figures per disk; exits with 1 if a file is shorter than acknowledged, a note is lost, or the app does not recover.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { AppError } from '../../src/shared/util/errors.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { countLosses, mainFolder, makeMemory } from './processes.ts'

const megabyte = 1024 * 1024
const sizes = [8, 16].map((count) => count * megabyte)
const rests = [0, 88_000]
const recoverMs = 15_000

for (const full of ['workspace', 'state', 'both'] as const)
  for (const size of sizes)
    for (const rest of rests) {
      const disk = mountSmallDisk(size)
      if (!disk) {
        console.log('skipped: no disk can be mounted here')
        process.exit(0)
      }
      try {
        await report(full, size, rest, disk)
      } finally {
        disk.unmount()
      }
    }

async function report(
  full: 'workspace' | 'state' | 'both',
  size: number,
  rest: number,
  disk: SmallDisk,
): Promise<void> {
  const memory = makeMemory({
    ...(full === 'workspace' ? {} : { home: join(disk.folder, 'state') }),
    ...(full === 'state' ? {} : { workspace: join(disk.folder, 'workspace') }),
  })
  mkdirSync(join(memory.root, 'logs'))
  const app = await createApp({ mainFolder, env: {}, home: memory.home })
  const agent = await app.agents.get('main')
  await agent.history.flush()
  await agent.memory.settle(10_000)
  const notes: string[] = []
  const refused = new Map<string, number>()
  const files = new Map<string, string>()
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
      return true
    } catch (error) {
      const code = error instanceof AppError ? error.code : `unexpected: ${String(error)}`
      refused.set(code, (refused.get(code) ?? 0) + 1)
      return false
    }
  }
  const write = async (round: number) => {
    const note = `note-${round}`
    const at = new Date(2026, 0, 1 + (round % 20), 9, 5)
    if (await attempt(() => agent.workspace.remember(note, at, { cause: 'capture' }))) notes.push(note)
    const path = `notes/${round % 5}.md`
    const text = `${'A line of what is known.\n'.repeat(200 + round * 40)}`
    if (await attempt(() => agent.workspace.write(path, text, { cause: 'user' }))) files.set(path, text)
    await attempt(() => agent.drafts.saveMessage('s', { text, attachments: [] }))
  }
  for (let round = 0; round < 15; round += 1) await write(round)
  disk.fill(rest)
  for (let round = 15; round < 45; round += 1) await write(round)
  const whileFull = [...refused].map(([code, times]) => `${code} ×${times}`).join(', ')
  disk.makeRoom()
  const deadline = Date.now() + recoverMs
  let hasRecovered = false
  while (!hasRecovered && Date.now() < deadline) {
    await sleep(200)
    hasRecovered =
      (await attempt(() => agent.workspace.remember('after', new Date(2026, 0, 1), { cause: 'capture' }))) &&
      (await attempt(async () => agent.history.flush()))
  }
  let shorter = 0
  for (const [path, text] of files) if (readFileSync(join(memory.workspace, path), 'utf8') !== text) shorter += 1
  await app.close()
  const { lost, missingInHistory, isLogSound } = await countLosses(memory, notes)
  console.log(
    `${full} full (${size / megabyte} MB, ${rest} bytes left): ${notes.length} acknowledged, ${lost} lost, ${missingInHistory} missing from the history, ${shorter} files not as written, change log ${isLogSound ? 'sound' : 'damaged'}, ${hasRecovered ? 'recovered' : 'not recovered'}; refused: ${whileFull || 'nothing'}`,
  )
  if (lost + missingInHistory + shorter > 0 || !isLogSound || !hasRecovered || /unexpected/.test(whileFull))
    process.exitCode = 1
  rmSync(memory.root, { recursive: true, force: true })
}
