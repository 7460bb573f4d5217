import { Shuffle } from 'lucide-react'
import { t } from 'i18next'
import { messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import type { ErrorData } from '#shared/util/errors.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { Button, TextLink } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ModelPicker } from '../models/model-picker.tsx'
import { paths } from '#lib/router/paths.ts'
import { useChatActions } from '../chat-actions.ts'
import { toolLabel } from './tool-call.tsx'

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
  const { agent, retry, resume, compactAndResume } = useChatActions()
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
            agent={agent}
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
  /** Id of the question that can be asked again. */
  readonly question?: string | undefined
}

function ResumeNote({ text, canResume, question }: ResumeNoteProps) {
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

interface InterruptedNoteProps {
  readonly isCrash: boolean
  readonly question: string | undefined
  /** True if the turn has text or tool calls to continue from. */
  readonly canResume: boolean
}

export function InterruptedNote({ isCrash, question, canResume }: InterruptedNoteProps) {
  const text = t(isCrash ? 'chat.cutOff' : 'chat.interrupted')
  return <ResumeNote text={text} canResume={canResume || question === undefined} question={question} />
}

/** Explains an answer that reached the length limit. @param cutCall name of the tool whose call was cut off */
export function LengthLimitNote({ cutCall }: { cutCall: string | undefined }) {
  const text =
    cutCall === undefined ? t('chat.tooLong') : t('chat.tooLongCall', { tool: clipLine(toolLabel(cutCall), 80) })
  return <ResumeNote text={text} canResume />
}

export function ProviderMessage({ sentence, data }: { sentence: string; data: ErrorData }) {
  const { provider, reason } = data
  if (typeof reason !== 'string' || reason === '' || sentence.includes(reason)) return null
  return <p className="break-words text-muted">{t('chat.providerSays', { provider: String(provider), reason })}</p>
}
