import { parseUpdateInfo, resolveFiles } from 'electron-updater/out/providers/Provider.js'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { assemble } from '../../../.github/scripts/assemble.mjs'
import { releaseNotes } from '../../../.github/scripts/check-release.mjs'
import { folderWith } from '../../support/folder.ts'

const changelog = `# Changelog

## 1.2.0 – 2026-12-01

### Added

- [A page](docs/security.md), [a site](https://example.com), [a part](#added).

## 1.10.0 – unreleased

- Later.

## 1.1.0 – 2026-11-01
`
const repository = 'https://github.com/acme/commonplace'

describe('the check of a release', () => {
  const check = (tag: string | undefined, version: string, text = changelog) =>
    releaseNotes({ tag, version, changelog: text, repository })

  it('returns the section of the version, with links that work on another page', () => {
    expect(check('v1.2.0', '1.2.0')).toBe(
      `### Added\n\n- [A page](${repository}/blob/v1.2.0/docs/security.md), [a site](https://example.com), [a part](#added).`,
    )
  })

  it.each([
    ['a tag of another version', 'v1.2.1', '1.2.0', 'the tag v1.2.1 does not match version 1.2.0'],
    ['no section', 'v1.3.0', '1.3.0', 'CHANGELOG.md has no section "## 1.3.0'],
    ['a section without a date', 'v1.10.0', '1.10.0', 'dates 1.10.0 "unreleased"'],
  ])('refuses %s', (_case, tag, version, message) => {
    expect(() => check(tag, version)).toThrow(message)
  })
})

const sha512 = (text: string) => createHash('sha512').update(text).digest('base64')

/** The uploads of four runners; each file contains its own name. */
async function builtPackages(version = '1.2.0', change: Record<string, string> = {}) {
  const channel = version.includes('-') ? 'beta' : 'latest'
  const describe = (...names: string[]) =>
    stringify({
      version,
      files: names.map((url) => ({ url, sha512: sha512(url), size: url.length })),
      path: names[0],
      sha512: sha512(names[0] ?? ''),
      releaseDate: '2026-12-01',
    })
  const named = (runner: string, ...names: string[]) =>
    Object.fromEntries(names.map((name) => [`package-${runner}/${name}`, name]))
  const app = `Commonplace-${version}`
  return folderWith({
    ...named('linux-x64', `${app}.AppImage`, `${app}.deb`, 'commonplace.mcpb'),
    [`package-linux-x64/${channel}-linux.yml`]: describe(`${app}.AppImage`, `${app}.deb`),
    ...named('linux-arm64', `${app}-arm64.AppImage`, `${app}-arm64.deb`),
    [`package-linux-arm64/${channel}-linux-arm64.yml`]: describe(`${app}-arm64.AppImage`, `${app}-arm64.deb`),
    ...named('windows-x64', `${app}-setup.exe`, `${app}-portable.exe`, `${app}-setup.exe.blockmap`),
    [`package-windows-x64/${channel}.yml`]: describe(`${app}-setup.exe`),
    ...named('macos-arm64', `${app}-arm64.dmg`, `${app}-arm64.zip`),
    [`package-macos-arm64/${channel}-mac.yml`]: describe(`${app}-arm64.zip`, `${app}-arm64.dmg`),
    ...named('macos-x64', `${app}-x64.dmg`, `${app}-x64.zip`),
    [`package-macos-x64/${channel}-mac.yml`]: describe(`${app}-x64.zip`, `${app}-x64.dmg`),
    ...change,
  })
}

const address = `${repository}/releases/download`

