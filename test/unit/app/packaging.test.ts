import { unzipSync } from 'fflate'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { builderConfig } from '../../../resources/packaging/builder.config.ts'
import { findProblems } from '../../../resources/packaging/dry-check.ts'
import { bundle, bundleManifest } from '../../../resources/packaging/mcpb.ts'
import { collectLicences, noticesText } from '../../../resources/packaging/licences.ts'
import { folderWith } from '../../support/folder.ts'

describe('packages', () => {
  it('the bundle manifest is valid and its files exist', () => {
    expect(findProblems()).toEqual([])
  })

  it('fuses disable unused features; libraries are outside the verified archive', () => {
    const config = builderConfig()
    expect(config.electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    })
    expect(config.asarUnpack).toEqual(expect.arrayContaining(['**/*.node', '**/*.{so,dylib,dll}']))
    expect(config.protocols).toEqual([{ name: expect.any(String), schemes: ['commonplace'] }])
    expect(config).toMatchObject({
      linux: { target: ['AppImage', 'deb'], mimeTypes: ['text/markdown'] },
      mac: { target: ['dmg', 'zip'], fileAssociations: { ext: 'md', rank: 'Alternate' } },
      win: { target: ['nsis', 'portable'] },
    })
    expect(config.win).not.toHaveProperty('fileAssociations')
    expect(config.publish).toEqual([{ provider: 'generic', url: 'https://updates.invalid/' }])
  })

  it('macOS packages are signed and notarised only with a certificate', () => {
    const none = { CSC_LINK: '', CSC_NAME: '', APPLE_API_KEY: '', APPLE_ID: '', APPLE_KEYCHAIN_PROFILE: '' }
    const macWith = (variables: Partial<typeof none>) => {
      for (const [name, value] of Object.entries({ ...none, ...variables })) vi.stubEnv(name, value)
      return builderConfig().mac
    }
    expect(macWith({})).toMatchObject({ identity: '-', hardenedRuntime: false, notarize: false })
    expect(macWith({ APPLE_ID: 'someone@example.org' })).toMatchObject({ identity: '-', notarize: false })
    const signed = macWith({ CSC_LINK: 'certificate.p12' })
    expect(signed).toMatchObject({ hardenedRuntime: true, notarize: false })
    expect(signed).not.toHaveProperty('identity')
    expect(macWith({ CSC_LINK: 'certificate.p12', APPLE_API_KEY: 'key.p8' })).toMatchObject({ notarize: true })
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
    expect(start(installed)).toMatchObject({
      // Chromium chooses its platform before the app runs.
      stdout: `${process.platform === 'linux' ? '--ozone-platform=headless ' : ''}mcp --client claude-desktop\na message`,
      status: 7,
    })
    expect(start('')).toMatchObject({ status: 1, stderr: expect.stringContaining('is not installed here') })
  })

  it('the Flatpak manifest describes the same app, and the files it names exist', () => {
    const folder = new URL('../../../resources/packaging/flatpak/', import.meta.url)
    const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
    const { appId = '', linux } = builderConfig()
    const manifest = parse(read(`${appId}.yml`)) as Record<string, string> & {
      modules: { sources: { path?: string; commands?: string[] }[] }[]
    }
    expect(manifest).toMatchObject({ id: appId, 'base-version': manifest['runtime-version'] })
    const sources = manifest.modules.flatMap((module) => module.sources)
    const files = sources.flatMap(({ path }) => path ?? []).filter((path) => !path.includes('/dist/'))
    expect(files.filter((path) => !existsSync(new URL(path, folder)))).toEqual([])
    const entry = read(`${appId}.desktop`)
    expect(entry).toContain(`Exec=${manifest['command']} %U\n`)
    expect(entry).toContain(`MimeType=${[linux?.mimeTypes].join()};x-scheme-handler/commonplace;\n`)
    expect(entry).toContain(`Icon=${appId}\n`)
    expect(read(`${appId}.metainfo.xml`)).toContain(`<id>${appId}</id>`)
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
