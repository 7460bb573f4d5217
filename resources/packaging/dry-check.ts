/** Validates the packaging configuration without packaging: its schema, and that the files it names exist. */
import { Ajv } from 'ajv'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { builderConfig } from './builder.config.ts'

const root = new URL('../../', import.meta.url)

/** @returns the problems; empty if packaging can start */
export function findProblems(): string[] {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
  const schema = JSON.parse(readFileSync(builder.resolve('app-builder-lib/scheme.json'), 'utf8')) as object
  const check = new Ajv({ strict: false, allErrors: true }).compile(schema)
  const problems: string[] = []
  if (!check(builderConfig()))
    problems.push(...(check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`))
  const needed = [
    'LICENSE',
    'package.json',
    'resources/icons/icon.png',
    'resources/icons/tray.png',
    'resources/prompts',
    'resources/templates',
  ]
  for (const path of needed) if (!existsSync(new URL(path, root))) problems.push(`${path} is missing`)
  if (existsSync(new URL('out/', root)))
    for (const path of ['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html'])
      if (!existsSync(new URL(path, root))) problems.push(`${path} is missing: run npm run build`)
  const { main, dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    main: string
    dependencies: Record<string, string>
  }
  if (main !== 'out/main/index.js') problems.push(`package.json begins at ${main}`)
  for (const name of ['better-sqlite3', 'sqlite-vec', 'electron-updater'])
    if (!(name in dependencies)) problems.push(`${name} would not be packed: it is no dependency`)
  return problems
}
