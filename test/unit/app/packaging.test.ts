import { unzipSync } from 'fflate'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import config from '../../../resources/packaging/builder.config.ts'
import { findProblems } from '../../../resources/packaging/dry-check.ts'
import { bundle, bundleManifest } from '../../../resources/packaging/mcpb.ts'
import { collectLicences, noticesText } from '../../../resources/packaging/licences.ts'
import { folderWith } from '../../support/folder.ts'

describe('packages', () => {
  it('the bundle manifest is valid and its files exist', () => {
    expect(findProblems()).toEqual([])
  })

  it('fuses disable unused features; libraries are outside the verified archive', () => {
    expect(config.electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    })
    expect(config.asarUnpack).toEqual(expect.arrayContaining(['**/*.node', '**/*.{so,dylib,dll}']))
    expect(config.protocols).toEqual([{ name: expect.any(String), schemes: ['commonplace'] }])
    expect(config).not.toHaveProperty('fileAssociations')
    expect(config.publish).toBeNull()
    for (const [system, target] of [
      ['linux', 'AppImage'],
      ['linux', 'deb'],
      ['mac', 'dmg'],
      ['win', 'nsis'],
    ] as const)
      expect(JSON.stringify(config[system]?.target)).toContain(target)
  })

  it.skipIf(process.platform === 'win32')('the bundle for other programs starts the installed app', async () => {
    const files = unzipSync(bundle())
    const folder = await folderWith(files)
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ReturnType<
      typeof bundleManifest
    >
    expect(manifest).toEqual(bundleManifest())
    expect(manifest.tools.map(({ name }) => name)).toContain('memory_search')
    const { args } = manifest.server.mcp_config
    const installed = join(folder, 'Commonplace')
    writeFileSync(installed, '#!/bin/sh\necho "$@"; cat; exit 7\n', { mode: 0o755 })
    const given = args.map((arg) => arg.replace('${__dirname}', folder))
    const start = (app: string) =>
      spawnSync(process.execPath, given, {
        input: 'a message',
        encoding: 'utf8',
        env: { HOME: folder, COMMONPLACE_APP: app },
      })
    expect(start(installed)).toMatchObject({ stdout: 'mcp --client claude-desktop\na message', status: 7 })
    expect(start('')).toMatchObject({ status: 1, stderr: expect.stringContaining('is not installed here') })
  })

  it('the icon is large enough for every system', () => {
    const png = readFileSync(new URL('../../../resources/icons/icon.png', import.meta.url))
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1024, 1024])
  })

  it('every shipped part has a licence, and its notice is included', () => {
    const licences = collectLicences()
    expect(licences.length).toBeGreaterThan(100)
    expect(licences.filter(({ licence }) => licence === 'unknown')).toEqual([])
    const notices = noticesText(licences.filter(({ name }) => name === 'better-sqlite3'))
    expect(notices).toContain('Permission is hereby granted')
    expect(existsSync(new URL('../../../docs/licences.md', import.meta.url))).toBe(true)
  })
})
