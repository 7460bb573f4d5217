import {
  BookmarkPlus,
  Check,
  ChevronLeft,
  ChevronRight,
  Copy,
  GitBranch,
  Pencil,
  RotateCcw,
  SearchCheck,
  Shuffle,
  Trash2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { SessionMessage } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { useCopy } from '#lib/util/copy-text.ts'
import { ModelPicker } from '../models/model-picker.tsx'
import { paths } from '#lib/router/paths.ts'
import { useChatActions } from '../chat-actions.ts'

const iconSize = 13

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

export function QuestionActions({
  id,
  text,
  versions,
}: {
  id: string
  text: string
  versions: SessionMessage['versions']
}) {
  const { t } = useTranslation()
  const { edit, remember, branch, deleteFrom } = useChatActions()
  return (
    <ActionBar label={t('chat.messageActions')} isRight>
      <CopyAction text={text} />
      <IconButton label={t('chat.edit')} onClick={() => edit(id)}>
        <Pencil size={iconSize} />
      </IconButton>
      <IconButton label={t('chat.remember')} onClick={() => remember(text)}>
        <BookmarkPlus size={iconSize} />
      </IconButton>
      <IconButton label={t('chat.branch')} onClick={() => branch(id)}>
        <GitBranch size={iconSize} />
      </IconButton>
      <IconButton label={t('chat.deleteFrom')} onClick={() => deleteFrom(id)}>
        <Trash2 size={iconSize} />
      </IconButton>
      <Versions versions={versions} />
    </ActionBar>
  )
}

interface AnswerActionsProps {
  readonly id: string
  readonly question: string
  readonly text: string
  readonly versions: SessionMessage['versions']
}

export function AnswerActions({ id, question, text, versions }: AnswerActionsProps) {
  const { t } = useTranslation()
  const { agent, retry, remember, branch } = useChatActions()
  const [, navigate] = useLocation()
  return (
    <ActionBar label={t('chat.messageActions')}>
      {text !== '' && <CopyAction text={text} />}
      <IconButton label={t('chat.retry')} onClick={() => retry(question)}>
        <RotateCcw size={iconSize} />
      </IconButton>
      <ModelPicker
        agent={agent}
        value={undefined}
        align="start"
        onChoose={(model) => retry(question, model)}
        trigger={
          <IconButton label={t('chat.retryWith')}>
            <Shuffle size={iconSize} />
          </IconButton>
        }
      />
      {text !== '' && (
        <IconButton label={t('chat.remember')} onClick={() => remember(text)}>
          <BookmarkPlus size={iconSize} />
        </IconButton>
      )}
      <IconButton label={t('chat.branch')} onClick={() => branch(id)}>
        <GitBranch size={iconSize} />
      </IconButton>
      <IconButton label={t('chat.recalls')} onClick={() => navigate(paths.recalls(question))}>
        <SearchCheck size={iconSize} />
      </IconButton>
      <Versions versions={versions} />
    </ActionBar>
  )
}

function CopyAction({ text }: { text: string }) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  return (
    <IconButton label={t(isCopied ? 'chat.copied' : 'chat.copy')} onClick={() => copy(text)}>
      {isCopied ? <Check size={iconSize} /> : <Copy size={iconSize} />}
    </IconButton>
  )
}

function Versions({ versions }: { versions: SessionMessage['versions'] }) {
  const { t } = useTranslation()
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
      <IconButton label={t('chat.previousVersion')} disabled={index === 0} onClick={() => switchBy(-1)}>
        <ChevronLeft size={iconSize} />
      </IconButton>
      <span aria-label={t('chat.version', position)}>
        {position.index}/{position.count}
      </span>
      <IconButton label={t('chat.nextVersion')} disabled={index === ids.length - 1} onClick={() => switchBy(1)}>
        <ChevronRight size={iconSize} />
      </IconButton>
    </span>
  )
}
