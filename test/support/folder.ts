/** Temporary folders, deleted after the test. */
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Writes files by relative path and creates their folders. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await temporaryFolder()
  await writeFiles(folder, files)
  return folder
}

/** Waits until `check` returns true; polls every 20 ms. Fails after `timeoutMs`, which a busy machine does not reach. */
export async function until(check: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`condition not met after ${timeoutMs} ms: ${check}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Returns the text of every file below a folder, sorted by path. */
export async function textsIn(
  folder: string,
  isAsked: (path: string) => boolean = () => true,
): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const asked = paths.filter(isAsked).sort()
  return Object.fromEntries(await Promise.all(asked.map(async (path) => [path, await readFile(path, 'utf8')] as const)))
}

/** Resolves at the first change of a file in the folder. */
export async function firstChange(folder: string): Promise<void> {
  const watcher = watch(folder, { recursive: true })
  await once(watcher, 'change')
  watcher.close()
}
