/** Packs the app for this system with a stand-in for Electron's runtime. `npm run dist -- --dir` does so for all. */
import { createPackageWithOptions, extractAll } from '@electron/asar'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findPackageProblems, placesOf, type Target } from '../../../resources/packaging/check-package.ts'
import { collectLicences, noticesText } from '../../../resources/packaging/licences.ts'
import { vectorPackage } from '../../../resources/packaging/native-packages.ts'
import { allTargets, packWithStub, root, unpackedFolder } from '../../../resources/packaging/pack.ts'
import { tryApp } from '../../../resources/packaging/try-app.ts'
import { temporaryFolder } from '../../support/folder.ts'

const target = { system: process.platform, processor: process.arch } as Target
const { system, processor } = target
const isBuilt = allTargets[system]?.includes(processor) ?? false
const output = mkdtempSync(join(tmpdir(), 'commonplace-'))
const packed = unpackedFolder(output, system, processor)

beforeAll(async () => {
  if (!isBuilt) return
  writeFileSync(join(root, 'out/LICENCES.txt'), noticesText(collectLicences()))
  await packWithStub(output, system, [processor])
}, 60_000)

afterAll(() => rmSync(output, { recursive: true, force: true }))

it.runIf(isBuilt)('the package contains what the app needs, and nothing else', async () => {
  expect(await findPackageProblems(packed, target)).toEqual([])
})

it.runIf(isBuilt)('the packed app starts, answers, stores a note and finds it', async () => {
  await tryApp(join(placesOf(packed, system).resources, 'app.asar'))
})

it.runIf(isBuilt)('every fault of a package is reported', async () => {
  const folder = join(await temporaryFolder(), 'package')
  cpSync(packed, folder, { recursive: true })
  const { resources, program } = placesOf(folder, system)
  const app = await temporaryFolder()
  extractAll(join(resources, 'app.asar'), app)
  writeFile(join(app, 'node_modules/fflate/test/basic.test.js'))
  writeFile(join(app, 'node_modules/better-sqlite3/prebuilds/aix-ppc.node'))
  writeFile(join(app, 'node_modules/stowaway/index.js'))
  appendFileSync(join(app, 'resources/models/builtin/model.bin'), 'x')
  writeFileSync(join(app, 'package.json'), '{ "name": "commonplace", "version": "9.9.9" }')
  rmSync(join(app, 'out/main/platform/diff/diff.worker.js'))
  await createPackageWithOptions(app, join(resources, 'app.asar'), { unpack: '**/{*-*.node,vec0.*}' })
  const libraries = `${join(resources, 'app.asar')}.unpacked/node_modules`
  const addon = join(libraries, `better-sqlite3/prebuilds/${system}-${processor}.node`)
  const other = system === 'darwin' ? 'linux-x64' : 'darwin-arm64'
  cpSync(join(root, `node_modules/better-sqlite3/prebuilds/${other}.node`), addon)
  appendFileSync(addon, randomBytes(8e6))
  rmSync(join(libraries, vectorPackage(system, processor)), { recursive: true })
  writeFile(join(libraries, 'stowaway.js'))
  rmSync(join(resources, 'LICENCES.txt'))
  await flipFuses(program, { version: FuseVersion.V1, [FuseV1Options.RunAsNode]: true })

  const problems = await findPackageProblems(folder, target)
  const expected = [
    'app.asar contains node_modules/fflate/test/basic.test.js',
    'node_modules/better-sqlite3/prebuilds/aix-ppc.node must not be in this package',
    'app.asar contains the package stowaway',
    'app.asar: resources/models/builtin/model.bin differs from the project',
    expect.stringMatching(/^package.json has another version than/),
    'app.asar lacks out/main/platform/diff/diff.worker.js',
    'node_modules/stowaway.js must not be in this package',
    `node_modules/better-sqlite3/prebuilds/${system}-${processor}.node is for ${other}`,
    expect.stringMatching(/vec0\.\w+ is not unpacked$/),
    'the fuse runAsNode is not off',
    'LICENCES.txt is missing',
    expect.stringContaining('the limit is'),
  ]
  expect(problems).toEqual(expect.arrayContaining(expected))
  // Linux records no hash of the archive.
  expect(problems).toHaveLength(system === 'linux' ? expected.length : expected.length + 1)
})

function writeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
}
