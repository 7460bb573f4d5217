import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'
import { expect, it } from 'vitest'
import { planImport } from '../../../src/main/interop/import/prepare-import.ts'
import { openSource } from '../../../src/main/interop/import/read-source.ts'
import { AppError } from '../../../src/shared/util/errors.ts'
import { folderWith, writeFiles } from '../../support/folder.ts'
import { randomOf } from '../../support/random.ts'
import { rounds } from '../../support/thorough.ts'

const fixtures = fileURLToPath(new URL('../../fixtures/imports', import.meta.url))
const formats = ['chatgpt', 'claude', 'deepseek', 'evernote', 'flomo', 'gemini', 'joplin', 'logseq', 'notion', 'pages']

/** Returns the planned notes with their texts, the paths of attachments, and the omitted parts. */
async function planOf(path: string): Promise<string> {
  const source = await openSource(path)
  const options = { into: '', withAttachments: true, own: '', privateRules: { roots: [], rules: [] } }
  const { plan, files } = await planImport(source, options, { workspace: await folderWith({}), forbidden: [] })
  await source.close()
  const { kind, left, leftParts, lost, memories } = plan
  const omitted = left.map(({ reason, names }) => `${reason}: ${names.join(', ')}`)
  const parts = leftParts.map(({ reason, count }) => `${reason}: ${count}`)
  const texts = files.map((file) => `==== ${file.path}\n${file.text ?? ''}`)
  return [`kind: ${kind}, lost links: ${lost}, memories: ${memories}`, ...omitted, ...parts, ...texts].join('\n')
}

it.each(formats)('an export of %s has what the service shows', async (name) => {
  const plan = await planOf(join(fixtures, name, 'source'))
  await expect(plan).toMatchFileSnapshot(join(fixtures, name, 'expected.txt'))
})

it('a Joplin archive has the notes of the folder', async () => {
  const folder = join(fixtures, 'joplin/source')
  const file = join(await folderWith({}), 'notes.jex')
  await create({ file, cwd: folder }, await readdir(folder))
  await expect(await planOf(file)).toMatchFileSnapshot(join(fixtures, 'joplin/expected.txt'))
})

it('a later export adds only the changed note; those that link to it stay', async () => {
  const notes = { 'A.md': 'See [B](B.md).\n', 'B.md': 'See [C](C.md).\n', 'C.md': 'Oil: 0.6 l.\n' }
  const workspace = await folderWith({})
  const options = { into: '', withAttachments: true, own: '', privateRules: { roots: [], rules: [] } }
  const imported: string[][] = []
  for (const change of [{}, { 'C.md': 'Oil: 0.8 l.\n' }, { 'C.md': 'Oil: 0.8 l.\n' }]) {
    const source = await openSource(await folderWith({ ...notes, ...change }))
    const { files } = await planImport(source, options, { workspace, forbidden: [] })
    await source.close()
    await writeFiles(workspace, Object.fromEntries(files.map(({ path, text }) => [path, text ?? ''])))
    imported.push(files.map(({ path }) => path))
  }
  expect(imported).toEqual([['A.md', 'B.md', 'C.md'], ['C 2.md'], []])
})

/** Cuts a text, swaps its halves, repeats or removes a part, or replaces a word by another one. */
function damage(text: string, random: () => number): string {
  const at = () => Math.floor(random() * (text.length + 1))
  const [from = 0, to = 0] = [at(), at()].sort((one, other) => one - other)
  const words = text.match(/\w+/g) ?? ['']
  const word = () => words[Math.floor(random() * words.length)] ?? ''
  const changes = [
    () => text.slice(0, from),
    () => text.slice(from) + text.slice(0, from),
    () => text.slice(0, to) + text.slice(from),
    () => text.slice(0, from) + text.slice(to),
    () => text.replaceAll(word(), word()),
  ]
  return changes[Math.floor(random() * changes.length)]?.() ?? text
}

it.each(formats)('a damaged export of %s is read, or refused with a reason', async (name) => {
  const folder = join(fixtures, name, 'source')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  const random = randomOf(56)
  for (let round = 0; round < rounds(20, 200); round += 1) {
    const damaged = Math.floor(random() * paths.length)
    const files = paths.map((path, at) => [
      path.slice(folder.length + 1),
      at === damaged ? damage(texts[at] ?? '', random) : (texts[at] ?? ''),
    ])
    const plan = planOf(await folderWith(Object.fromEntries(files) as Record<string, string>))
    await plan.catch((error: unknown) => expect(error).toBeInstanceOf(AppError))
  }
})
