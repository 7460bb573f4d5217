/**
 * Codes of expected failures, shared by main, renderer and the local socket. Locale files map each code to a sentence
 * for the user; `AppError.message` is the English text for the terminal, the log and the model.
 */
export const errorCodes = [
  'path_outside_workspace',
  'path_hidden',
  'path_invalid',
  'write_refused',
  'private_lines', // An edit in an open chat that would change private lines.
  'message_private', // Lines of a message to an open chat equal private lines. `lines`: the first ones, `count`.
  'private_chat_remote_model', // A model on another machine was chosen for a private chat. `model`: its id.
  'private_stays_here', // A request with private text to another machine; nothing was sent.
  'outbound_unrecorded', // The ledger of requests cannot be written, so nothing was sent.
  'chat_apart', // The chat is not part of memory (created without memory), so nothing can be saved from it.
  'write_proposed', // Nothing was written: the change waits for approval in the inbox.
  'file_not_found',
  'file_exists',
  'file_changed',
  'file_not_text',
  'text_unwritable', // The text contains a NUL character.
  'file_protected',
  'file_too_large',
  'attachment_unknown', // Not a supported file type.
  'picture_refused', // A remote image: its address is not public, the download failed, or it is no image or too large.
  'picture_unavailable',
  'picture_unusable',
  'folder_unreadable',
  'folder_unusable',
  'folder_gone',
  'folder_not_empty',
  'write_failed',
  'move_failed',
  'own_folder', // Not moved: it contains the agent's own files.
  'ending_kept', // Not moved: the new name changes the file extension.
  'folder_in_itself',
  'symbolic_link',
  'move_cancelled',
  'disk_full',
  'file_busy',
  'edit_no_match',
  'edit_ambiguous',
  'undo_conflict',
  'plan_outdated',
  'search_outdated',
  'tag_invalid',
  'history_off',
  'history_unavailable',
  'change_removed', // The history no longer has the text.
  'git_failed',
  'git_partial', // The user's repository is a partial clone, which lacks the text.
  'no_file_manager',
  'import_unknown', // The source contains nothing that can be imported.
  'import_broken_off',
  'archive_unusable',
  'folder_too_large',
  'app_portable', // A portable program passes no input on to the app.
  'unknown_agent',
  'last_agent',
  'folder_taken',
  'unknown_session',
  'unknown_command', // A message such as `/foo`. `commands`: the existing ones.
  'unknown_model',
  'session_busy',
  'transcript_unsupported',
  'provider_key_missing',
  'provider_auth',
  'provider_quota',
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unavailable', // No connection.
  'provider_failed', // The provider had an internal error (5xx).
  'provider_timeout',
  'provider_cut', // The answer ended early.
  'provider_refused',
  'provider_region',
  'provider_redirected',
  'provider_too_much', // The answer exceeds the size limit.
  'answer_repeats', // The model repeated itself. `kept`: characters of the answer before that.
  'window_too_small', // Prompt, tools and files exceed the window. `model`, `tokens`, `window`.
  'message_too_long', // A message alone exceeds the window. `model`, `tokens`, `window`.
  'chat_too_long', // The chat exceeds the window, and compaction is turned off. `model`, `tokens`, `window`.
  'server_down', // No server at an address of this machine. `address`.
  'provider_garbled', // The response is not an answer of the protocol.
  'provider_error', // Any other rejected request, and an answer without usable content.
  'spending_limit',
  'needs_model',
  'images_unsupported',
  'tool_timeout',
  'tool_denied',
  'tool_repeats',
  'answer_empty',
  'mcp_unavailable',
  'program_unknown', // Not one of the programs that the app can register with. `id`, `known`.
  'client_unknown', // The program is not registered, or was removed.
  'client_read_only',
  'client_refused',
  'client_unanswered',
  'client_busy', // Too many calls at once or within a minute.
  'client_quota', // The program has written the daily amount.
  'secret_found', // A program wanted to write a password, key or card number.
  'context_overflow',
  'index_unavailable',
  'config_invalid',
  'input_invalid',
  'question_invalid', // A line of a file of judged questions. `path`, `line`.
  'owner_silent', // The owner is the process that has the memory open (primary instance). It does not answer.
  'owner_version', // The owner is another version of the app.
  'state_newer', // The state folder was written by a version that is two or more steps newer.
  'owner_gone', // The owner ended before it answered.
  'single_folder', // Agents cannot be managed while only one folder is open (`--workspace`).
  'message_too_large',
  'input_too_long',
  'port_in_use',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** Values for the localized sentence: paths, names, numbers. Must not contain API keys or private text. */
export type ErrorData = Record<string, string | number | boolean>

export class AppError extends Error {
  readonly code: ErrorCode
  readonly data: ErrorData

  constructor(code: ErrorCode, message: string, data: ErrorData = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
    this.data = data
  }
}

/** Recognizes Node system errors with one of `codes` (`ENOENT`, …); without `codes`, of any system call. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    (codes.length === 0 ? 'syscall' in error : codes.includes(error.code))
  )
}

/** Returns true for the error of aborted or timed-out work, also as the cause of another error. */
export function isAbort(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'AbortError' || error.name === 'TimeoutError' || isAbort(error.cause)
}

/** Returns undefined after an AppError, and after any error if `signal` has aborted. @throws other errors */
export async function orUndefined<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof AppError || signal?.aborted) return undefined
    throw error
  }
}

/** Handles system errors with one of `codes`, or all, in `Promise.catch`. @throws other errors */
export function onSystemError<T>(value: T, ...codes: readonly string[]): (error: unknown) => T {
  return (error) => {
    if (isSystemError(error, ...codes)) return value
    throw error
  }
}

/** Runs `work`. Returns undefined if it throws an AppError. @throws other errors */
export function unlessAppError<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Runs `work`. Returns undefined if it throws a system error with one of `codes`, or any. @throws other errors */
export function unlessSystemError<T>(work: () => T, ...codes: readonly string[]): T | undefined {
  try {
    return work()
  } catch (error) {
    return onSystemError(undefined, ...codes)(error)
  }
}

/** Returns a handler for `Promise.catch` that replaces AppErrors with one of `codes` by undefined. */
export function onAppError(...codes: readonly ErrorCode[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof AppError && codes.includes(error.code))) throw error
  }
}

/** Repeats `work` while it fails with an error for which `isRetryable` returns true. @throws other errors; the last one */
export async function retryIf<T>(
  isRetryable: (error: unknown) => boolean,
  maxAttempts: number,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(error)) throw error
    }
  }
}

/** Returns the message of the innermost cause, or its system code if it has no message. */
export function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.cause instanceof Error) return rootCauseMessage(error.cause)
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error ? first.message : ''
  return message === '' && 'code' in error ? String(error.code) : message
}
