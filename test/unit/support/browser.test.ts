/** Finds or installs the browser for the tests. */
import { describe, expect, it } from 'vitest'
import { findBrowser } from '../../support/find-browser.mjs'
import { getBrowser, needsBrowser } from '../../support/get-browser.mjs'

const mac = (name: string) => `/Applications/${name}.app/Contents/MacOS/${name}`
const windows = { ProgramFiles: 'C:\\Program Files', LOCALAPPDATA: 'C:\\Users\\a\\AppData\\Local', PATH: 'D:\\tools' }
const cached = '/home/a/.cache/ms-playwright/chromium-1/chrome'

interface Found {
  readonly name: string
  readonly platform: string
  readonly env?: Readonly<Record<string, string>>
  readonly programs: readonly string[]
  /** Programs that fail to start. */
  readonly broken?: readonly string[]
  readonly expected: string | undefined
}

const finds: readonly Found[] = [
  {
    name: 'the configured one first',
    platform: 'linux',
    env: { CHROMIUM_PATH: '/opt/mine', PATH: '/usr/bin' },
    programs: ['/opt/mine', '/usr/bin/google-chrome'],
    expected: '/opt/mine',
  },
  {
    name: 'Chrome before Chromium before Edge',
    platform: 'linux',
    programs: ['/opt/microsoft/msedge/msedge', '/usr/bin/chromium', '/opt/google/chrome/chrome'],
    expected: '/opt/google/chrome/chrome',
  },
  {
    name: 'a headless shell before any other',
    platform: 'linux',
    programs: ['/opt/google/chrome/chrome', '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'],
    expected: '/usr/bin/chromium-headless-shell',
  },
  {
    name: 'not a stub that only explains how to install it',
    platform: 'linux',
    programs: ['/usr/bin/chromium-browser', '/opt/microsoft/msedge/msedge'],
    broken: ['/usr/bin/chromium-browser'],
    expected: '/opt/microsoft/msedge/msedge',
  },
  {
    name: "not Playwright's own if the system has one, nor one without its libraries",
    platform: 'linux',
    programs: [cached],
    broken: [cached],
    expected: undefined,
  },
  { name: 'Chromium on macOS', platform: 'darwin', programs: [mac('Chromium')], expected: mac('Chromium') },
  {
    name: 'Edge on Windows',
    platform: 'win32',
    env: { ...windows, 'ProgramFiles(x86)': 'C:\\Program Files (x86)' },
    programs: ['C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe', 'D:\\tools\\msedge.exe'],
    expected: 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  },
  {
    name: 'one on the PATH of Windows',
    platform: 'win32',
    env: windows,
    programs: ['D:\\tools\\chrome.exe'],
    expected: 'D:\\tools\\chrome.exe',
  },
]

describe('test browser', () => {
  it.each(finds)('finds $name', ({ platform, env = {}, programs, broken = [], expected }) => {
    const found = findBrowser({
      platform,
      env,
      home: '/home/a',
      has: (path) => programs.includes(path),
      starts: (path) => !broken.includes(path),
      playwrights: () => cached,
    })
    expect(found).toBe(expected)
  })

  it.each([
    { args: [], expected: true },
    { args: ['conversation'], expected: true },
    { args: ['--project', 'e2e'], expected: true },
    { args: ['--project', 'unit', '--project=e2e'], expected: true },
    { args: ['--project', 'unit'], expected: false },
    { args: ['--project', 'unit', '--project', 'unit-isolated'], expected: false },
    { args: ['--project=integration', 'chat', '--project', 'unit'], expected: false },
  ])('$args require one: $expected', ({ args, expected }) => {
    expect(needsBrowser(args)).toBe(expected)
  })
})

const update = 'apt-get update'
const shell = 'apt-get install chromium-headless-shell'
const packages = `${shell} fonts-noto-cjk fontconfig`
const others = 'apt-get install chromium fonts-noto-cjk fontconfig'
const fonts = 'apt-get install fonts-noto-cjk fontconfig'
const download = 'playwright install'

interface Got {
  readonly name: string
  /** Browser found before the installation. */
  readonly own?: string
  readonly named?: boolean
  readonly hasFonts?: boolean
  readonly mayInstall: boolean
  /** Commands that fail. */
  readonly fails?: readonly string[]
  readonly runs: readonly string[]
  readonly expected: string | undefined
}

const windowed = '/usr/bin/chromium'
const bare = '/usr/bin/chromium-headless-shell'

const gets: readonly Got[] = [
  {
    name: 'does nothing if everything is installed',
    own: bare,
    hasFonts: true,
    mayInstall: true,
    runs: [],
    expected: bare,
  },
  {
    name: 'installs a headless shell next to a full browser',
    own: windowed,
    hasFonts: true,
    mayInstall: true,
    runs: [update, shell],
    expected: bare,
  },
  {
    name: 'requires nothing if installing is not permitted',
    own: windowed,
    mayInstall: false,
    runs: [],
    expected: windowed,
  },
  {
    name: 'uses the configured browser as it is',
    named: true,
    own: windowed,
    hasFonts: true,
    mayInstall: true,
    runs: [],
    expected: windowed,
  },
  { name: 'installs packages as root', mayInstall: true, runs: [update, packages], expected: bare },
  {
    name: 'downloads a browser if there is no package, and installs the fonts',
    mayInstall: true,
    fails: [packages, others],
    runs: [update, packages, update, others, fonts, `${download} --with-deps`],
    expected: 'downloaded',
  },
  { name: 'downloads if installing is not permitted', mayInstall: false, runs: [download], expected: 'downloaded' },
  {
    name: 'fails if no browser is available',
    mayInstall: false,
    fails: [download],
    runs: [download],
    expected: undefined,
  },
]

describe('installing a browser', () => {
  it.each(gets)('$name', ({ own, named = false, hasFonts = false, mayInstall, fails = [], runs, expected }) => {
    const ran: string[] = []
    let browser = own
    const path = getBrowser({
      named: named ? own : undefined,
      find: () => browser,
      hasFonts: () => hasFonts,
      mayInstall,
      run: (command, args) => {
        const flags = args.filter((arg) => arg === '--with-deps')
        const words = args.filter((arg) => !arg.startsWith('-') && !arg.includes('='))
        const line = command === 'apt-get' ? [command, ...words].join(' ') : [download, ...flags].join(' ')
        ran.push(line)
        if (fails.includes(line)) return false
        if (line === packages || line === shell) browser = bare
        if (line === others) browser = windowed
        if (line.startsWith(download)) browser = 'downloaded'
        return true
      },
      say: () => undefined,
    })
    expect(path).toBe(expected)
    expect(ran).toEqual(runs)
  })
})
