/**
 * Finds the browser of the tests: CHROMIUM_PATH, a headless shell, an installed Chrome, Chromium or Edge, or
 * playwright's own download. Runs on any Node version, because it runs before the project's own Node.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

/**
 * @typedef {object} Machine
 * @property {string} platform `process.platform`
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {string} home
 * @property {(path: string) => boolean} has true if the program exists
 * @property {(path: string) => boolean} starts false for a stub that only explains the installation, or if libraries
 * are missing
 * @property {() => string | undefined} playwrights path of playwright's own browser, installed or not
 */

/** Chromium without a user interface. The others draw a whole window for every page, even invisible ones. */
export const shell = 'chromium-headless-shell'

const linuxNames = [
  shell,
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
]
const linuxPlaces = [
  `/usr/bin/${shell}`,
  '/opt/google/chrome/chrome',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/opt/microsoft/msedge/msedge',
]
const macNames = ['Google Chrome', 'Chromium', 'Microsoft Edge']
const windowsPlaces = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * @param {Machine} machine
 * @returns {string | undefined} the path of a browser that starts; undefined if none is found
 */
export function findBrowser(machine) {
  const named = machine.env['CHROMIUM_PATH']
  if (named && machine.has(named)) return named
  const isFit = (/** @type {string | undefined} */ path) =>
    path !== undefined && machine.has(path) && machine.starts(path)
  return [...places(machine), ...onPath(machine)].find(isFit) ?? [machine.playwrights()].find(isFit)
}

/** @returns {Machine} this machine */
export function thisMachine() {
  const { platform, env } = process
  return {
    platform,
    env,
    home: homedir(),
    has: isProgram,
    // On other systems the call may open a window, and an installed browser is no stub.
    starts: (path) => platform !== 'linux' || spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0,
    playwrights: () => createRequire(import.meta.url)('playwright-core').chromium.executablePath(),
  }
}

/** @param {Machine} machine */
function places({ platform, env, home }) {
  if (platform === 'darwin')
    return macNames.flatMap((name) =>
      ['/', home].map((root) => posix.join(root, `Applications/${name}.app/Contents/MacOS/${name}`)),
    )
  if (platform === 'win32') {
    const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => env[name] ?? [])
    return windowsPlaces.flatMap((place) => roots.map((root) => win32.join(root, place)))
  }
  return linuxPlaces
}

/** @param {Machine} machine */
function onPath({ platform, env }) {
  const { delimiter, join } = platform === 'win32' ? win32 : posix
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const names = platform === 'win32' ? ['chrome.exe', 'chromium.exe', 'msedge.exe'] : linuxNames
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
