import { buffer } from 'node:stream/consumers'
import { AppError, onAppError, orUndefined } from '#shared/util/errors.ts'
import { createApp, openBase, type AppBase, type AppOptions } from '../../composition/create-app.ts'
import { callPrimary, lockPathsOf } from '../../instance-lock/primary-connection.ts'
import { assertNeverUsed, setUpAtFirstUse } from '../open-memory.ts'
import type { CommonFlags } from '../flags.ts'
import { openSecretsIn, withAddedPrivate } from '#shared/markdown/visibility-edit.ts'
import { UsageError, type Output } from '../cli-output.ts'
import { hostLocale, problemsText, t } from '../../texts.ts'

/**
 * Saves a note through the primary instance, which updates its windows. If there is none, or it does not answer, writes
 * the file in this process. @param text undefined reads stdin
 * @throws UsageError for an empty note, AppError `config_invalid`
 */
export async function saveNote(
  options: AppOptions,
  { agent, private: isPrivate }: CommonFlags,
  text: string | undefined,
): Promise<Output> {
  const input = text ?? (process.stdin.isTTY ? '' : decodeInput(await buffer(process.stdin)))
  const given = input.replaceAll(/\r\n?/g, '\n').trim()
  const note = isPrivate ? withAddedPrivate(undefined, given, true) : given
  if (given === '') throw new UsageError(t('usage.empty'))
  const base = await openBase(options)
  try {
    const primaryResult = await rememberOnPrimary(base, agent, note)
    // A window of the primary instance shows the offer of its note.
    const { path, startLine, endLine, match } =
      primaryResult && 'value' in primaryResult
        ? { ...primaryResult.value, match: undefined }
        : await writeNote({ ...options, base }, agent, note, primaryResult !== undefined)
    const [secret] = openSecretsIn(note)
    const warning = secret
      ? t('remember.secret', { kind: t(`remember.kind.${secret.kind}`) })
      : match && t('remember.alike', { place: `${match.path}:${match.line}`, text: match.text })
    return { value: { path, startLine, endLine }, text: `${path}:${startLine}`, warning }
  } finally {
    base.close()
  }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, as some shells write it. @throws UsageError for other encodings */
function decodeInput(bytes: Buffer): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(t('usage.encoding'))
  }
}

async function rememberOnPrimary(base: AppBase, agent: string, note: string) {
  const remembered = callPrimary(lockPathsOf(base.folders.home, base.singleFolder?.folder), async (client) => {
    await setUpAtFirstUse(client, base, agent)
    return client.workspace.remember({ agent, text: note })
  })
  // The other process hangs or has another version. Appending to a file works without it.
  return remembered.catch(onAppError('owner_silent', 'owner_version'))
}

/** @param mayBeSaved true if another process received the note and exited without an answer */
async function writeNote(options: AppOptions & { base: AppBase }, agent: string, note: string, mayBeSaved: boolean) {
  const { base } = options
  const app = await createApp({ ...options, watch: false })
  try {
    if (app.settings.problems.length > 0 && app.settings.lastGood === undefined)
      throw new AppError('config_invalid', problemsText(app.settings.file, app.settings.problems))
    if (app.agents.isFirstRun) assertNeverUsed(base, agent)
    if (app.agents.isFirstRun) await app.agents.setUp(agent, app.agents.workspaceOf(agent), hostLocale())
    const { workspace, compare, close } = await app.agents.openWriter(agent)
    try {
      const now = app.now()
      const savedNote = mayBeSaved ? await workspace.findRememberedNote(note, now) : undefined
      const saved = savedNote ?? (await workspace.remember(note, now, { cause: 'capture' }))
      // The note is saved: no error may make the user save it again.
      return { ...saved, match: (await orUndefined(compare(saved)))?.[0] }
    } finally {
      close()
    }
  } finally {
    await app.close()
  }
}
