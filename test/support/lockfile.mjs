/**
 * Makes package-lock.json work with any npm and Node version: `npm run lockfile` after `npm install`. Removes the
 * `engines` of packages, because npm checks them against the Node that installs, not the project's own; and removes
 * install scripts that package.json does not allow, because older npm versions run them anyway. With `--check`, changes
 * nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const path = 'package-lock.json'
const lockfile = JSON.parse(readFileSync(path, 'utf8'))
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const packages = Object.entries(lockfile.packages).filter(([place]) => place !== '')
const nameOf = (place) => place.replace(/^.*node_modules\//, '')

const unfit = packages.filter(
  ([place, entry]) => entry.engines || (entry.hasInstallScript && !allowScripts[nameOf(place)]),
)
const faults = [...missing(), ...undecided()]

if (process.argv.includes('--check')) {
  if (unfit.length > 0) faults.push(`npm run lockfile has not been run: it changes ${unfit.length} entries`)
} else {
  for (const [place, entry] of unfit) {
    delete entry.engines
    if (!allowScripts[nameOf(place)]) delete entry.hasInstallScript
  }
  writeFileSync(path, `${JSON.stringify(lockfile, undefined, 2)}\n`)
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1

/**
 * Returns platform binaries missing from the lockfile, as happens with an incomplete registry mirror. `npm ci` would
 * fail on those platforms.
 */
function missing() {
  const present = new Set(packages.map(([place]) => nameOf(place)))
  return packages.flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !present.has(name))
      .map((name) => `${place}: optional dependency ${name} is missing`),
  )
}

/** Returns dependencies with install scripts that package.json neither allows nor denies. */
function undecided() {
  return packages
    .filter(([place, { hasInstallScript }]) => hasInstallScript && !(nameOf(place) in allowScripts))
    .map(([place]) => `${place}: allowScripts in package.json must allow or forbid its install script`)
}
