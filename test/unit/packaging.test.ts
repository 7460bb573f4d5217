import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import config from '../../resources/packaging/builder.config.ts'
import { findProblems } from '../../resources/packaging/dry-check.ts'
import { collectLicences, noticesText } from '../../resources/packaging/licences.ts'

describe('M49 packages', () => {
  it('M49: their description is of the right shape, and what it names is there', () => {
    expect(findProblems()).toEqual([])
  })

  it('M49: fuses close what the app does not use; libraries lie outside of the archive, which is checked', () => {
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

  it('M49: the icon is large enough for every system', () => {
    const png = readFileSync(new URL('../../resources/icons/icon.png', import.meta.url))
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1024, 1024])
  })

  it('M49: every part that is shipped has a licence, and its notice goes along', () => {
    const licences = collectLicences()
    expect(licences.length).toBeGreaterThan(100)
    expect(licences.filter(({ licence }) => licence === 'unknown')).toEqual([])
    const notices = noticesText(licences.filter(({ name }) => name === 'better-sqlite3'))
    expect(notices).toContain('Permission is hereby granted')
    expect(existsSync(new URL('../../docs/licences.md', import.meta.url))).toBe(true)
  })
})
