/**
 * Stand-in for Electron's runtime, for machines that cannot download it: folders with the layout of Electron's archives,
 * with short files instead of programs. The files that electron-builder changes are real: the property lists, the
 * resources of the Windows program, and the bytes of the fuses. `default_app.asar` and `version` are left out, because
 * electron-builder removes them only from archives.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'

export type System = 'linux' | 'darwin' | 'win32'

/** Language files; Electron has about 50. */
const languages = ['de', 'en-GB', 'en-US', 'fr', 'zh-CN', 'zh-TW']

/** The fuses as Electron ships them: a text to find them, the version 1, their number, and a digit for each. */
const fuses = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0008101100010', 'latin1').subarray(0, 42)

const everywhere = ['LICENSE', 'LICENSES.chromium.html']
const besideProgram = [
  ...everywhere,
  'chrome_100_percent.pak',
  'chrome_200_percent.pak',
  'icudtl.dat',
  'resources.pak',
  'snapshot_blob.bin',
  'v8_context_snapshot.bin',
  'vk_swiftshader_icd.json',
  ...languages.map((language) => `locales/${language}.pak`),
]
const linux = [
  'chrome-sandbox',
  'chrome_crashpad_handler',
  'libffmpeg.so',
  'libEGL.so',
  'libGLESv2.so',
  'libvulkan.so.1',
]
const windows = [
  'd3dcompiler_47.dll',
  'ffmpeg.dll',
  'libEGL.dll',
  'libGLESv2.dll',
  'vk_swiftshader.dll',
  'vulkan-1.dll',
]
const helpers = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'].map((kind) => `Electron Helper${kind}`)

/** Writes the stand-in into a folder, as `electronDist` of electron-builder expects it. */
export function writeStubRuntime(folder: string, system: System): void {
  const write = (path: string, content: string | Buffer = '') => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode: 0o755 })
  }
  if (system === 'darwin') {
    for (const name of everywhere) write(name)
    writeMacApp(write)
    return
  }
  for (const name of [...besideProgram, ...(system === 'linux' ? linux : windows)]) write(name)
  mkdirSync(join(folder, 'resources'), { recursive: true })
  if (system === 'linux') write('electron', Buffer.concat([Buffer.from('#!/bin/sh\n# '), fuses]))
  else write('electron.exe', windowsProgram())
}

function writeMacApp(write: (path: string, content?: string | Buffer) => void): void {
  const contents = 'Electron.app/Contents'
  const frameworks = `${contents}/Frameworks`
  write(`${contents}/Info.plist`, propertyList('Electron'))
  write(`${contents}/PkgInfo`, 'APPL????')
  write(`${contents}/MacOS/Electron`)
  write(`${contents}/Resources/electron.icns`)
  const framework = `${frameworks}/Electron Framework.framework`
  write(`${framework}/Electron Framework`, fuses)
  // The languages of the framework are in the folder of its version.
  for (const place of [`${contents}/Resources`, `${framework}/Versions/A/Resources`])
    for (const language of languages.map((name) => name.replace('-US', '').replace('-', '_')))
      write(`${place}/${language}.lproj/locale.pak`)
  for (const name of ['Mantle', 'ReactiveObjC', 'Squirrel']) write(`${frameworks}/${name}.framework/${name}`)
  for (const name of helpers) {
    write(`${frameworks}/${name}.app/Contents/Info.plist`, propertyList(name))
    write(`${frameworks}/${name}.app/Contents/MacOS/${name}`)
  }
}

function propertyList(name: string): string {
  const entries = {
    CFBundleExecutable: name,
    CFBundleIconFile: 'electron.icns',
    CFBundleIdentifier: 'com.github.Electron',
    CFBundleName: name,
    CFBundlePackageType: 'APPL',
  }
  const lines = Object.entries(entries).map(([key, value]) => `<key>${key}</key><string>${value}</string>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>${lines.join('\n')}</dict></plist>\n`
}

/** A program for Windows with the resources that electron-builder changes, and with the fuses at its end. */
function windowsProgram(): Buffer {
  const program = NtExecutable.createEmpty(false, false)
  const resources = NtExecutableResource.from(program)
  const english = { lang: 1033, codepage: 1200 }
  const version = Resource.VersionInfo.createEmpty()
  version.setFileVersion('1.0.0', english.lang)
  version.setStringValues(english, { ProductName: 'Electron', FileDescription: 'Electron' })
  version.outputToResourceEntries(resources.entries)
  resources.outputResource(program)
  program.setExtraData(fuses)
  return Buffer.from(program.generate())
}
