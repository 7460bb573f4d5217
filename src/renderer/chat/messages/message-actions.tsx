import {
  BookmarkPlus,
  ChevronLeft,
  ChevronRight,
  GitBranch,
  Pencil,
  RotateCcw,
  SearchCheck,
  Shuffle,
  Trash2,
} from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { useLocation } from 'wouter'
import type { SessionMessage } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button, CopyButton, IconButton } from '#lib/ui/button.tsx'
import { ModelPicker } from '../models/model-picker.tsx'
import { paths } from '#lib/router/paths.ts'
import { useChatActions } from '../chat-actions.ts'
import type { Question } from './turns.ts'

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

export function QuestionActions({ question: { id, versions }, text }: { question: Question; text: string }) {
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
  readonly versions: SessionMessage['versions']
}

export function AnswerActions({ id, question, text, versions }: AnswerActionsProps) {
  const { agent, retry, remember, branch } = useChatActions()
  const [, navigate] = useLocation()
  return (
    <ActionBar label={t('chat.messageActions')}>
      {text !== '' && <CopyButton label={t('chat.copy')} text={text} />}
      <IconButton icon={RotateCcw} label={t('chat.retry')} onClick={() => retry(question)} />
      <ModelPicker
        agent={agent}
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

/** Saves a statement that the offline model did not answer. The toast about it has an undo. */
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

function Versions({ versions }: { versions: SessionMessage['versions'] }) {
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
