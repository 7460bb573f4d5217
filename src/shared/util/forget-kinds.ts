/**
 * `note` a note; `trash` what was thrown away; `other` another file of the workspace, in which nothing is changed; `chat` a
 * transcript; `request` a request as it was sent; `output` what a tool gave; `history` recorded versions of a file;
 * `index` what search made of it; `check`, `proposal`, `draft`, `log`; `state` another file of the app, such as its settings.
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
