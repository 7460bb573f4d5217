import { client } from '../api/client.ts'
import { showSuccess } from './toast.ts'

/**
 * Shows a toast that reverts a change set.
 * @param change null if the history could not store the change: the toast has no action
 */
export function showChange(
  text: string,
  agent: string,
  change: number | null,
  options?: Parameters<typeof showSuccess>[2],
): void {
  showSuccess(text, change === null ? undefined : () => client.history.revert({ agent, change }), options)
}
