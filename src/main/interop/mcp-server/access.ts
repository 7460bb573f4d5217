import type { AppEvent, ContractClient, MemoryClient } from '#shared/contract/index.ts'

/** Asks the owner of the memory; again when it went away before it answered, and `isRepeated` is true then. */
export type AskOwner = <T>(work: (owner: ContractClient, isRepeated: boolean) => Promise<T>) => Promise<T>

export interface MemoryAccess {
  readonly ask: AskOwner
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void
  /**
   * Who asks. @param said how the program names itself, where nothing better is known
   * @throws AppError `unknown_agent`
   */
  readonly caller: (said: string | undefined) => Promise<Caller>
  /** Nothing is written by this server, whatever the program may. */
  readonly isReadOnly: boolean
  readonly now: () => Date
  /** Logs what nobody expected. @returns the log reference */
  readonly onFault: (error: unknown) => Promise<string>
}

export type Caller = Pick<MemoryClient, 'id' | 'agent' | 'permission'>
