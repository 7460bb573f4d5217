import { AppError, type ErrorCode } from '#shared/util/errors.ts'

const remedies: Partial<Record<ErrorCode, string>> = {
  file_not_found: 'Call memory_search to find where it is now.',
  path_outside_workspace: 'Only notes of this memory can be read; call memory_search to find one.',
  path_hidden: 'Only notes of this memory can be read; call memory_search to find one.',
  path_invalid: 'Use a path from memory_search.',
  file_not_text: 'Only text can be read.',
  file_too_large: 'Call memory_search to find the lines that matter.',
  unknown_session: 'Call memory_search again; the conversation may have been deleted.',
  unknown_agent: 'The user has to choose another agent for this program in the settings of Commonplace.',
  client_read_only:
    'Tell the user the note that you wanted to save. They can allow writing in Commonplace: Settings › Programs.',
  client_refused: 'Do not try again unless the user asks for it.',
  client_unanswered: 'Tell the user to open Commonplace, then try again.',
  client_quota: 'Tell the user what you wanted to save; they can change the limit in Commonplace: Settings › Programs.',
  secret_found: 'Tell the user, who can save it as a private note in Commonplace.',
  client_unknown: 'The user has to connect this program again in Commonplace.',
  file_busy: 'Try again in a moment.',
  file_protected: 'Tell the user: the file has to be made writable first.',
  index_unavailable: 'Try again in a moment, and tell the user if it persists; memory_get can still read notes.',
  owner_silent: 'The user has to end the process that hangs, or restart Commonplace.',
  owner_version: 'The user has to quit the other version of Commonplace.',
  state_newer: 'The user has to install the newer version of Commonplace.',
  owner_gone: 'Try again.',
  disk_full: 'Tell the user; nothing was written.',
  write_failed: 'Tell the user; nothing was written.',
  folder_gone: 'Tell the user: the folder has to be put back, or another one chosen in Commonplace.',
  config_invalid: 'The user has to correct the configuration of Commonplace.',
}

const maxCharacters = 1200

/** @param onFault logs an unexpected error and returns the log reference */
export async function failureText(error: unknown, onFault: (error: unknown) => Promise<string>): Promise<string> {
  if (!(error instanceof AppError))
    return `Something went wrong in Commonplace (log reference ${await onFault(error)}).`
  const remedy = remedies[error.code]
  const shortMessage =
    error.message.length > maxCharacters ? `${error.message.slice(0, maxCharacters).toWellFormed()}…` : error.message
  return remedy === undefined ? shortMessage : `${shortMessage.replace(/[.\s]*$/, '')}. ${remedy}`
}
