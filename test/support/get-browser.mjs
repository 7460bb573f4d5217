/**
 * Installs a browser and fonts for Chinese, Japanese and Korean if they are missing: packages as root on Debian and
 * Ubuntu, otherwise playwright's download. Runs on any Node version.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findBrowser, shell, thisMachine } from './find-browser.mjs'

/**
 * @typedef {object} Means
 * @property {string | undefined} named value of CHROMIUM_PATH
 * @property {() => string | undefined} find
 * @property {() => boolean} hasFonts
 * @property {boolean} mayInstall true as root if apt-get exists
 * @property {(command: string, args: readonly string[]) => boolean} run returns true if the command succeeds
 * @property {(line: string) => void} say
 */

const fonts = ['fonts-noto-cjk', 'fontconfig']
const playwright = fileURLToPath(new URL('../../node_modules/playwright-core/cli.js', import.meta.url))

export const nothingToBeHad =
  'There is no browser for the tests, and none could be fetched: install Chrome, Chromium or Edge, or name one in CHROMIUM_PATH (without a browser: npm run test:unit and npm run test:integration).'

const withoutBrowser = new Set(['unit', 'unit-isolated', 'integration'])

/** @param {readonly string[]} args arguments of the test command */
export function needsBrowser(args) {
  const projects = args.flatMap((arg, index) =>
    arg === '--project' ? (args[index + 1] ?? []) : arg.startsWith('--project=') ? arg.slice('--project='.length) : [],
  )
  return projects.length === 0 || projects.some((project) => !withoutBrowser.has(project))
}

/**
 * @param {Means} means
 * @returns {string | undefined} the browser's path; undefined if none can be installed
 */
export function getBrowser(means) {
  const { named, find, hasFonts, mayInstall, say } = means
  const found = named ? find() : withShell(means, find())
  if (named && found !== named) say(`CHROMIUM_PATH names ${named}, where there is no program`)
  if (found !== undefined) {
    say(`the tests run in ${found}`)
    if (mayInstall && !hasFonts()) {
      say(`there are no fonts for Chinese, Japanese and Korean: installing ${fonts.join(' and ')}`)
      if (!install(means, fonts)) say('the fonts could not be installed; the tests run without them')
    }
    return found
  }
  return (mayInstall ? fromPackages(means) : undefined) ?? fromPlaywright(means)
}

/** @returns {Means} the means of this machine */
export function ownMeans() {
  const machine = thisMachine()
  return {
    named: machine.env['CHROMIUM_PATH'],
    find: () => findBrowser(machine),
    hasFonts: () => {
      const { stdout } = spawnSync('fc-list', [':lang=zh', 'family'], { encoding: 'utf8' })
      return Boolean(stdout?.trim())
    },
    mayInstall: process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get'),
    run: (command, args) => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
      return spawnSync(command, args, { stdio: 'ignore', env }).status === 0
    },
    say: (line) => process.stderr.write(`test: ${line}\n`),
  }
}

/**
 * Installs the headless shell if possible: a browser with a window takes twice as long for the same tests.
 * @param {Means} means
 * @param {string | undefined} found
 */
function withShell(means, found) {
  if (found === undefined || found.includes(shell) || !means.mayInstall) return found
  means.say(`installing ${shell}, in which the tests take less time`)
  return install(means, [shell]) ? means.find() : found
}

/** @param {Means} means */
function fromPackages(means) {
  means.say(`there is no browser: installing chromium, ${fonts.join(' and ')} with apt-get`)
  if (install(means, [shell, ...fonts]) || install(means, ['chromium', ...fonts])) return means.find()
  // Ubuntu has no such package. Install the fonts anyway.
  aptGet(means, ['install', ...fonts])
  return undefined
}

/** @param {Means} means */
function fromPlaywright({ run, find, say, mayInstall }) {
  say("there is no browser: fetching playwright's")
  const libraries = mayInstall ? ['--with-deps'] : []
  return run(process.execPath, [playwright, 'install', '--no-shell', ...libraries, 'chromium']) ? find() : undefined
}

/**
 * @param {Means} means
 * @param {readonly string[]} packages
 */
function install({ run }, packages) {
  // Outdated package lists may still suffice.
  aptGet({ run }, ['update'])
  return aptGet({ run }, ['install', ...packages])
}

/**
 * @param {Pick<Means, 'run'>} means
 * @param {readonly string[]} args
 */
function aptGet({ run }, args) {
  const patience = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=15', '-o', 'DPkg::Lock::Timeout=60']
  return run('apt-get', ['-y', '--no-install-recommends', ...patience, ...args])
}
