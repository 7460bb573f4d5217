/**
 * Kinds of stored data that an erasure searches. `note`: a note · `trash`: a deleted file · `other`: another workspace
 * file, which erasure never changes · `chat`: a transcript · `request`: a captured model request · `output`: stored
 * tool output · `history`: versions of a file · `index`: the search index · `check`: a saved query · `proposal`: a
 * proposed change · `draft`: unsent or unsaved text · `log`: the log · `state`: another app file, such as the settings.
 */
export const forgetKinds = [
  'note',
  'trash',
  'other',
  'chat',
  'request',
  'output',
  'history',
  'index',
  'check',
  'proposal',
  'draft',
  'log',
  'state',
] as const
export type ForgetKind = (typeof forgetKinds)[number]
