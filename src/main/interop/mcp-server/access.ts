import type { AppEvent, ContractClient, MemoryClient } from '#shared/contract/index.ts'

export interface MemoryAccess {
  /**
   * Runs `work` on the primary instance; again with `isRepeated` if that process ends before it answers.
   * @throws AppError with the code of the primary instance
   */
  readonly ask: <T>(work: (primary: ContractClient, isRepeated: boolean) => Promise<T>) => Promise<T>
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void
  /** Identifies the program. @param sentName name that it sent; a token or `--client` wins @throws `unknown_agent` */
  readonly caller: (sentName: string | undefined) => Promise<Caller>
  /** If true, all writes are refused, even if the program has permission to write. */
  readonly isReadOnly: boolean
  readonly now: () => Date
  /** Logs an unexpected error. @returns the log reference */
  readonly onFault: (error: unknown) => Promise<string>
}

/** Runs a call when the limits of the program allow. @throws AppError `client_unknown`, `client_busy`, and as `work` */
export async function inTurn<T>(ask: MemoryAccess['ask'], client: string, signal: AbortSignal, work: () => Promise<T>) {
  const call = await ask(async (primary) => {
    const stream = await primary.clients.enter({ client }, { signal })
    await stream.next()
    return stream
  })
  return work().finally(() => void call.return().catch(() => undefined))
}

export type Caller = Pick<MemoryClient, 'id' | 'agent' | 'permission'>
