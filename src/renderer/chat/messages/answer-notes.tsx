import {
  Shuffle,
  BookmarkPlus,
  ChevronLeft,
  ChevronRight,
  GitBranch,
  Pencil,
  RotateCcw,
  SearchCheck,
  Trash2,
} from 'lucide-react'
import { t } from 'i18next'
import { messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import type { ErrorData } from '#shared/util/errors.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { Button, TextLink, CopyButton, IconButton } from '#lib/ui/elements.tsx'
import { ModelPicker } from '../models/model-picker.tsx'
import { navigate, paths } from '#lib/router/paths.ts'
import { useChatActions } from '../chat-actions.ts'
import { useState, type ReactNode } from 'react'
import type { ChatMessage } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import type { AskedMessage } from '../turns.ts'

const settingsSectionOf: Readonly<Record<string, 'models' | 'spending' | 'chat.idleTimeout'>> = {
  provider_timeout: 'chat.idleTimeout',
  provider_key_missing: 'models',
  provider_auth: 'models',
  provider_quota: 'models',
  provider_error: 'models',
  provider_unavailable: 'models',
  server_down: 'models',
  unknown_model: 'models',
  spending_limit: 'spending',
}

/** Errors of the connection. The text received before them is valid, so the answer can be continued. */
const resumableCodes: ReadonlySet<string> = new Set([
  'provider_cut',
  'provider_timeout',
  'provider_unavailable',
  'server_down',
  'provider_failed',
  'provider_overloaded',
  'provider_rate_limited',
  'provider_garbled',
])

const tooLongCodes: ReadonlySet<string> = new Set(['chat_too_long', 'context_overflow'])

export function Failure({ message, question }: { message: AssistantMessage; question: string | undefined }) {
  const { retry, resume, compactAndResume } = useChatActions()
  const { errorCode = 'internal', errorMessage = '', errorData = {}, provider } = message
  const section = settingsSectionOf[errorCode]
  const sentence = explainCode(errorCode, { provider, reason: errorMessage, reference: errorMessage, ...errorData })
  const canResume = resumableCodes.has(errorCode) && messageText(message).trim() !== ''
  const isLocal = provider === 'offline' || provider === 'commonplace'
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md border border-line bg-side px-3.5 py-2.5">
      <p className="font-medium text-bad">{t('common.errorTitle')}</p>
      <p>{sentence}</p>
      <ProviderMessage sentence={sentence} data={{ provider, ...errorData }} />
      <div className="flex flex-wrap gap-2 pt-1">
        {(errorCode === 'step_limit' || canResume) && <Button onClick={resume}>{t('chat.resume')}</Button>}
        {tooLongCodes.has(errorCode) && <Button onClick={compactAndResume}>{t('chat.compactAndSend')}</Button>}
        {errorCode !== 'step_limit' && question !== undefined && (
          <Button onClick={() => retry(question)}>{t('common.retry')}</Button>
        )}
        {question !== undefined && !isLocal && (
          <ModelPicker
            onChoose={(model) => retry(question, model)}
            trigger={
              <Button icon={Shuffle} look="quiet">
                {t('chat.retryWith')}
              </Button>
            }
          />
        )}
        {section && (
          <TextLink href={paths.settings(section)} className="inline-flex min-h-7 items-center rounded-sm px-2.5">
            {errorCode === 'provider_timeout' ? t('chat.waitLonger') : t('chat.openSettings', { provider })}
          </TextLink>
        )}
      </div>
    </div>
  )
}

interface ResumeNoteProps {
  readonly text: string
  readonly canResume: boolean
  readonly question?: string | undefined
}

export function ResumeNote({ text, canResume, question }: ResumeNoteProps) {
  const { retry, resume } = useChatActions()
  return (
    <p className="flex flex-wrap items-center gap-2 text-muted">
      {text}
      {canResume && (
        <Button look="quiet" onClick={resume}>
          {t('chat.resume')}
        </Button>
      )}
      {question !== undefined && (
        <Button look="quiet" onClick={() => retry(question)}>
          {t('common.retry')}
        </Button>
      )}
    </p>
  )
}

export function ProviderMessage({ sentence, data }: { sentence: string; data: ErrorData }) {
  const { provider, reason } = data
  if (typeof reason !== 'string' || reason === '' || sentence.includes(reason)) return null
  return <p className="break-words text-muted">{t('chat.providerSays', { provider: String(provider), reason })}</p>
}

