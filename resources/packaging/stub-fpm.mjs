#!/usr/bin/env node
/**
 * Stand-in for fpm, which electron-builder downloads to build Debian packages: takes the same arguments and builds with
 * dpkg-deb. electron-builder itself computes the files, the scripts, the desktop entry and the dependencies.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const options = new Map()
const copies = []
const rest = process.argv.slice(2)
while (rest.length > 0) {
  const argument = rest.shift()
  if (argument === '--force') continue
  if (argument.startsWith('-')) options.set(argument, [...(options.get(argument) ?? []), rest.shift()])
  else copies.push(argument.split('='))
}
const option = (name) => options.get(name)?.[0]

const folder = mkdtempSync(join(tmpdir(), 'commonplace-deb-'))
chmodSync(folder, 0o755)
for (const [from, to] of copies) {
  mkdirSync(dirname(join(folder, to)), { recursive: true })
  cpSync(from, join(folder, to), { recursive: true })
}
const control = {
  Package: option('--name'),
  Version: option('--version'),
  Architecture: option('--architecture'),
  Maintainer: option('--maintainer'),
  Homepage: option('--url'),
  Priority: option('--deb-priority'),
  Depends: options.get('-d')?.join(', '),
  Recommends: options.get('--deb-recommends')?.join(', '),
  Description: option('--description')?.trim(),
}
mkdirSync(join(folder, 'DEBIAN'))
writeFileSync(
  join(folder, 'DEBIAN/control'),
  `${Object.entries(control)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n`,
)
for (const [name, script] of [
  ['postinst', '--after-install'],
  ['postrm', '--after-remove'],
]) {
  cpSync(option(script), join(folder, 'DEBIAN', name))
  chmodSync(join(folder, 'DEBIAN', name), 0o755)
}
const { status } = spawnSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', folder, option('--package')], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
rmSync(folder, { recursive: true, force: true })
process.exitCode = status ?? 1
