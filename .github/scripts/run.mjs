/** Functions that the scripts of the workflows share. */
import { fileURLToPath } from 'node:url'
import { realpathSync } from 'node:fs'

/**
 * @param {ImportMeta} meta
 * @returns {boolean} true if Node was started with this module; false if a test imports it
 */
export function isMain(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(meta.url)
}

/**
 * Ends the step with one line if the task fails, which GitHub shows at the head of the run.
 * @param {() => unknown} task
 */
export async function run(task) {
  try {
    await task()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stdout.write(`::error::${message.replaceAll('%', '%25').replaceAll('\n', '%0A')}\n`)
    process.exitCode = 1
  }
}
