import { hash } from 'node:crypto'
import type { AppEvent, ContractClient, MemoryClient } from '#shared/contract/index.ts'

const maxCharacters = 64
const hashCharacters = 8

const knownNames: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  'claude-ai': 'Claude Desktop',
  'codex-mcp-client': 'Codex',
  'cursor-vscode': 'Cursor',
  'visual-studio-code': 'VS Code',
  goose: 'Goose',
}

/**
 * Returns an id for a name: `Visual Studio Code` → `visual-studio-code`; `program` for an empty name. A long name or
 * one in another script gets a hash (`program-1a2b3c4d`), so that such programs do not share permissions.
 */
export function clientId(sentName: string): string {
  const name = sentName
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
  const isLossless = slug !== '' && slug.length <= maxCharacters && !/[^\p{ASCII}\s]/u.test(name)
  if (isLossless || name === '') return slug || 'program'
  const hashSuffix = hash('sha256', name).slice(0, hashCharacters)
  return `${slug.slice(0, maxCharacters - hashCharacters - 1) || 'program'}-${hashSuffix}`
}

export function clientName(sentName: string): string {
  const knownName = knownNames[clientId(sentName)]
  const plain = sentName.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return knownName ?? ([...plain].slice(0, maxCharacters).join('') || 'Another program')
}

export interface MemoryAccess {
  /** Calls the primary instance, see `HostProcess.callPrimary`. */
  readonly ask: <T>(work: (primary: ContractClient, isRepeated: boolean) => Promise<T>) => Promise<T>
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void
  /** @param sentName a token or `--client` wins over this name @throws `unknown_agent` */
  readonly caller: (sentName: string | undefined) => Promise<Caller>
  /** If true, all writes are refused, even if the program has permission to write. */
  readonly isReadOnly: boolean
  /** If true, the tools are `search` and `fetch`. */
  readonly isConnector: boolean
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