/** Actions, visible on hover or focus. Their space is reserved, so that the layout does not move. */
function ActionBar({ label, children, isRight = false }: { label: string; children: ReactNode; isRight?: boolean }) {
  return (
    <div
      role="toolbar"
      aria-label={label}
      className={`flex h-7 items-center gap-0.5 ${isRight ? 'justify-end' : '-ml-1.5'} opacity-0 transition-opacity duration-150 group-focus-within/message:opacity-100 group-hover/message:opacity-100 has-[[data-stays]]:opacity-100 has-[[data-popup-open]]:opacity-100`}
    >
      {children}
    </div>
  )
}

export function QuestionActions({ question: { id, versions }, text }: { question: AskedMessage; text: string }) {
  const { edit, remember, branch, deleteFrom } = useChatActions()
  return (
    <ActionBar label={t('chat.messageActions')} isRight>
      <CopyButton label={t('chat.copy')} text={text} />
      <IconButton icon={Pencil} label={t('chat.edit')} onClick={() => edit(id)} />
      <IconButton icon={BookmarkPlus} label={t('chat.remember')} onClick={() => void remember(text)} />
      <IconButton icon={GitBranch} label={t('chat.branch')} onClick={() => branch(id)} />
      <IconButton icon={Trash2} label={t('chat.deleteFrom')} onClick={() => deleteFrom(id)} />
      <Versions versions={versions} />
    </ActionBar>
  )
}

interface AnswerActionsProps {
  readonly id: string
  readonly question: string
  readonly text: string
  readonly versions: ChatMessage['versions']
}

export function AnswerActions({ id, question, text, versions }: AnswerActionsProps) {
  const { retry, remember, branch } = useChatActions()
  return (
    <ActionBar label={t('chat.messageActions')}>
      {text !== '' && <CopyButton label={t('chat.copy')} text={text} />}
      <IconButton icon={RotateCcw} label={t('chat.retry')} onClick={() => retry(question)} />
      <ModelPicker
        onChoose={(model) => retry(question, model)}
        trigger={<IconButton icon={Shuffle} label={t('chat.retryWith')} />}
      />
      {text !== '' && <IconButton icon={BookmarkPlus} label={t('chat.remember')} onClick={() => void remember(text)} />}
      <IconButton icon={GitBranch} label={t('chat.branch')} onClick={() => branch(id)} />
      <IconButton icon={SearchCheck} label={t('chat.recalls')} onClick={() => navigate(paths.recalls(question))} />
      <Versions versions={versions} />
    </ActionBar>
  )
}

export function KeepButton({ id, text }: { id: string; text: string }) {
  const { remember } = useChatActions()
  const storageKey = `kept:${id}`
  const [isKept, setIsKept] = useState(() => localStorage.getItem(storageKey) !== null)
  const keep = async () => {
    setIsKept(true)
    if (await remember(text)) localStorage.setItem(storageKey, 'yes')
    else setIsKept(false)
  }
  return (
    <div className="flex flex-wrap items-center gap-3 text-[12px] text-muted">
      <Button icon={BookmarkPlus} disabled={isKept} onClick={() => void keep()}>
        {t(isKept ? 'chat.kept' : 'chat.keep')}
      </Button>
      <span className="min-w-0 flex-1 truncate">{text}</span>
    </div>
  )
}

function Versions({ versions }: { versions: ChatMessage['versions'] }) {
  const { switchTo } = useChatActions()
  if (!versions) return null
  const { ids, index } = versions
  const switchBy = (offset: number) => {
    const id = ids[index + offset]
    if (id !== undefined) switchTo(id)
  }
  const position = { index: formatNumber(index + 1), count: formatNumber(ids.length) }
  return (
    <span data-stays className="tabular ml-1 flex items-center text-[12px] text-muted" data-testid="versions">
      <IconButton
        icon={ChevronLeft}
        label={t('chat.previousVersion')}
        disabled={index === 0}
        onClick={() => switchBy(-1)}
      />
      <span aria-label={t('chat.version', position)}>
        {position.index}/{position.count}
      </span>
      <IconButton
        icon={ChevronRight}
        label={t('chat.nextVersion')}
        disabled={index === ids.length - 1}
        onClick={() => switchBy(1)}
      />
    </span>
  )
}
