/**
 * Builds the packages of this system into `dist/`: `npm run dist`; `--x64` and `--arm64` choose the processor. With
 * `-- --dir`, leaves them unpacked. Checks what the packages contain. If Electron's runtime cannot be downloaded, builds
 * no packages; with `--dir` (or always with `--stub`), checks the packages of all systems with a stand-in for it.
 */
import { Arch, build } from 'electron-builder'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { builderConfig } from './builder.config.ts'
import { findPackageProblems, maxPayload, payloadSize, placesOf, type Target } from './check-package.ts'
import { findProblems } from './dry-check.ts'
import { collectLicences, noticesText } from './licences.ts'
import { bundle } from './mcpb.ts'
import { provideNativePackage, type Processor } from './native-packages.ts'
import { allTargets, packWithStub, platforms, root, unpackedFolder } from './pack.ts'
import type { System } from './stub-runtime.ts'
import { tryApp } from './try-app.ts'
import { has, tryDeb, tryMacZip, tryNsis } from './try-installers.ts'

const windows = process.platform === 'win32'
const probeMs = 8000
const output = join(root, 'dist')
const system = process.platform as System
const isUnpacked = process.argv.includes('--dir')

run('npm', ['run', 'build'])
writeFileSync(join(root, 'out/LICENCES.txt'), noticesText(collectLicences()))
failIfAny(findProblems())
say('the packaging configuration is valid')
mkdirSync(output, { recursive: true })
writeFileSync(join(output, 'commonplace.mcpb'), bundle())
say('created commonplace.mcpb')
if (!process.argv.includes('--stub') && (await hasRuntime())) await buildPackages()
else if (isUnpacked || process.argv.includes('--stub')) await checkWithStub(join(output, 'stub'))
else say("skipped: Electron's runtime cannot be downloaded (github.com is unreachable)")

async function buildPackages(): Promise<void> {
  const processors = chosenProcessors()
  for (const processor of processors) provideNativePackage(system, processor)
  const architectures = processors.map((processor) => Arch[processor])
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  await build({
    config: { ...builderConfig(), ...(own === undefined ? {} : { electronDist: own }) },
    projectDir: root,
    publish: 'never',
    // Without a name, electron-builder takes the targets of the configuration.
    targets: isUnpacked
      ? platforms[system].createTarget('dir', ...architectures)
      : new Map([[platforms[system], new Map(architectures.map((architecture) => [architecture, []]))]]),
  })
  for (const processor of processors) {
    await check(output, { system, processor })
    const { resources } = placesOf(unpackedFolder(output, system, processor), system)
    // electron-builder writes it only for targets that can be updated.
    if (!isUnpacked && !existsSync(join(resources, 'app-update.yml'))) failIfAny(['app-update.yml is missing'])
  }
}

/** macOS packages are built for both processors on one machine; elsewhere for that of the machine. */
function chosenProcessors(): Processor[] {
  const chosen = (['x64', 'arm64'] as const).filter((processor) => process.argv.includes(`--${processor}`))
  if (chosen.length > 0) return chosen
  return system === 'darwin' ? ['x64', 'arm64'] : [process.arch as Processor]
}

async function checkWithStub(folder: string): Promise<void> {
  say("Electron's runtime is replaced by a stand-in; the packages are only good for checks")
  rmSync(folder, { recursive: true, force: true })
  for (const [system, processors] of Object.entries(allTargets) as [System, readonly Processor[]][]) {
    await packWithStub(folder, system, processors)
    for (const processor of processors) await check(folder, { system, processor })
  }
  const own = (allTargets[system] ?? []).find((processor) => processor === process.arch)
  if (own === undefined) say('the app is not started: no package is for this machine')
  else {
    await tryApp(join(placesOf(unpackedFolder(folder, system, own), system).resources, 'app.asar'))
    say('the packed app starts under plain Node, answers, stores a note and finds it')
  }
  if (has('dpkg-deb')) {
    failIfAny(await tryDeb(folder))
    say('the Debian package installs into a folder')
  } else say('skipped: the Debian package (dpkg-deb is not installed)')
  if (has('makensis')) {
    tryNsis(folder)
    say('the installer for Windows compiles')
  } else say('skipped: the installer for Windows (makensis is not installed; on Debian: apt-get install nsis)')
  if (!windows && has('7z')) {
    failIfAny(await tryMacZip(folder))
    say('the archives for the updater of macOS are right')
  } else say('skipped: the archives for macOS (7z is not installed; on Debian: apt-get install p7zip-full)')
  say('not checked here: dmg, AppImage, the portable program, signatures, notarisation')
}

async function check(folder: string, target: Target): Promise<void> {
  const unpacked = unpackedFolder(folder, target.system, target.processor)
  failIfAny((await findPackageProblems(unpacked, target)).map((problem) => `${unpacked}: ${problem}`))
  const size = await payloadSize(placesOf(unpacked, target.system).resources)
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  say(`${target.system}-${target.processor} is right; the app has ${megabytes(size)} of ${megabytes(maxPayload)}`)
}

function say(text: string): void {
  process.stdout.write(`dist: ${text}\n`)
}

function failIfAny(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`dist: ${problem}\n`)
  if (problems.length > 0) process.exit(1)
}

function run(command: string, args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: windows })
  if (status !== 0) process.exit(status ?? 1)
}

/** Returns true if Electron's runtime is installed or can be downloaded. */
function hasRuntime(): Promise<boolean> {
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? process.env['electron_config_cache']
  if (own !== undefined && existsSync(own)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const request = get('https://github.com/electron/electron/releases', { timeout: probeMs }, (response) => {
      response.resume()
      resolve((response.statusCode ?? 500) < 400)
    })
    request.on('timeout', () => request.destroy(new Error('late')))
    request.on('error', () => resolve(false))
  })
}
