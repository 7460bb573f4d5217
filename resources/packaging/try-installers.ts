/** Builds the installers that need no download, from packages with the stand-in for Electron's runtime, and opens them. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPackageProblems, placesOf } from './check-package.ts'
import { allTargets, packWithStub, root, unpackedFolder } from './pack.ts'

const packaging = join(root, 'resources/packaging')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Returns true if a program is installed. */
export function has(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

/** Builds the Debian package with electron-builder and dpkg-deb, and installs it into a folder. @returns the problems */
export async function tryDeb(output: string): Promise<string[]> {
  // fpm itself is a download, and electron-builder takes another one from here.
  process.env['CUSTOM_FPM_PATH'] ??= join(packaging, 'stub-fpm.mjs')
  await packWithStub(output, 'linux', ['x64'], 'deb')
  const name = `Commonplace-${version}-linux-amd64.deb`
  const control = run('dpkg-deb', ['--field', join(output, name)])
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-installed-'))
  try {
    run('dpkg-deb', ['--extract', join(output, name), folder])
    const problems = await findPackageProblems(join(folder, 'opt/Commonplace'), { system: 'linux', processor: 'x64' })
    const entryFile = join(folder, 'usr/share/applications/app.commonplace.desktop.desktop')
    const wanted: [string, string][] = [
      [control, `Package: commonplace\nVersion: ${version}\nArchitecture: amd64\n`],
      [control, 'libsecret-1-0'],
      [readFileSync(entryFile, 'utf8'), 'Exec=/opt/Commonplace/commonplace %U\n'],
      [readFileSync(entryFile, 'utf8'), 'MimeType=text/markdown;x-scheme-handler/commonplace;\n'],
      [readFileSync(entryFile, 'utf8'), 'StartupWMClass=app.commonplace.desktop\n'],
      [readFileSync(join(output, 'latest-linux.yml'), 'utf8'), `url: ${name}\n`],
    ]
    for (const [text, part] of wanted)
      if (!text.includes(part)) problems.push(`the Debian package lacks ${part.trim()}`)
    for (const width of [16, 48, 512]) {
      const icon = readFileSync(join(folder, `usr/share/icons/hicolor/${width}x${width}/apps/commonplace.png`))
      if (icon.readUInt32BE(16) !== width) problems.push(`the icon of ${width} pixels has another size`)
    }
    if (has('desktop-file-validate')) run('desktop-file-validate', [entryFile])
    return problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds the archives for the updater of macOS with electron-builder and the machine's 7z. @returns the problems */
export async function tryMacZip(output: string): Promise<string[]> {
  // electron-builder downloads its own 7z otherwise.
  process.env['ELECTRON_BUILDER_7ZIP_PATH'] ??= run('sh', ['-c', 'command -v 7z']).trim()
  await packWithStub(output, 'darwin', allTargets.darwin, 'zip')
  const description = readFileSync(join(output, 'latest-mac.yml'), 'utf8')
  return allTargets.darwin.flatMap((processor) => {
    const name = `Commonplace-${version}-mac-${processor}.zip`
    const { resources } = placesOf(unpackedFolder(output, 'darwin', processor), 'darwin')
    const problems = description.includes(`url: ${name}\n`) ? [] : [`latest-mac.yml lacks ${name}`]
    if (!existsSync(join(resources, 'app-update.yml'))) problems.push('app-update.yml is missing')
    const archived = run('7z', ['l', '-ba', join(output, name)])
    if (!archived.includes('Commonplace.app/Contents/Resources/app.asar')) problems.push(`${name} lacks the app`)
    return problems
  })
}

/**
 * Compiles a small installer with our part of electron-builder's, whose own script needs plugins that are downloads.
 * @throws Error if makensis reports an error or a warning
 */
export function tryNsis(output: string): void {
  const script = join(output, 'installer.nsi')
  const installer = join(output, 'Commonplace-setup.exe')
  const lines = [
    'Unicode true',
    'Name "Commonplace"',
    `OutFile "${installer}"`,
    'RequestExecutionLevel user',
    'InstallDir "$LOCALAPPDATA\\Programs\\Commonplace"',
    '!define APP_EXECUTABLE_FILENAME "Commonplace.exe"',
    `!include "${join(packaging, 'installer.nsh')}"`,
    `Icon "${join(packaging, 'icons/icon.ico')}"`,
    'Section',
    '  SetOutPath "$INSTDIR"',
    `  File /r "${unpackedFolder(output, 'win32', 'x64')}/*"`,
    '  !insertmacro customInstall',
    '  WriteUninstaller "$INSTDIR\\Uninstall.exe"',
    'SectionEnd',
    'Section Uninstall',
    '  !insertmacro customUnInstall',
    '  RMDir /r "$INSTDIR"',
    'SectionEnd',
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  run('makensis', ['-V2', '-WX', script])
  // The app compresses to about 15 MB.
  if (statSync(installer).size < 10e6) throw new Error('the installer does not contain the app')
}
