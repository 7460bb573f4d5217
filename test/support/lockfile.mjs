/**
 * Makes package-lock.json fit for any npm and any Node that installs: `npm run lockfile` after `npm install`. What packages
 * say of the Node that runs them is left out, for that is the project's own and not the one that installs; and so are
 * install scripts that package.json does not allow, for older versions of npm would run them all the same.
 * With `--check` it only looks.
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

/** A lockfile written where the registry lags behind lacks other systems' binaries; `npm ci` fails there. */
function missing() {
  const present = new Set(packages.map(([place]) => nameOf(place)))
  return packages.flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !present.has(name))
      .map((name) => `${place}: ${name} is promised but not there`),
  )
}

/** Whether a new dependency may run a script when it is installed is somebody's decision. */
function undecided() {
  return packages
    .filter(([place, { hasInstallScript }]) => hasInstallScript && !(nameOf(place) in allowScripts))
    .map(([place]) => `${place}: allowScripts in package.json does not say whether its install script may run`)
}
