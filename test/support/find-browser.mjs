/**
 * The browser that the tests run in: the one that CHROMIUM_PATH names, else a shell without a window, else Chrome, Chromium
 * or Edge of this machine, else the one that playwright keeps for itself. Runs on any Node, for it is asked before the project's own is started.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

/**
 * @typedef {object} Machine
 * @property {string} platform as `process.platform` has it
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {string} home
 * @property {(path: string) => boolean} has whether there is a program
 * @property {(path: string) => boolean} starts false for one that only tells how to install the browser, or lacks libraries
 * @property {() => string | undefined} playwrights where playwright's own would be
 */

/** Chromium's engine alone: others draw a window with all its parts for every page, seen or not. */
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
 * @returns {string | undefined} the path of a browser that starts
 */
export function findBrowser(machine) {
  const named = machine.env['CHROMIUM_PATH']
  if (named && machine.has(named)) return named
  const isFit = (/** @type {string | undefined} */ path) =>
    path !== undefined && machine.has(path) && machine.starts(path)
  return [...places(machine), ...onPath(machine)].find(isFit) ?? [machine.playwrights()].find(isFit)
}

/** @returns {Machine} the one this runs on */
export function thisMachine() {
  const { platform, env } = process
  return {
    platform,
    env,
    home: homedir(),
    has: isProgram,
    // Elsewhere a browser may open a window when it is asked, and what stands there is one.
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
