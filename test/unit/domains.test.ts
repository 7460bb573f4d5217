import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The faces that each domain of `src/main` may import, besides `#shared`. */
const allowedFaces: Record<string, readonly string[]> = {
  platform: [],
  workspace: ['#platform'],
  search: ['#workspace', '#workspace/privacy', '#platform'],
  llm: ['#search/text', '#platform'],
  agent: ['#llm', '#search', '#search/text', '#workspace', '#workspace/privacy', '#platform'],
  curation: ['#search', '#search/text', '#workspace', '#workspace/privacy', '#platform'],
  interop: ['#workspace', '#workspace/privacy', '#agent/mcp-client', '#platform'],
  app: Object.keys(packageJson.imports).filter((name) => !name.includes('*')),
}

/** The folders of `src/renderer`, each with the ones it may import. Views may import each other. */
const views = ['chat', 'editor', 'search', 'curation', 'settings']
const allowedFolders: Record<string, readonly string[]> = {
  lib: [],
  markdown: ['lib'],
  ...Object.fromEntries(views.map((view) => [view, [...views, 'markdown', 'lib']])),
  shell: [...views, 'markdown', 'lib'],
}

interface Import {
  readonly file: string
  readonly specifier: string
}

/** Returns imports of the project's files below `folder`, types included. Paths are relative to the repository's root. */
function importsBelow(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import|import\()\s*'([.#][^']*)'/g)].map(
        ([, specifier = '']) => ({ file, specifier }),
      ),
    )
}

function targetOf({ file, specifier }: Import): string {
  if (specifier.startsWith('#lib/')) return join('src/renderer/lib', specifier.slice('#lib/'.length))
  if (specifier.startsWith('#shared/')) return join('src/shared', specifier.slice('#shared/'.length))
  return specifier.startsWith('#') ? specifier : relative(root, join(root, dirname(file), specifier))
}

const describeImport = ({ file, specifier }: Import) => `${file} imports ${specifier}`

describe('domains of src/main', () => {
  it('are the folders of src/main', () => {
    const folders = readdirSync(join(root, 'src/main'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(allowedFaces).sort())
  })

  it.each(Object.entries(allowedFaces))('%s imports other domains through their faces only', (domain, faces) => {
    const home = `src/main/${domain}/`
    const wrong = importsBelow(home).filter((one) => {
      const target = targetOf(one)
      if (target.startsWith('#')) return !faces.includes(target) || target.split('/')[0] === `#${domain}`
      return !target.startsWith(home) && !target.startsWith('src/shared/') && target !== 'package.json'
    })
    expect(wrong.map(describeImport)).toEqual([])
  })

  it('have faces that exist', () => {
    const faces = Object.entries(packageJson.imports).filter(([name]) => !name.includes('*'))
    expect(faces.map(([name, path]) => [name, path])).toEqual(
      faces.map(([name]) => [name, `./src/main/${name.slice(1)}/index.ts`]),
    )
    expect(faces.every(([, path]) => readFileSync(join(root, path), 'utf8').includes('export'))).toBe(true)
  })
})

describe('folders of src/renderer', () => {
  it.each(Object.entries(allowedFolders))('%s imports only from folders below it', (folder, below) => {
    const home = `src/renderer/${folder}/`
    const wrong = importsBelow(home).filter((one) => {
      const target = targetOf(one)
      if (target.startsWith('src/shared/') || target.startsWith(home)) return false
      if (target === 'src/renderer/styles.css' || target === 'package.json') return false
      return !below.some((name) => target.startsWith(`src/renderer/${name}/`))
    })
    expect(wrong.map(describeImport)).toEqual([])
  })
})

describe('src/shared', () => {
  it('imports nothing but itself', () => {
    const wrong = importsBelow('src/shared').filter((one) => !targetOf(one).startsWith('src/shared/'))
    expect(wrong.map(describeImport)).toEqual([])
  })
})