describe('the assembly of a release', () => {
  const read = (release: string, name: string) =>
    parseUpdateInfo(readFileSync(join(release, name), 'utf8'), name, new URL('http://a/'))
  const assembled = async (
    packages: string,
    options: { version?: string; limit?: number } = {},
    before: Record<string, string> = {},
  ) => {
    const folder = await folderWith(before)
    const [release, previous] = [join(folder, 'release'), join(folder, 'previous')]
    mkdirSync(previous, { recursive: true })
    assemble({ packages, previous, release, address, version: '1.2.0', notes: '- New.', ...options })
    return release
  }
  const without = async (path: string) => {
    const packages = await builtPackages()
    rmSync(join(packages, path))
    return packages
  }

  it('has all files, checksums that sha256sum accepts, and one description for both Macs', async () => {
    const release = await assembled(await builtPackages())
    const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8')
    const sum = createHash('sha256').update('Commonplace-1.2.0.deb').digest('hex')
    expect(sums).toContain(`${sum}  Commonplace-1.2.0.deb\n`)
    expect(sums.split('\n').length).toBe(17)
    const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release, encoding: 'utf8' })
    if (!checked.error) expect(checked.status).toBe(0)
    const mac = read(release, 'latest-mac.yml')
    expect(mac.files.map(({ url }) => url.slice('Commonplace-1.2.0-'.length))).toEqual([
      'x64.zip',
      'x64.dmg',
      'arm64.zip',
      'arm64.dmg',
    ])
    expect(mac).toMatchObject({
      version: '1.2.0',
      path: 'Commonplace-1.2.0-x64.zip',
      releaseNotes: '- New.',
      releaseDate: '2026-12-01',
    })
    expect(mac.sha512).toBe(sha512('Commonplace-1.2.0-x64.zip'))
  })

  /** The addresses of the packages, as the updater finds them from a feed. */
  const addresses = (release: string, name: string, feed = `${repository}/releases/latest/download/`) =>
    resolveFiles(read(release, name), new URL(feed)).map(({ url }) => url.href)
  const before = (version: string) => ({
    'previous/latest.yml': stringify({
      version,
      files: [{ url: 'old-setup.exe', sha512: 'x' }],
      path: 'old-setup.exe',
      sha512: 'x',
    }),
  })

  it('offers itself to users of betas, and the version before to users who go back', async () => {
    const release = await assembled(await builtPackages(), {}, before('1.1.0'))
    expect(read(release, 'beta.yml')).toMatchObject({ version: '1.2.0', releaseNotes: '- New.' })
    expect(addresses(release, 'beta.yml')).toEqual([`${address}/v1.2.0/Commonplace-1.2.0-setup.exe`])
    expect(read(release, 'previous.yml').version).toBe('1.1.0')
    expect(addresses(release, 'previous.yml')).toEqual([`${address}/v1.1.0/old-setup.exe`])
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).not.toMatch(/beta|previous/)
    const repeated = await assembled(await builtPackages(), {}, before('1.2.0'))
    expect(existsSync(join(repeated, 'previous.yml'))).toBe(false)
  })

  it('of a beta has descriptions that lead to it from the newest release', async () => {
    const version = '1.3.0-beta.1'
    const release = await assembled(await builtPackages(version), { version }, before('1.2.0'))
    expect(addresses(release, 'beta-mac.yml')[0]).toBe(`${address}/v${version}/Commonplace-${version}-x64.zip`)
    expect(existsSync(join(release, 'previous.yml'))).toBe(false)
    await expect(assembled(await builtPackages('1.3.0-beta.1'))).rejects.toThrow('latest.yml is missing')
  })

  it('refuses a missing package', async () => {
    const packages = await without('package-linux-x64/Commonplace-1.2.0.deb')
    await expect(assembled(packages)).rejects.toThrow('expected 2 × .deb, found Commonplace-1.2.0-arm64.deb')
  })

  it.each([
    ['a changed package', { 'package-windows-x64/Commonplace-1.2.0-setup.exe': 'changed' }, 'wrong SHA-512'],
    [
      'a name that GitHub changes',
      { 'package-windows-x64/Commonplace Setup.exe': '' },
      'rename "Commonplace Setup.exe"',
    ],
    [
      'another version',
      { 'package-linux-x64/latest-linux.yml': stringify({ version: '1.1.0', files: [], path: 'x' }) },
      'describes version 1.1.0',
    ],
  ])('refuses %s', async (_case, change, message) => {
    await expect(assembled(await builtPackages('1.2.0', change))).rejects.toThrow(message)
  })
})
