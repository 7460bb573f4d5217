/** Packs the app for one system into unpacked packages, without installers. */
import { Arch, build, Platform } from 'electron-builder'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builderConfig } from './builder.config.ts'
import { provideNativePackage, type Processor } from './native-packages.ts'
import { writeStubRuntime, type System } from './stub-runtime.ts'

/** The folder of the project. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

export const platforms = { linux: Platform.LINUX, darwin: Platform.MAC, win32: Platform.WINDOWS }

/** Everything that is built for users; the processors of each system. */
export const allTargets: Readonly<Record<System, readonly Processor[]>> = {
  linux: ['x64', 'arm64'],
  darwin: ['x64', 'arm64'],
  win32: ['x64'],
}

/** Returns the folder of the unpacked package below the output folder, as electron-builder names it. */
export function unpackedFolder(output: string, system: System, processor: Processor): string {
  const suffix = processor === 'x64' ? '' : `-${processor}`
  if (system === 'darwin') return join(output, `mac${suffix}`)
  return join(output, `${system === 'linux' ? 'linux' : 'win'}${suffix}-unpacked`)
}

/**
 * Packs with the stand-in for Electron's runtime.
 * @param target `dir`, or an installer that needs no download
 */
export async function packWithStub(
  output: string,
  system: System,
  processors: readonly Processor[],
  target = 'dir',
): Promise<void> {
  const runtime = join(output, 'runtime', system)
  rmSync(runtime, { recursive: true, force: true })
  writeStubRuntime(runtime, system)
  for (const processor of processors) provideNativePackage(system, processor)
  const config = builderConfig()
  await build({
    config: { ...config, directories: { ...config.directories, output }, electronDist: runtime },
    projectDir: root,
    publish: 'never',
    targets: platforms[system].createTarget(target, ...processors.map((processor) => Arch[processor])),
  })
}
