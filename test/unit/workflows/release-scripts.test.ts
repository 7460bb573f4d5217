import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { parseUpdateInfo, resolveFiles } from 'electron-updater/out/providers/Provider.js'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { assemble } from '../../../.github/scripts/assemble.mjs'
import { buildEnvironment } from '../../../.github/scripts/build-package.mjs'
import { releaseNotes } from '../../../.github/scripts/check-release.mjs'
import { checkFuses, drivableCopy, findApp, toolsOf } from '../../../.github/scripts/test-package.mjs'
import { serveUpdates } from '../../../.github/scripts/update-test.mjs'
import { folderWith, temporaryFolder } from '../../support/folder.ts'

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

  it('accepts a section without a date in a trial run', () => {
    expect(check(undefined, '1.10.0')).toBe('- Later.')
  })

  it('accepts the changelog of this project', () => {
    const root = new URL('../../../', import.meta.url)
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
    expect(check(undefined, version, readFileSync(new URL('CHANGELOG.md', root), 'utf8')).length).toBeGreaterThan(100)
  })
})

describe('the build of packages', () => {
  it('does not see secrets that the repository does not have', () => {
    const env = { CSC_LINK: '', WIN_CSC_LINK: 'certificate', APPLE_ID: '', EMPTY: '', PATH: '/bin' }
    expect(buildEnvironment(env)).toEqual({ WIN_CSC_LINK: 'certificate', EMPTY: '', PATH: '/bin' })
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
    expect(sums.split('\n').length).toBe(14)
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
    await expect(assembled(packages)).rejects.toThrow('expected 1 × .deb, found none')
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

/** A program with the fuses of Electron: `0` off, `1` on, in the order of FuseV1Options. */
const programWith = (fuses: string) =>
  `ELFdL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001${String.fromCodePoint(fuses.length)}${fuses}end`

describe('the test of a package', () => {
  const configured = {
    runAsNode: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    unknown: true,
  }

  it('compares the fuses with the configuration', async () => {
    const folder = await folderWith({ good: programWith('01000111'), bad: programWith('01010111') })
    await checkFuses(join(folder, 'good'), configured)
    await expect(checkFuses(join(folder, 'bad'), configured)).rejects.toThrow(
      'the fuse enableNodeCliInspectArguments of the package is not off',
    )
  })

  it.skipIf(process.platform === 'darwin')('lets a debugger into the copy only', async () => {
    const dist = await folderWith({ 'linux-unpacked/commonplace': programWith('01000111'), 'linux-unpacked/real': 'x' })
    symlinkSync('real', join(dist, 'linux-unpacked/link'))
    const app = findApp(dist, 'linux')
    const copy = await drivableCopy(app)
    onTestFinished(() => rmSync(join(copy, '../..'), { recursive: true }))
    const wires = await Promise.all([getCurrentFuseWire(app.program), getCurrentFuseWire(copy)])
    expect(wires.map((wire) => wire[FuseV1Options.EnableNodeCliInspectArguments])).toEqual([
      '0'.charCodeAt(0),
      '1'.charCodeAt(0),
    ])
    expect(wires[1]).toEqual({ ...wires[0], [FuseV1Options.EnableNodeCliInspectArguments]: '1'.charCodeAt(0) })
    expect(readFileSync(join(copy, '../link'), 'utf8')).toBe('x')
  })

  it.each([
    ['darwin', 'mac-arm64/Commonplace.app/Contents/MacOS/Commonplace', 'mac-arm64/Commonplace.app'],
    ['win32', 'win-unpacked/Commonplace.exe', 'win-unpacked'],
  ] as const)('finds the app of %s', async (platform, program, folder) => {
    const dist = await folderWith({ [program]: '' })
    expect(findApp(dist, platform)).toEqual({ program: join(dist, program), folder: join(dist, folder) })
    await expect(async () => findApp(await temporaryFolder(), platform)).rejects.toThrow('found 0')
  })

  it('asks the command line of this build for its tools, as it asks a package', async () => {
    const home = await temporaryFolder()
    const entry = fileURLToPath(new URL('../../../out/main/cli/index.js', import.meta.url))
    expect(await toolsOf(process.execPath, home, [entry, 'mcp'])).toContain('memory_search')
    await expect(toolsOf(process.execPath, home, ['-e', ''])).rejects.toThrow('answered nothing over MCP')
  })
})

describe('the update test', () => {
  it('serves files whole and in parts, and records the requests', async () => {
    const folder = await folderWith({ 'latest.yml': 'version: 1.2.0', 'a b.exe': '0123456789' })
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'sub/secret'), 'no')
    const { url, requests, close } = await serveUpdates(folder)
    onTestFinished(close)
    expect(await (await fetch(`${url}latest.yml?noCache=1`)).text()).toBe('version: 1.2.0')
    const part = await fetch(`${url}a%20b.exe`, { headers: { range: 'bytes=2-4' } })
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    expect((await fetch(`${url}sub/secret`)).status).toBe(404)
    expect(requests).toEqual(['latest.yml', 'a b.exe', 'secret'])
  })
})
