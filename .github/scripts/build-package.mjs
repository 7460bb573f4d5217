/**
 * Builds the packages of this system: `node build-package.mjs [OPTIONS_OF_DIST…]`. A secret that a repository does not
 * have arrives as an empty variable, and electron-builder takes an empty CSC_LINK for the path of a certificate.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { isMain, run } from './run.mjs'

/** Variables with which electron-builder signs and notarises. */
export const signing = [
  'CSC_LINK',
  'CSC_KEY_PASSWORD',
  'WIN_CSC_LINK',
  'WIN_CSC_KEY_PASSWORD',
  'APPLE_ID',
  'APPLE_APP_SPECIFIC_PASSWORD',
  'APPLE_TEAM_ID',
]

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Record<string, string | undefined>} the environment without empty variables for signing
 */
export function buildEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' || !signing.includes(name)))
}

if (isMain(import.meta))
  run(() => {
    const env = buildEnvironment(process.env)
    const named = signing.filter((name) => env[name] !== undefined)
    process.stdout.write(named.length > 0 ? `signing with ${named.join(', ')}\n` : 'no certificate\n')
    const { status } = spawnSync('npm', ['run', 'dist', '--', ...process.argv.slice(2)], {
      stdio: 'inherit',
      env,
      shell: process.platform === 'win32',
    })
    if (status !== 0) throw new Error(`npm run dist ended with ${status}`)
    // On a machine without Electron's runtime, dist only checks the configuration and ends with 0.
    if (!existsSync('dist') || !readdirSync('dist').some((name) => /^latest.*\.yml$|^beta.*\.yml$/.test(name)))
      throw new Error('npm run dist wrote no description for the updater (latest*.yml) into dist/')
  })
