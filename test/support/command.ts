import { spawn } from 'node:child_process'
import { cli } from './built.ts'

/** Runs a command of the built app to its end. @param env additions to the environment of the tests */
export function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}, input: string | Uint8Array = '') {
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, LC_ALL: 'C', ...env } })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  // The command can end before it has read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
